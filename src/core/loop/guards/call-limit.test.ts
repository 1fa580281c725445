import { expect, test } from "vitest";
import {
  afterAgent,
  exit,
  finished,
  given,
  reading,
  tasks,
  worked,
} from "../../../../test/given.ts";
import { HOUR_MS } from "../../../std/duration.ts";

const limited = () => {
  const one = finished(afterAgent(exit(), worked(), given({ callsPerHourMax: 2 })));
  return finished(afterAgent(exit(), worked(), one));
};

test("holds the run until the oldest start of the last hour is an hour old", () => {
  const now = limited();
  const [oldest] = now.state.calls;
  now.orders({
    type: "wait-until",
    until: (oldest ?? 0) + HOUR_MS,
    reason: "2 agent starts within an hour",
  });
});

test("lets the run go on after the wait, and then counts on", () => {
  const until = (limited().state.calls[0] ?? 0) + HOUR_MS;
  const waited = limited()
    .and({ type: "wait-started", until, reason: "test" })
    .and({ type: "wait-ended" }, until - limited().state.now - 1_000)
    .orders({ type: "run-iteration", n: 3 });
  const third = finished(afterAgent(exit(), worked(), waited));
  expect(third.state.calls).toHaveLength(2);
  expect(third.state.calls[0]).toBe(limited().state.calls[1]);
});

test("counts the starts of other runs in the same tree", () => {
  const calls = [999_000, 999_500];
  given({ callsPerHourMax: 2 }, { calls }).orders({
    type: "wait-until",
    until: 999_000 + HOUR_MS,
  });
  given({ callsPerHourMax: 3 }, { calls }).orders({ type: "run-iteration" });
});

test("takes the starts that a resumed run is told, and keeps its own where none are told", () => {
  const stop = {
    type: "control-received",
    id: "1",
    control: { type: "stop", when: "after-iteration", signal: "SIGINT", from: "test" },
  } as const;
  limited().and(stop).resumed().orders({ type: "wait-until" });
  limited().and(stop).resumed({ calls: [] }).orders({ type: "run-iteration" });
});

test("counts a start whatever came of it", () => {
  const failed = exit({ code: 1, limit: { kind: "rate", text: "limit" } });
  const now = finished(afterAgent(failed, worked(), given({ callsPerHourMax: 1 })));
  now.orders({ type: "wait-until", reason: "1 agent start within an hour" });
});

test("does not hold the last look when nothing is open", () => {
  const now = limited()
    .and({ type: "iteration-started", reason: "test" })
    .answered({ type: "project-read", reading: reading({ tasks: tasks() }) });
  expect(now.state.tasks?.open).toBe(0);
  now.ended().orders({ type: "end", end: { reason: "complete" } });
});

test("remembers no more starts than it counts", () => {
  let now = given({ callsPerHourMax: 3 });
  for (let i = 0; i < 3; i++) now = finished(afterAgent(exit(), worked(), now));
  expect(now.state.calls).toHaveLength(3);
});
