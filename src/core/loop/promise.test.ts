import { expect, test } from "vitest";
import { hasPromise } from "./promise.ts";

const PROMISE = "<promise>COMPLETE</promise>";

test.each([
  "<promise>COMPLETE</promise>",
  "Everything is done.\n\n  <promise>COMPLETE</promise>  \n",
  "COMPLETE",
  "<promise>COMPLETE: all five stories</promise>",
  "COMPLETE: all five stories",
  "done\r\n<promise>COMPLETE</promise>\r\n",
])("is found in %j", (text) => {
  expect(hasPromise(text, PROMISE)).toBe(true);
  expect(hasPromise(text, "COMPLETE")).toBe(true);
});

test.each([
  "",
  "I will say <promise>COMPLETE</promise> when I am done.",
  "> <promise>COMPLETE</promise>",
  "```\n<promise>COMPLETE</promise>\n```",
  "~~~\nCOMPLETE\n~~~",
  "not COMPLETE",
  "COMPLETELY done",
  "INCOMPLETE",
  "<promise>NOT COMPLETE</promise>",
  "`<promise>COMPLETE</promise>`",
  "complete",
])("is not found in %j", (text) => {
  expect(hasPromise(text, PROMISE)).toBe(false);
});
