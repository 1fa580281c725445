// The pretend disk under the real journal: what was synced survives everything, what was not survives a kill only.
// Only what the record of a run needs is here; any other call is a mistake of the simulation.

import type { Host } from "../../src/world/host/host.ts";
import type { Machine } from "./machine.ts";

interface CachedFile {
  bytes: Buffer;
  /** Content after a power loss; undefined where there would be no file. */
  durable: Buffer | undefined;
}

/** A file that only grows, with the length up to which it is safe. */
class PretendAppender {
  readonly #disk: PretendDisk;
  bytes = Buffer.alloc(16 * 1024);
  size = 0;
  synced = 0;

  constructor(disk: PretendDisk) {
    this.#disk = disk;
  }

  look(): { size: number; isLinked: boolean } {
    return { size: this.size, isLinked: true };
  }

  write(bytes: Buffer): void {
    const { machine } = this.#disk;
    if (machine.isLastMoment())
      this.#add(bytes.subarray(0, machine.random.between(0, bytes.length - 1)));
    machine.danger("in the middle of an append");
    const room = this.#disk.take(bytes.length);
    this.#add(bytes.subarray(0, room));
    if (room < bytes.length) throw noSpace();
    this.#disk.onAppended(bytes);
    machine.danger("after an append");
  }

  cut(size: number): void {
    this.#disk.machine.danger("before the log is cut");
    this.size = size;
    this.synced = Math.min(this.synced, size);
  }

  sync(): void {
    const { machine } = this.#disk;
    machine.danger("before a sync");
    this.synced = this.size;
    machine.danger("after a sync");
  }

  close(): void {
    // Nothing to let go of.
  }

  text(): string {
    return this.bytes.toString("utf8", 0, this.size);
  }

  #add(bytes: Buffer): void {
    while (this.size + bytes.length > this.bytes.length) {
      this.bytes = Buffer.concat([this.bytes, Buffer.alloc(this.bytes.length)]);
    }
    this.size += bytes.copy(this.bytes, this.size);
  }
}

/** All files of the record. */
export class PretendDisk {
  readonly machine: Machine;
  /** The logs by their path, in the order in which they were begun. */
  readonly logs = new Map<string, PretendAppender>();
  readonly #files = new Map<string, CachedFile>();
  /** Hears of every whole line of the log. */
  onAppended: (bytes: Buffer) => void = () => undefined;
  #room = Number.POSITIVE_INFINITY;

  constructor(machine: Machine) {
    this.machine = machine;
    machine.onFull = () => {
      this.#room = machine.random.between(0, 400);
    };
  }

  /** Somebody makes room, between two processes. */
  clean(): void {
    this.#room = Number.POSITIVE_INFINITY;
  }

  /** How many of the bytes fit. */
  take(bytes: number): number {
    const taken = Math.min(bytes, this.#room);
    this.#room -= taken;
    return taken;
  }

  /** What a power loss leaves: some of what was not synced, from its beginning, and older cached files. */
  losePower(): void {
    const { random } = this.machine;
    for (const log of this.logs.values()) {
      if (log.synced === log.size) continue;
      log.size = random.chance(0.4) ? log.synced : random.between(log.synced, log.size);
    }
    for (const [path, file] of this.#files) {
      if (random.chance(0.5)) continue;
      if (file.durable === undefined) this.#files.delete(path);
      else file.bytes = file.durable;
    }
  }

  /** Time enough has passed for everything to be on the disk. */
  settle(): void {
    for (const log of this.logs.values()) log.synced = log.size;
  }

  /** The texts of all logs. */
  logTexts(): string[] {
    return [...this.logs.values()].map((log) => log.text());
  }

  isDurable(run: string, text: string): boolean {
    const log = this.logs.get(`/record/runs/${run}/events.ndjson`);
    return log !== undefined && log.bytes.subarray(0, log.synced).lastIndexOf(text) !== -1;
  }

  read(path: string): string | undefined {
    return this.#files.get(path)?.bytes.toString("utf8");
  }

  replace(path: string, bytes: string | Buffer, durability: "synced" | "cached"): void {
    this.machine.danger(`before ${path} is replaced`);
    const content = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    if (this.take(content.length) < content.length) throw noSpace();
    const durable = durability === "synced" ? content : this.#files.get(path)?.durable;
    this.#files.set(path, { bytes: content, durable });
    this.machine.danger(`after ${path} was replaced`);
  }

  #openLog(path: string): PretendAppender {
    const log = this.logs.get(path) ?? new PretendAppender(this);
    this.logs.set(path, log);
    return log;
  }

  /** The machine as the real journal and the real opening of a run see it. */
  host(): Host {
    const files = {
      makeFolder: () => undefined,
      list: (folder: string) =>
        [...this.#files.keys()]
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1))
          .toSorted(),
      openAppender: (path: string) => this.#openLog(path),
      kind: (path: string) => (this.#files.has(path) ? "file" : undefined),
      readText: (path: string) => this.read(path),
      readRange: (path: string, offset: number, length: number) => {
        const log = this.logs.get(path);
        if (log === undefined) return undefined;
        return Buffer.from(log.bytes.subarray(offset, Math.min(log.size, offset + length)));
      },
      stamp: (path: string) => ({
        size: this.logs.get(path)?.size ?? 0,
        mtimeNs: "0",
        ctimeNs: "0",
        ino: "1",
      }),
      remove: (path: string) => {
        this.machine.danger(`before ${path} is removed`);
        this.#room += this.#files.get(path)?.bytes.length ?? 0;
        this.#files.delete(path);
      },
      replace: (
        path: string,
        bytes: string | Buffer,
        options: { durability: "synced" | "cached" },
      ) => this.replace(path, bytes, options.durability),
    };
    const random = (length: number): string => "sim0sim0".slice(0, length);
    const { machine } = this;
    const clock = { now: () => machine.now };
    return { files, clock, random, env: {}, hostName: "pretend", pid: 1 } as unknown as Host;
  }
}

export function noSpace(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
}
