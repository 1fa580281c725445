// Task lists as they were before an agent, each in a file named after its content: the log says which one an iteration
// began with, so the two agree whatever a crash or a power loss takes away.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Host } from "../host/host.ts";
import { FILE_MODE, FOLDER_MODE, type RunPaths } from "./run-paths.ts";

/** The current list, the one of an iteration that was cut off, and one to spare. */
const KEPT_MAX = 3;

/** Keeps the texts of one run's lists. */
export class KeptLists {
  readonly #host: Host;
  readonly #folder: string;
  /** Names this process has kept, the one used last at the end. */
  readonly #kept: string[] = [];
  /** Names that earlier processes left: nobody knows which of them the log still needs. */
  #found: string[];
  #newest: { name: string; text: string } | undefined;

  constructor(host: Host, paths: RunPaths) {
    this.#host = host;
    this.#folder = paths.lists;
    this.#found = host.files.list(paths.lists).filter((name) => !name.startsWith("."));
  }

  /** Returns the name to find the text by. */
  keep(text: string): string {
    const name = this.#newest?.text === text ? this.#newest.name : listName(text);
    const place = this.#kept.indexOf(name);
    if (place !== -1) this.#kept.splice(place, 1);
    else if (!this.#found.includes(name)) {
      this.#host.files.makeFolder(this.#folder, FOLDER_MODE);
      this.#host.files.replace(join(this.#folder, name), text, {
        mode: FILE_MODE,
        durability: "synced",
      });
    }
    this.#kept.push(name);
    this.#newest = { name, text };
    this.#prune();
    return name;
  }

  /** The text of a name, or undefined where it is gone or was damaged. */
  read(name: string | undefined): string | undefined {
    if (name === undefined) return undefined;
    if (this.#newest?.name === name) return this.#newest.text;
    const text = this.#host.files.readText(join(this.#folder, name));
    if (text === undefined || listName(text) !== name) return undefined;
    this.#newest = { name, text };
    return text;
  }

  /** Those found go once this process has kept enough of its own: from then on the log cannot fall back to them. */
  #prune(): void {
    if (this.#kept.length < KEPT_MAX) return;
    const old = [...this.#found, ...this.#kept.splice(0, this.#kept.length - KEPT_MAX)];
    this.#found = [];
    for (const name of old) {
      if (!this.#kept.includes(name)) this.#host.files.remove(join(this.#folder, name));
    }
  }
}

/** The name of a text: its content cannot be another one. */
function listName(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
