import { describe, expect, test } from "vitest";
import { exit, said } from "../../../test/given.ts";
import { questionOf } from "./asks.ts";

describe("after work only a message that is nothing but a question counts", () => {
  test.each([
    "Which bank should I use?",
    "Should the price include tax? And in which currency?",
    "Should I use **Postgres** or `SQLite`?",
    "**Do you want me to delete the old table?**",
    'Is the name "shop" or "store"?',
    "Which of these\ntwo do you want me to keep?",
    "Do you want the API versioned? (v1, v2?)",
    "Soll ich die Tabelle löschen?",
    "どの銀行を使いますか？",
    "该用哪个数据库？",
    "## Question\n\nMay I drop the table?",
    "- Which bank?\n- Which currency?",
    "1. Which bank?\n2. Which currency?",
    "Which key?\n\nAnd where is it?",
    "What did you mean by “done”?",
    "Should I?",
  ])("%j asks", (text) => {
    expect(questionOf(said(text), "some")).toBeDefined();
    expect(questionOf(said(text), "none")).toBeDefined();
  });

  test.each([
    "",
    "Done.",
    "I added the form. Shall I go on with the list?",
    "All tests pass now! Anything else?",
    "Here is what I did\n- added the form\n- added a test\n\nShall I go on?",
    "Done so far:\n1. the form\n2. the list\nShall I go on?",
    "フォームを追加しました。続けますか？",
    "完成了表单。要继续吗？",
    "Which bank? I took the first one.",
    "I asked myself: why not? Then I did it.",
    "> Which bank should I use?",
    "```\nWhich bank?\n```",
    "    Which bank should I use?",
    "See https://example.org/?q=1 for more.",
    "The regular expression /colou?r/ is in place",
    "`a?`",
    "What a day?!",
  ])("%j does not ask", (text) => {
    expect(questionOf(said(text), "some")).toBeUndefined();
  });
});

describe("where nothing was done a message that ends with a question asks", () => {
  test.each([
    "I looked at the code. Which bank should I use?",
    "There are two ways.\n\n- one\n- two\n\nWhich do you prefer?",
  ])("%j", (text) => {
    expect(questionOf(said(text), "none")).toBeDefined();
    expect(questionOf(said(text), "some")).toBeUndefined();
  });

  test.each(["Nothing to do.", "Why? Because.", "> Which bank?", ""])("but not %j", (text) => {
    expect(questionOf(said(text), "none")).toBeUndefined();
  });
});

describe("a signal asks, whatever was done", () => {
  test.each([
    ["NEEDS_HUMAN: which bank?", "which bank?"],
    ["I did a lot.\n\nNEEDS_HUMAN: the key is missing", "the key is missing"],
    ["<promise>NEEDS_HUMAN: the key</promise>", "the key"],
    ["NEEDS_HUMAN", "a person is needed; it did not say for what"],
  ])("%j", (text, question) => {
    expect(questionOf(said(text), "some")).toBe(question);
  });

  test.each([
    "I would say NEEDS_HUMAN if I were stuck.",
    "> NEEDS_HUMAN: which bank?",
    "```\nNEEDS_HUMAN\n```",
    "`NEEDS_HUMAN`",
    "not NEEDS_HUMAN",
  ])("but not %j", (text) => {
    expect(questionOf(said(text), "some")).toBeUndefined();
  });
});

test("a question through a tool asks, and the signal's own words come first", () => {
  expect(questionOf(exit({ asked: "Which bank?" }), "some")).toBe("Which bank?");
  const both = { ...said("NEEDS_HUMAN: the key"), asked: "Which bank?" };
  expect(questionOf(both, "some")).toBe("the key");
});

test("a question is one line and bounded, and cannot drive a terminal", () => {
  const long = questionOf(said(`${"very \u{1B}[31m\n".repeat(500)}long?`), "none") ?? "";
  expect(long.length).toBeLessThanOrEqual(500);
  expect(long).not.toMatch(/[\u{1B}\n]/u);
});
