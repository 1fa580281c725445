import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Machine, newFolder, NOW, testHost } from "../../../test/rig/host.ts";
import { readHolder, renderRefusal, takeLock } from "./lock.ts";

const living = { 100: "t100", 200: "t200" };
const as = (pid: number, machine: Machine = {}) => testHost({ pid, living, ...machine });
const request = (folder: string, run = "run-1") =>
  ({ path: join(folder, "locks", "tree.lock"), run, otherHost: "refuse" }) as const;

function taken(result: ReturnType<typeof takeLock>) {
  if (!result.ok) throw new Error(`refused: ${result.error.why}`);
  return result.value;
}

test("a free lock is given, tells its holder, and is gone when released", () => {
  const folder = newFolder();
  const lock = taken(takeLock(as(100), request(folder)));
  expect(readHolder(as(200), request(folder).path)).toEqual({
    v: 1,
    pid: 100,
    startTime: "t100",
    bootId: "this boot",
    host: "here",
    run: "run-1",
    at: NOW,
    nonce: lock.owner.nonce,
  });
  lock.release();
  expect(readdirSync(join(folder, "locks"))).toEqual([]);
});

test("a living holder is named in the refusal", () => {
  const folder = newFolder();
  taken(takeLock(as(100), request(folder)));
  const refused = takeLock(as(200), request(folder, "run-2"));
  expect(refused).toMatchObject({ ok: false, error: { why: "alive", owner: { pid: 100 } } });
  if (refused.ok) return;
  expect(renderRefusal(refused.error, NOW + 65_000)).toBe(
    "another run works in this tree: run run-1 (pid 100 on here, for 1m 05s)",
  );
});

test.each<[string, Machine]>([
  ["is dead", { living: { 200: "t200" } }],
  ["was used again by another process", { living: { 100: "later", 200: "t200" } }],
  ["belongs to an earlier boot", { bootId: "another boot" }],
])("a holder whose pid %s is succeeded", (_, machine) => {
  const folder = newFolder();
  taken(takeLock(as(100), request(folder)));
  const heir = as(200, machine);
  expect(readHolder(heir, request(folder).path)).toBeUndefined();
  const lock = taken(takeLock(heir, request(folder, "run-2")));
  expect(readHolder(heir, request(folder).path)).toMatchObject({ pid: 200, run: "run-2" });
  lock.release();
  expect(readdirSync(join(folder, "locks"))).toEqual([]);
});

test("a holder on another machine is refused unless it is known to be dead", () => {
  const folder = newFolder();
  taken(takeLock(as(100, { hostName: "there" }), request(folder)));
  const refused = takeLock(as(200), request(folder));
  expect(refused).toMatchObject({ ok: false, error: { why: "other-host" } });
  const lock = taken(takeLock(as(200), { ...request(folder), otherHost: "take-over" }));
  expect(lock.owner.pid).toBe(200);
});

test("one who has lost the lock does not release his successor's", () => {
  const folder = newFolder();
  const lost = taken(takeLock(as(100), request(folder)));
  taken(takeLock(as(200, { living: { 200: "t200" } }), request(folder, "run-2")));
  lost.release();
  expect(readHolder(as(200), request(folder).path)).toMatchObject({ run: "run-2" });
});

test("a would-be heir that died holding the right is succeeded itself, and leaves nothing", () => {
  const folder = newFolder();
  const { path } = request(folder);
  const dead = taken(takeLock(as(100), request(folder))).owner;
  const right = `${path}.after-${dead.nonce}`;
  writeFileSync(right, JSON.stringify({ ...dead, pid: 300, nonce: "heirheirheir" }));
  const lock = taken(takeLock(as(200, { living: { 200: "t200" } }), request(folder)));
  expect(lock.owner.pid).toBe(200);
  lock.release();
  expect(readdirSync(join(folder, "locks"))).toEqual([]);
});

test("a living heir who is about to take over is waited for, not overtaken", () => {
  const folder = newFolder();
  const { path } = request(folder);
  const dead = taken(takeLock(as(100), request(folder))).owner;
  const heir = { ...dead, pid: 300, startTime: "t300", nonce: "heirheirheir" };
  writeFileSync(`${path}.after-${dead.nonce}`, JSON.stringify(heir));
  const host = as(200, { living: { 200: "t200", 300: "t300" } });
  // It looks thousands of times, and each time waits for the disk: here it does not.
  const createWhole = (file: string): boolean => !existsSync(file);
  const refused = takeLock({ ...host, files: { ...host.files, createWhole } }, request(folder));
  expect(refused.ok).toBe(false);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: 100 });
});

test("on release what killed contenders left goes, what living ones write stays", () => {
  const folder = newFolder();
  const { path } = request(folder);
  const lock = taken(takeLock(as(100), request(folder)));
  const file = (pid: number, startTime: string) =>
    JSON.stringify({ ...lock.owner, pid, startTime, nonce: `nonce-of-${pid}` });
  writeFileSync(`${path}.after-somebodyelse`, file(300, "t300"));
  writeFileSync(`${path}.deaddeaddead.tmp`, file(300, "t300"));
  writeFileSync(`${path}.livelivelive.tmp`, file(200, "t200"));
  writeFileSync(`${path}.justbegun000.tmp`, "");
  writeFileSync(join(folder, "locks", ".tree.lock.ralph-tmp"), "{");
  writeFileSync(join(folder, "locks", "other.lock"), file(200, "t200"));
  lock.release();
  expect(readdirSync(join(folder, "locks")).toSorted()).toEqual([
    "other.lock",
    "tree.lock.justbegun000.tmp",
    "tree.lock.livelivelive.tmp",
  ]);
});

test("a lock nobody can read is succeeded", () => {
  const folder = newFolder();
  taken(takeLock(as(100), request(folder)));
  writeFileSync(request(folder).path, "{half");
  expect(taken(takeLock(as(200), request(folder))).owner.pid).toBe(200);
});
