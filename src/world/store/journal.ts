// The one appender of a run's log. It stamps facts as events, and stops when anybody else has touched the file.

import type { RunState } from "../../core/loop/state.ts";
import { EVENT_BYTES_MAX, type Event, type Fact } from "../../core/schema/event.ts";
import type { EffectId, RunId } from "../../core/schema/ids.ts";
import { renderEvent } from "../../core/schema/parse-event.ts";
import { assert } from "../../std/assert.ts";
import { checksum } from "../../std/checksum.ts";
import type { Appender } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { renderSnapshot } from "./parse-snapshot.ts";
import { FILE_MODE, FOLDER_MODE, type RunPaths } from "./run-paths.ts";

/** Which iteration and effect a fact belongs to. */
export interface Place {
  readonly iteration?: number;
  readonly effect?: EffectId;
}

/** Where the log stands when it is opened; a new one stands at zero. */
export interface JournalStart {
  readonly run: RunId;
  readonly seq: number;
  readonly bytes: number;
}

/** Somebody else wrote to, cut or removed the log of a run under way. */
export class JournalTouched extends Error {
  override readonly name = "JournalTouched";
}

/** A reader folds at most this many events and those of one iteration. */
const SNAPSHOT_EVENTS = 60;
const RESERVE_BYTES = 1024 * 1024;

/** The open log of a run. */
export class Journal {
  readonly #host: Host;
  readonly #paths: RunPaths;
  readonly #run: RunId;
  readonly #file: Appender;
  #seq: number;
  #bytes: number;
  #tipAt = 0;
  #snapshotSeq: number;
  /** The last line, of which only its hash goes into a snapshot. */
  #tip: Buffer | undefined;

  constructor(host: Host, paths: RunPaths, start: JournalStart) {
    host.files.makeFolder(paths.inbox, FOLDER_MODE);
    host.files.makeFolder(paths.iterations, FOLDER_MODE);
    this.#host = host;
    this.#paths = paths;
    this.#run = start.run;
    this.#seq = start.seq;
    this.#snapshotSeq = start.seq;
    this.#bytes = start.bytes;
    this.#file = host.files.openAppender(paths.events, FILE_MODE);
    // What follows the last whole event was torn by a crash.
    if (this.#file.look().size > start.bytes) this.#file.cut(start.bytes);
    this.#keepReserve();
  }

  append(fact: Fact, place: Place): Event {
    const at = this.#host.clock.now();
    const event = { v: 1, seq: this.#seq + 1, at, run: this.#run, ...place, ...fact } as const;
    const line = Buffer.from(renderEvent(event));
    assert(line.length <= EVENT_BYTES_MAX, `${fact.type} is an event of ${line.length} bytes`);
    this.#checkUntouched();
    this.#write(line);
    this.#seq += 1;
    this.#tipAt = this.#bytes;
    this.#tip = line.subarray(0, -1);
    this.#bytes += line.length;
    return event;
  }

  /** Returns when everything appended is on the disk; a failure is thrown and ends the run. */
  sync(): void {
    this.#file.sync();
  }

  /** Lets readers and the next process start from near here instead of from the first event. */
  snapshot(state: RunState): void {
    const isDue = this.#seq - this.#snapshotSeq >= SNAPSHOT_EVENTS || state.end !== undefined;
    if (this.#tip === undefined || !isDue) return;
    this.#snapshotSeq = this.#seq;
    const text = renderSnapshot({
      seq: this.#seq,
      bytes: this.#bytes,
      tipAt: this.#tipAt,
      tip: checksum(this.#tip.toString("utf8")),
      state,
    });
    this.#host.files.replace(this.#paths.snapshot, text, { mode: FILE_MODE, durability: "cached" });
  }

  /** Gives the reserve back to a full disk, so that the end can still be written; a half-written line goes too. */
  makeRoom(): void {
    this.#host.files.remove(this.#paths.reserve);
    this.#cutBack();
  }

  close(): void {
    this.#file.close();
  }

  #write(line: Buffer): void {
    try {
      this.#file.write(line);
    } catch (error) {
      this.#cutBack();
      throw error;
    }
  }

  /** Half a line goes: the log ends with a whole event, and the next append finds it as long as it should be. */
  #cutBack(): void {
    const { size, isLinked } = this.#file.look();
    if (isLinked && size > this.#bytes) this.#file.cut(this.#bytes);
  }

  #checkUntouched(): void {
    const { size, isLinked } = this.#file.look();
    if (size === this.#bytes && isLinked) return;
    const what = isLinked ? `is ${size} bytes long and should be ${this.#bytes}` : "was removed";
    throw new JournalTouched(
      `the log ${this.#paths.events} ${what}: somebody else changed it while the run was under way`,
    );
  }

  #keepReserve(): void {
    if (this.#host.files.kind(this.#paths.reserve) !== undefined) return;
    const bytes = Buffer.alloc(RESERVE_BYTES);
    this.#host.files.replace(this.#paths.reserve, bytes, { mode: FILE_MODE, durability: "cached" });
  }
}
