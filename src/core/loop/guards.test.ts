import { describe, expect, test } from "vitest";
import {
  afterAgent,
  exit,
  finished,
  gate,
  given,
  marked,
  worked,
  type Given,
} from "../../../test/given.ts";
import type { AgentExit } from "../schema/event.ts";

const told = (costUsd: number): AgentExit => exit({ result: { good: true, text: "ok", costUsd } });
const used = (input: number, output: number): AgentExit =>
  exit({ result: { good: true, text: "ok", tokens: { input, output, cached: 9_999 } } });
const after = (how: AgentExit, from: Given): Given => finished(afterAgent(how, worked(), from));
const over = (detail: string) => ({
  type: "end",
  end: { reason: "budget-used-up", exitCode: 3, detail },
});

describe("the money", () => {
  test("of a run ends it when it is used up, over all iterations", () => {
    const one = after(told(0.6), given({ budget: { usdMax: 1 } })).orders({
      type: "run-iteration",
    });
    after(told(0.6), one).orders(over("$1.20 of $1.00 used, as told by the agent"));
  });

  test("of a feature counts earlier runs", () => {
    const from = given({ budget: { featureUsdMax: 5 } }, { inherited: { costUsd: 4.5 } });
    from.orders({ type: "run-iteration" });
    after(told(0.5), from).orders(over("$5.00 of $5.00 of the feature used, as told by the agent"));
  });

  test("of a feature that is used up lets no agent start at all", () => {
    given({ budget: { featureUsdMax: 5 } }, { inherited: { costUsd: 5 } }).orders({
      type: "end",
      end: { reason: "budget-used-up" },
    });
  });

  test("nobody has told stays unknown and ends nothing", () => {
    const silent = after(exit(), given({ budget: { usdMax: 0.01 } }));
    expect(silent.state.costUsd).toBeUndefined();
    silent.orders({ type: "run-iteration" });
  });
});

describe("the tokens", () => {
  test("of a run are input and output together, without what was cached", () => {
    const one = after(used(60, 30), given({ budget: { tokensMax: 100 } }));
    expect(one.state.tokens).toBe(90);
    one.orders({ type: "run-iteration" });
    after(used(5, 5), one).orders(over("100 of 100 tokens used"));
  });

  test("of a feature count earlier runs", () => {
    const from = given({ budget: { featureTokensMax: 100 } }, { inherited: { tokens: 95 } });
    after(used(3, 2), from).orders(over("100 of 100 tokens of the feature used"));
  });
});

describe("the iterations", () => {
  test("that are used up end a run with work open", () => {
    after(exit(), given({ iterationMax: 1 })).orders({
      type: "end",
      end: {
        reason: "iterations-used-up",
        exitCode: 1,
        detail: "1 of 1 iteration used, 2 tasks open",
      },
    });
  });

  test("that are used up do not keep a last look from happening when nothing is open", () => {
    const from = given({ iterationMax: 1, gates: [gate("tests")] });
    const now = afterAgent(exit(), marked(["A", "B"], []), from, { red: ["tests"] }).gate("red");
    finished(now).orders({ type: "run-iteration", n: 2 });
  });

  test("count on over a restart", () => {
    const one = after(exit(), given({ iterationMax: 2 }));
    after(exit(), one.crashed()).orders({ type: "end", end: { reason: "iterations-used-up" } });
  });
});

test("the breaker speaks before the caps, and every cap before a wait", () => {
  const from = given({ iterationMax: 1, callsPerHourMax: 1 });
  after(exit(), from).orders({ type: "end", end: { reason: "iterations-used-up" } });
});
