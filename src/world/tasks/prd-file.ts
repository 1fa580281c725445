// The task list of the hybrid layout as a source: read with a cache, marked by changing one value and no other byte.

import { join } from "node:path";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import type { Task, TaskList } from "../../core/schema/task.ts";
import { setJsonValue } from "../../std/edit/json-edit.ts";
import { err, ok, type Result } from "../../std/result.ts";
import type { FileStamp } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { indexStories, parsePrd } from "./parse-prd.ts";

/** One reading of a list: the tasks and the very text they came from. */
export interface TaskReading {
  readonly list: TaskList;
  /** Those of the list. */
  readonly tasks: readonly Task[];
  readonly text: string;
}

/** A file changed this shortly before it was read may change again without its stamp telling. */
const RACY_MS = 50;
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;

/** One prd.json. */
export class PrdFile {
  readonly #host: Host;
  readonly #path: string;
  readonly #name: string;
  /** The file itself where the path was a link from the beginning. */
  readonly #real: string | undefined;
  #cached: { stamp: FileStamp; reading: TaskReading } | undefined;

  /** `name` is how messages call the file. */
  constructor(host: Host, path: string, name: string) {
    this.#host = host;
    this.#path = path;
    this.#name = name;
    this.#real = host.files.real(path);
  }

  read(): Result<TaskReading, Diagnostic[]> {
    const { files, clock } = this.#host;
    const stamp = files.stamp(files.real(this.#path) ?? this.#path);
    if (stamp === undefined) return err([this.#missing()]);
    if (this.#isElsewhere()) return err([this.#elsewhere()]);
    if (this.#cached !== undefined && isSame(this.#cached.stamp, stamp))
      return ok(this.#cached.reading);
    const text = files.readText(this.#path);
    if (text === undefined) return err([this.#missing()]);
    const list = parsePrd(text, this.#name);
    if (!list.ok) return list;
    const reading = { list: list.value, tasks: list.value.tasks, text };
    const changedMs = Number(BigInt(stamp.ctimeNs) / 1_000_000n);
    this.#cached = clock.now() - changedMs > RACY_MS ? { stamp, reading } : undefined;
    return ok(reading);
  }

  /** Sets one story's state and reads it back. */
  mark(id: string, status: "open" | "done"): Result<undefined, string> {
    const reading = this.read();
    if (!reading.ok) return err(reading.error[0]?.problem ?? "the list cannot be read");
    const { text } = reading.value;
    const index = indexStories(text).get(id);
    if (index === undefined) return err(`there is no story "${id}"`);
    const edited = setJsonValue(text, ["userStories", index, "passes"], status === "done");
    if (!edited.ok) return edited;
    this.write(edited.value);
    const after = this.read();
    const isSet =
      after.ok &&
      after.value.tasks.some(
        (task) => task.id === id && (task.status === "done") === (status === "done"),
      );
    return isSet ? ok(undefined) : err(`the mark of "${id}" did not stay`);
  }

  write(text: string): void {
    // A link that somebody put here leads to a file that is none of ours.
    if (this.#isElsewhere()) this.#host.files.remove(this.#path);
    if (this.#host.files.readText(this.#path) === text) return;
    // An agent may have deleted the whole folder.
    this.#host.files.makeFolder(join(this.#path, ".."), FOLDER_MODE);
    this.#host.files.replace(this.#path, text, { mode: FILE_MODE, durability: "synced" });
    this.#cached = undefined;
  }

  #isElsewhere(): boolean {
    const real = this.#host.files.real(this.#path);
    return real !== undefined && this.#real !== undefined && real !== this.#real;
  }

  #elsewhere(): Diagnostic {
    return {
      file: this.#name,
      problem: "it has become a link to another file",
      expected: "the file that was there before",
      remedy: "put the file back",
    };
  }

  #missing(): Diagnostic {
    return {
      file: this.#name,
      problem: "there is no such file",
      expected: "a list of user stories",
      remedy: `create it: {"userStories": [{"id": "STORY-001", "title": "…", "passes": false}]}`,
    };
  }
}

function isSame(a: FileStamp, b: FileStamp): boolean {
  return a.ctimeNs === b.ctimeNs && a.size === b.size && a.ino === b.ino;
}
