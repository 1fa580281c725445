// Task lists and other files as they were before an agent, each in a file named after its content: the log says which one
// an iteration began with, so the two agree whatever a crash or a power loss takes away.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Host } from "../host/host.ts";
import { FILE_MODE, FOLDER_MODE } from "./run-paths.ts";

/** The current list, the one of an iteration that was cut off, and one to spare. */
const KEPT_MAX = 3;

/** Keeps the newest texts of one run: its lists, or other files that a person owns. */
export class KeptTexts {
  readonly #host: Host;
  readonly #folder: string;
  readonly #max: number;
  /** Names this process has kept, the one used last at the end. */
  readonly #kept: string[] = [];
  /** Names that earlier processes left: nobody knows which of them the log still needs. */
  #found: string[];
  #newest: { name: string; text: string } | undefined;

  constructor(host: Host, folder: string, max: number = KEPT_MAX) {
    this.#host = host;
    this.#folder = folder;
    this.#max = max;
    this.#found = host.files.list(folder).filter((name) => !name.startsWith("."));
  }

  /** Returns the name to find the text by. */
  keep(text: string): string {
    const name = this.#newest?.text === text ? this.#newest.name : textName(text);
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
    if (text === undefined || textName(text) !== name) return undefined;
    this.#newest = { name, text };
    return text;
  }

  /** Those found go once this process has kept enough of its own: from then on the log cannot fall back to them. */
  #prune(): void {
    if (this.#kept.length < this.#max) return;
    const old = [...this.#found, ...this.#kept.splice(0, this.#kept.length - this.#max)];
    this.#found = [];
    for (const name of old) {
      if (!this.#kept.includes(name)) this.#host.files.remove(join(this.#folder, name));
    }
  }
}

/** The name of a text: its content cannot be another one. */
export function textName(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
