// One run at a time in a working tree. The lock tells who holds it; a dead holder is succeeded by exactly one heir.

import * as z from "zod/mini";
import { renderDuration } from "../../std/duration.ts";
import { err, ok, type Result } from "../../std/result.ts";
import type { Host } from "../host/host.ts";
import { FOLDER_MODE } from "./run-paths.ts";
import { basename, dirname, join } from "node:path";

/** Who holds a lock, with all that is needed to tell a living holder from a dead one. */
export const LockOwner = z.object({
  v: z.literal(1),
  pid: z.int(),
  startTime: z.string(),
  bootId: z.string(),
  host: z.string(),
  run: z.string(),
  at: z.number(),
  /** Unique to this holding, so that a successor can name it. */
  nonce: z.string(),
});
export type LockOwner = z.infer<typeof LockOwner>;

/** Why a lock was not given. */
export interface LockRefusal {
  readonly owner: LockOwner;
  readonly why: "alive" | "other-host";
}

/** A lock that is wanted. */
export interface LockRequest {
  readonly path: string;
  readonly run: string;
  /** Whether a holder on another machine, which cannot be looked at, is believed to be dead. */
  readonly otherHost: "refuse" | "take-over";
}

/** Enough to outlast another process that is just being made the heir. */
const TRIES_MAX = 2000;

export function takeLock(host: Host, request: LockRequest): Result<Lock, LockRefusal> {
  host.files.makeFolder(dirname(request.path), FOLDER_MODE);
  const owner = describeSelf(host, request.run);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    if (create(host, request.path, owner)) return ok(new Lock(host, request.path, owner));
    const holder = readOwner(host, request.path);
    if (holder === undefined) continue;
    const refusal = refusalBy(host, holder, request);
    if (refusal !== undefined) return err(refusal);
    succeed(host, request.path, holder, owner);
    if (readOwner(host, request.path)?.nonce === owner.nonce) {
      return ok(new Lock(host, request.path, owner));
    }
  }
  const holder = readOwner(host, request.path) ?? owner;
  return err({ owner: holder, why: "alive" });
}

/** The living holder of a lock, if there is one. */
export function readHolder(host: Host, path: string): LockOwner | undefined {
  const owner = readOwner(host, path);
  if (owner === undefined) return undefined;
  return owner.host === host.hostName && !isAlive(host, owner) ? undefined : owner;
}

export function renderRefusal(refusal: LockRefusal, now: number): string {
  const { owner, why } = refusal;
  const since = renderDuration(now - owner.at);
  const who = `run ${owner.run} (pid ${owner.pid} on ${owner.host}, for ${since})`;
  return why === "alive"
    ? `another run works in this tree: ${who}`
    : `a run on another machine holds this tree: ${who}; whether it lives cannot be seen from here`;
}

/** A lock that is held. */
export class Lock {
  readonly owner: LockOwner;
  readonly #host: Host;
  readonly #path: string;

  constructor(host: Host, path: string, owner: LockOwner) {
    this.owner = owner;
    this.#host = host;
    this.#path = path;
  }

  release(): void {
    if (readOwner(this.#host, this.#path)?.nonce !== this.owner.nonce) return;
    sweep(this.#host, this.#path, this.owner);
    this.#host.files.remove(this.#path);
  }
}

/**
 * Puts `heir` in the place of a dead holder. The right to do so is itself a file, named after the holding it
 * succeeds and created only once; where a would-be heir died holding it, the right to succeed *him* is what counts.
 */
function succeed(host: Host, path: string, dead: LockOwner, heir: LockOwner): void {
  const right = `${path}.after-${dead.nonce}`;
  if (!create(host, right, heir)) {
    const other = readOwner(host, right);
    if (other === undefined || isAlive(host, other)) return;
    succeed(host, right, other, heir);
    if (readOwner(host, right)?.nonce !== heir.nonce) return;
  }
  // A second look: the holder may have been succeeded between the first one and the right.
  if (readOwner(host, path)?.nonce === dead.nonce) {
    host.files.replace(path, render(heir), { mode: 0o600, durability: "synced" });
  }
  host.files.remove(right);
}

/**
 * Removes what killed contenders have left beside the lock. Only for its holder: while he lives, a right to succeed
 * somebody before him is void, whoever has it.
 */
function sweep(host: Host, path: string, holder: LockOwner): void {
  const name = basename(path);
  for (const entry of host.files.list(dirname(path))) {
    const file = join(dirname(path), entry);
    const isRight = entry.startsWith(`${name}.after-`) && !entry.endsWith(".tmp");
    const isVoid = isRight && !entry.startsWith(`${name}.after-${holder.nonce}`);
    // One that is just being written has a living owner, or nothing in it yet.
    const isUnfinished = entry.startsWith(`${name}.`) && entry.endsWith(".tmp");
    const isDead = isUnfinished && isLeftBehind(host, file);
    if (isVoid || isDead || entry === `.${name}.ralph-tmp`) host.files.remove(file);
  }
}

function isLeftBehind(host: Host, file: string): boolean {
  const owner = readOwner(host, file);
  return owner !== undefined && owner.pid !== 0 && !isAlive(host, owner);
}

function refusalBy(host: Host, owner: LockOwner, request: LockRequest): LockRefusal | undefined {
  if (owner.host !== host.hostName) {
    return request.otherHost === "take-over" ? undefined : { owner, why: "other-host" };
  }
  return isAlive(host, owner) ? { owner, why: "alive" } : undefined;
}

function isAlive(host: Host, owner: LockOwner): boolean {
  if (owner.bootId !== host.processes.bootId()) return false;
  return host.processes.find(owner.pid)?.startTime === owner.startTime;
}

function describeSelf(host: Host, run: string): LockOwner {
  return {
    v: 1,
    pid: host.pid,
    startTime: host.processes.find(host.pid)?.startTime ?? "",
    bootId: host.processes.bootId(),
    host: host.hostName,
    run,
    at: host.clock.now(),
    nonce: host.random(12),
  };
}

function create(host: Host, path: string, owner: LockOwner): boolean {
  return host.files.createWhole(path, render(owner), `${path}.${owner.nonce}.tmp`);
}

function render(owner: LockOwner): string {
  return `${JSON.stringify(owner)}\n`;
}

function readOwner(host: Host, path: string): LockOwner | undefined {
  const text = host.files.readText(path);
  if (text === undefined) return undefined;
  try {
    return LockOwner.parse(JSON.parse(text));
  } catch {
    // A lock nobody can read was not written by us; it is treated as one of an unknown holder that is gone.
    return {
      v: 1,
      pid: 0,
      startTime: "",
      bootId: "",
      host: host.hostName,
      run: "unknown",
      at: 0,
      nonce: "unreadable",
    };
  }
}
