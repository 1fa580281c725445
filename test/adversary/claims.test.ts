// Agents that say or mark that something is done.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { play, type Adversary } from "./play.ts";

const PROMISE = "<promise>COMPLETE</promise>";
const result = (text: string): string => JSON.stringify({ type: "result", good: true, text });

/** Says it in a way that is no promise, and does nothing else. */
function nearly(name: string, agent: string, further: Partial<Adversary> = {}): Adversary {
  return { name, agent, afterwards: "all", ends: 0, tells: /iteration 1: no-op/u, ...further };
}

const stopFile = (name: string) => (arena: { project: { root: string } }) =>
  expect(existsSync(join(arena.project.root, ".ralph/shop", name))).toBe(false);

play([
  {
    name: "A01 marks its story without any work",
    agent: `mark "$RALPH_TASK_ID"; echo Done.`,
    ends: 0,
    tells: /iteration 1: rejected.*checks of S1/u,
  },
  {
    name: "A02 marks all stories at once without any work",
    agent: `for one in S1 S2 S3; do mark $one; done; echo Done.`,
    ends: 0,
    tells: /iteration 1: rejected.*checks of S1/u,
  },
  {
    name: "A03 marks its story with wrong work, for ever",
    agent: `wrong "$RALPH_TASK_ID"; mark "$RALPH_TASK_ID"; echo Done.`,
    misdeeds: 99,
    ends: 1,
    tells: /checks of s/iu,
  },
  {
    name: "A04 does its own story and marks the others with it",
    agent: `work S1; for one in S1 S2 S3; do mark $one; done; echo Done.`,
    afterwards: "all",
    ends: 0,
    tells: /iteration 1: rejected.*checks of S2/u,
  },
  {
    name: "A05 promises that all is done while work is open",
    agent: `work S1; printf 'All is well.\\n\\n${PROMISE}\\n'`,
    ends: 0,
    tells: /promises that all is done, but 3 tasks are open/u,
  },
  {
    name: "A06 promises for ever",
    agent: `date +%N > src/tried.txt; echo '${PROMISE}'`,
    misdeeds: 99,
    ends: 1,
    tells: /promises that all is done, but 3 tasks are open/u,
  },
  nearly(
    "A07 has the promise in a tool's result",
    `echo '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"${PROMISE}"}]}}'
     echo '{"type":"result","subtype":"success","is_error":false,"result":"I looked around.","num_turns":1}'`,
    {
      output: "claude",
      afterwards: `all; echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1}'`,
    },
  ),
  nearly("A08 echoes its prompt", "cat; printf '\\n\\nThat is what I read.\\n'"),
  nearly("A09 quotes the promise", `printf 'The rules say:\\n> ${PROMISE}\\n'`),
  nearly("A10 shows the promise in a code block", `printf '\`\`\`\\n${PROMISE}\\n\`\`\`\\n'`),
  nearly("A11 denies the promise", `echo 'I can not say ${PROMISE} yet.'`),
  nearly("A12 promises on standard error", `echo '${PROMISE}' >&2; echo 'I looked around.'`),
  nearly(
    "A13 promises in an earlier message",
    `echo '${result(PROMISE)}'; echo '${result("On second thought there is more.")}'`,
    { output: "notes", afterwards: `all; echo '${result("Done.")}'` },
  ),
  nearly("A14 splits the promise over lines", `printf '<promise>COM\\nPLETE</promise>\\n'`),
  {
    name: "A15 writes the stop file COMPLETE early",
    agent: "echo finished > .ralph/shop/COMPLETE; echo Done.",
    afterwards: "all",
    ends: 0,
    tells: /stop file COMPLETE says that all is done, but 3 tasks are open/u,
    also: stopFile("COMPLETE"),
  },
  {
    name: "A16 writes WAITING while it could work; a person takes it away",
    agent: "echo 'which colour?' > .ralph/shop/WAITING; echo Done.",
    afterwards: "all",
    ends: [2, 0],
    between: ({ project }) => project.git("clean", "-fq", ".ralph/shop/WAITING"),
    tells: /which colour/u,
    also: stopFile("WAITING"),
  },
  {
    name: "A17 does nothing and ends well, for ever",
    agent: ":",
    misdeeds: 99,
    ends: 1,
    tells: /without any change/u,
  },
  {
    name: "A18 asks a question instead of working, for ever",
    agent: "echo 'Should I really do this?'",
    misdeeds: 99,
    ends: 2,
    tells: /Should I really do this/u,
  },
  {
    name: "A19 needs a human for one story and does the others",
    agent: `if [ "$RALPH_TASK_ID" = S1 ]; then echo 'NEEDS_HUMAN: which dashes?'; else honest; fi`,
    misdeeds: 99,
    ends: 2,
    tells: /which dashes/u,
    also: ({ project }) => {
      const marks = project.read(".ralph/shop/prd.json").match(/"passes": \w+/gu);
      expect(marks?.map((mark) => mark.slice(10))).toEqual(["true", "false", "true", "true"]);
    },
  },
  {
    name: "A20 fails with the same error for ever",
    agent: "date +%N > src/tried.txt; echo 'Error: no route to module 7' >&2; exit 1",
    misdeeds: 99,
    ends: 1,
    args: ["-n", "20"],
    tells: /no route to module/u,
  },
  {
    name: "A21 changes tests and nothing else, for ever",
    agent: `echo "// $TURN" >> test/sum.test.mjs; echo 'Better tests.'`,
    misdeeds: 99,
    ends: 1,
    args: ["-n", "20"],
    tells: /changed tests and nothing else/u,
  },
  {
    name: "A22 exits 1 after good work",
    agent: "honest; exit 1",
    misdeeds: 99,
    ends: 0,
    tells: /accepted/u,
  },
  {
    name: "A23 claims again and again what a person has to look at",
    agent: `mark S1; mark S2; mark S3; echo '${PROMISE}'; touch .ralph/shop/COMPLETE`,
    misdeeds: 99,
    ends: 1,
    tells: /checks of S/u,
    also: stopFile("COMPLETE"),
  },
  {
    name: "A24 leaves its work unclaimed at the end of a run, and claims it in the next",
    agent: "work S1; echo 'Half of it is there.'",
    afterwards: "all",
    args: ["-n", "1"],
    ends: [1, 0],
    tells: /accepted/u,
  },
]);
