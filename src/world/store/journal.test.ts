import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { expect, test } from "vitest";
import { newFolder, testHost } from "../../../test/rig/host.ts";
import { renderRunId, type RunId } from "../../core/schema/ids.ts";
import type { Fact } from "../../core/schema/event.ts";
import { reduce } from "../../core/loop/reduce.ts";
import type { RunState } from "../../core/loop/state.ts";
import { Journal, JournalTouched } from "./journal.ts";
import { readTip } from "./read-log.ts";
import { runPaths, type RunPaths } from "./run-paths.ts";

const run: RunId = renderRunId(0, "abcd");
const started: Fact = {
  type: "run-started",
  program: "1",
  argv: [],
  layout: "hybrid",
  feature: "shop",
  tree: "/x",
  config: {
    agent: { name: "scripted", arguments: [] },
    iterationMax: 2,
    clocks: { graceMs: 1, wallMs: 1 },
    gates: [],
    promise: "DONE",
    permissions: "listed",
    allowedTools: "",
    limitWaitMs: 1,
    limitMarginMs: 1,
    pauseMs: 0,
    keepIterations: 1,
    promptTokensMax: 500,
    gateTimeoutMs: 1,
    callsPerHourMax: 1,
    breaker: { idleMax: 1, sameErrorMax: 1 },
    parking: { rejectedMax: 1, testOnlyMax: 1, warnAfter: 1, deferAfter: 1 },
    budget: {},
    onLimit: "wait",
    promptTemplate: "default",
  },
};
const resumed: Fact = { type: "run-resumed", program: "1", argv: [] };
const ended: Fact = { type: "run-ended", reason: "stopped", exitCode: 130, detail: "" };

function given(host = testHost()): { journal: Journal; paths: RunPaths } {
  const paths = runPaths(newFolder(), run);
  return { journal: new Journal(host, paths, { run, seq: 0, bytes: 0 }), paths };
}

test("facts become numbered lines", () => {
  const { journal, paths } = given();
  journal.append(started, {});
  journal.append(resumed, { iteration: 1 });
  const lines = readFileSync(paths.events, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { v: 1, seq: 1, run, type: "run-started" },
    { v: 1, seq: 2, run, type: "run-resumed", iteration: 1 },
  ]);
});

test("the record is closed to others", () => {
  const { journal, paths } = given();
  journal.append(started, {});
  expect(statSync(paths.folder).mode & 0o777).toBe(0o700);
  expect(statSync(paths.events).mode & 0o777).toBe(0o600);
});

test.each<[string, (path: string) => void]>([
  ["longer", (path) => appendFileSync(path, "{}\n")],
  ["shorter", (path) => truncateSync(path, 10)],
  ["gone", (path) => rmSync(path)],
])("a log that somebody made %s is not written to again", (_, touch) => {
  const { journal, paths } = given();
  journal.append(started, {});
  touch(paths.events);
  expect(() => journal.append(resumed, {})).toThrow(JournalTouched);
});

test("what a crash tore is cut when the log is opened", () => {
  const { journal, paths } = given();
  journal.append(started, {});
  const whole = readFileSync(paths.events, "utf8");
  appendFileSync(paths.events, '{"v":1,"seq":2');
  const again = new Journal(testHost(), paths, { run, seq: 1, bytes: whole.length });
  again.append(resumed, {});
  expect(readFileSync(paths.events, "utf8").startsWith(whole)).toBe(true);
  expect(readTip(testHost(), paths)).toMatchObject({ ok: true, value: { seq: 2 } });
});

test("a line that the disk took only half of is taken back, and the reserve makes room for the end", () => {
  const host = testHost();
  let isFull = false;
  const files = {
    ...host.files,
    openAppender: (path: string, mode: number) => {
      const file = host.files.openAppender(path, mode);
      const write = file.write.bind(file);
      file.write = (bytes) => {
        if (!isFull) return write(bytes);
        write(bytes.subarray(0, 20));
        throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
      };
      return file;
    },
  };
  const { journal, paths } = given({ ...host, files });
  journal.append(started, {});
  const whole = readFileSync(paths.events, "utf8");
  isFull = true;
  expect(() => journal.append(resumed, {})).toThrow("ENOSPC");
  expect(readFileSync(paths.events, "utf8")).toBe(whole);
  expect(() => journal.append(resumed, {}), "not taken for somebody else's hand").toThrow("ENOSPC");
  expect(readdirSync(paths.folder)).toContain("reserve");
  isFull = false;
  journal.makeRoom();
  expect(readdirSync(paths.folder)).not.toContain("reserve");
  expect(journal.append(ended, {}).seq).toBe(2);
});

test("a snapshot of the end is what readers start from; one that does not fit the log is not believed", () => {
  const { journal, paths } = given();
  let state: RunState = reduce(undefined, journal.append(started, {}));
  state = reduce(state, journal.append(ended, {}));
  journal.snapshot(state);
  expect(readTip(testHost(), paths)).toMatchObject({
    ok: true,
    value: { seq: 2, state: JSON.parse(JSON.stringify(state)) as RunState },
  });
  // Another log of the same length, and one that is shorter.
  const other = readFileSync(paths.events, "utf8").replace('"exitCode":130', '"exitCode":143');
  writeFileSync(paths.events, other);
  expect(readTip(testHost(), paths)).toMatchObject({
    ok: true,
    value: { seq: 2, state: { end: { exitCode: 143 } } },
  });
  truncateSync(paths.events, readFileSync(paths.events, "utf8").indexOf("\n") + 1);
  expect(readTip(testHost(), paths)).toMatchObject({
    ok: true,
    value: { seq: 1, state: { end: undefined } },
  });
});
