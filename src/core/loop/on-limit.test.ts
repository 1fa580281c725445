import { expect, test } from "vitest";
import { afterAgent, change, exit, finished, given, type Given } from "../../../test/given.ts";
import type { Config } from "../schema/config.ts";
import type { LimitAnswer } from "../schema/control.ts";
import { HOUR_MS } from "../../std/duration.ts";

/** A run whose agent has just come to a usage limit. */
function limited(onLimit: Config["onLimit"], resetsInMs?: number, config?: Partial<Config>): Given {
  const start = given({ onLimit, ...config });
  const resetsAt = resetsInMs === undefined ? {} : { resetsAt: start.state.now + resetsInMs };
  const limit = { kind: "usage", text: "limit", ...resetsAt } as const;
  return finished(afterAgent(exit({ code: 1, limit }), change(), start));
}

const says = (answer: LimitAnswer) =>
  ({
    type: "control-received",
    id: "1",
    control: { type: "answer", answer, from: "a person" },
  }) as const;

test("wait: the run waits, an hour where no time was told", () => {
  const now = limited("wait");
  now.orders({ type: "wait-until", until: now.state.now + HOUR_MS });
});

test("exit: the run ends at the limit, and goes on when it is started again after it", () => {
  const now = limited("exit");
  now.orders({ type: "end", end: { reason: "usage-limit", exitCode: 2 } });
  now.resumed().orders({ type: "end", end: { reason: "usage-limit" } });
  const later = now
    .resumed()
    .and({ type: "config-changed", config: now.state.config, changed: [] }, HOUR_MS);
  later.orders({ type: "run-iteration" });
});

test("ask: a person has 30 seconds to say whether to wait for the whole time", () => {
  const now = limited("ask");
  const { state } = now;
  now.orders({
    type: "wait-until",
    until: state.now + 30_000,
    question: { until: state.now + HOUR_MS },
  });
  now
    .and({ type: "wait-started", until: state.now + 30_000, reason: "" }, 0)
    .and({ type: "wait-ended" }, 30_000)
    .orders({ type: "end", end: { reason: "usage-limit", exitCode: 2 } });
});

test("ask: nobody is kept from answering by another wait", () => {
  limited("ask", undefined, { callsPerHourMax: 1 }).orders({
    type: "wait-until",
    question: expect.anything(),
  });
});

test("ask: whoever says wait waits, and is not asked again", () => {
  const now = limited("ask");
  const until = now.state.now + HOUR_MS;
  const waiting = now.and(says("wait"));
  waiting.orders({ type: "wait-until", until });
  expect(waiting.and({ type: "wait-ended" }, 60_000).state.notBefore?.limit?.answer).toBe("wait");
  waiting.and({ type: "wait-ended" }, 60_000).orders({ type: "wait-until", until });
});

test("ask: whoever says exit ends the run", () => {
  limited("ask")
    .and(says("exit"))
    .orders({ type: "end", end: { reason: "usage-limit" } });
});

test("ask: a run that is started again asks again, with the whole time to answer", () => {
  const again = limited("ask").and(says("exit")).resumed();
  again.orders({ type: "wait-until", until: again.state.now + 30_000, question: {} });
});

test("ask: a limit that is over before anybody could answer is waited for", () => {
  const now = finished(
    afterAgent(
      exit({ code: 1, limit: { kind: "usage", text: "limit" } }),
      change(),
      given({ onLimit: "ask", limitWaitMs: 20_000 }),
    ),
  );
  now.orders({ type: "wait-until", until: now.state.now + 20_000 });
  expect(now.state.notBefore?.limit).toBeDefined();
});

test("an answer that nobody waits for changes nothing, and no other wait is asked about", () => {
  const before = given({ onLimit: "exit", pauseMs: 60_000 });
  expect(before.and(says("exit")).state.notBefore).toBeUndefined();
  const paused = finished(afterAgent(exit(), change(), before)).and(says("exit"));
  paused.orders({ type: "wait-until", reason: "pause between iterations" });
});

test("ask: where nobody sits the run waits, and whoever comes to it later is asked", () => {
  const start = given({ onLimit: "ask" }, { unattended: true });
  const alone = finished(
    afterAgent(exit({ code: 1, limit: { kind: "usage", text: "limit" } }), change(), start),
  );
  alone.orders({ type: "wait-until", until: alone.state.now + HOUR_MS });
  const came = alone.and({ type: "run-resumed", program: "test", argv: [] });
  came.orders({ type: "wait-until", question: expect.anything() });
});
