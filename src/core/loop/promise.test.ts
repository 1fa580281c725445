import { describe, expect, test } from "vitest";
import { findSignal, hasPromise, plainLines } from "./promise.ts";

const PROMISE = "<promise>COMPLETE</promise>";
const FOUR = "````";
const THREE = "```";

test.each([
  "<promise>COMPLETE</promise>",
  "Everything is done.\n\n  <promise>COMPLETE</promise>  \n",
  "COMPLETE",
  "<promise>COMPLETE: all five stories</promise>",
  "COMPLETE: all five stories",
  "done\r\n<promise>COMPLETE</promise>\r\n",
  `${THREE}\ncode\n${THREE}\n<promise>COMPLETE</promise>`,
  `${THREE}inline${THREE} is no block\n<promise>COMPLETE</promise>`,
  "<promise> COMPLETE </promise>",
])("is found in %j", (text) => {
  expect(hasPromise(text, PROMISE)).toBe(true);
  expect(hasPromise(text, "COMPLETE")).toBe(true);
});

describe("is not found in", () => {
  test.each([
    ["nothing", ""],
    ["an echo of the prompt", "When all is done, say <promise>COMPLETE</promise> and stop."],
    ["what will be said later", "I will say <promise>COMPLETE</promise> when I am done."],
    ["a quote", "> <promise>COMPLETE</promise>"],
    ["a quote in a quote", "  > > <promise>COMPLETE</promise>"],
    ["quotation marks", '"<promise>COMPLETE</promise>"'],
    ["a block", `${THREE}\n<promise>COMPLETE</promise>\n${THREE}`],
    ["a block with a language", `${THREE}text\nCOMPLETE\n${THREE}`],
    ["a block of tildes", "~~~\nCOMPLETE\n~~~"],
    ["a block in a longer block", `${FOUR}\n${THREE}\nCOMPLETE\n${THREE}\n${FOUR}`],
    ["a block that shows how one begins", `${THREE}\n${THREE}text\nCOMPLETE\n${THREE}`],
    ["a block that shows the other fence", `${THREE}\n~~~\nCOMPLETE\n~~~\n${THREE}`],
    ["a block that nothing closes", `${THREE}\nCOMPLETE`],
    ["indented code", "An example:\n\n    <promise>COMPLETE</promise>"],
    ["code after a tab", "An example:\n\n\tCOMPLETE"],
    ["a negation", "not <promise>COMPLETE</promise>"],
    ["a negation of the word", "not COMPLETE"],
    ["a negation after it", "<promise>COMPLETE</promise> is not true yet"],
    ["a negation in the tags", "<promise>NOT COMPLETE</promise>"],
    ["inline code", "`<promise>COMPLETE</promise>`"],
    ["inline code of the word", "`COMPLETE`"],
    ["a longer word", "COMPLETELY done"],
    ["another word", "INCOMPLETE"],
    ["small letters", "complete"],
    ["a word with a colon and nothing after it", "COMPLETE:all"],
    ["half a tag", "<promise>COMPLETE"],
    ["two on one line", "<promise>COMPLETE</promise><promise>COMPLETE</promise>"],
    ["a list", "- COMPLETE"],
  ])("%s", (_, text) => {
    expect(hasPromise(text, PROMISE)).toBe(false);
  });
});

test("an empty promise is never found", () => {
  expect(hasPromise("\n\n", "")).toBe(false);
  expect(hasPromise("<promise></promise>", "<promise></promise>")).toBe(false);
});

test("the first message of a signal is what counts", () => {
  expect(findSignal("NEEDS_HUMAN: which bank?\nNEEDS_HUMAN: again", "NEEDS_HUMAN")).toBe(
    "which bank?",
  );
  expect(findSignal("NEEDS_HUMAN", "NEEDS_HUMAN")).toBe("");
  expect(findSignal("no", "NEEDS_HUMAN")).toBeUndefined();
});

test("signs that mean something in a pattern are taken as they are", () => {
  expect(hasPromise("D.NE", "D.NE")).toBe(true);
  expect(hasPromise("DONE", "D.NE")).toBe(false);
});

test("plain lines are those outside of quotes and code", () => {
  expect(plainLines(`a\n${THREE}\nb\n${THREE}\n> c\n    d\ne`)).toEqual(["a", "e"]);
});
