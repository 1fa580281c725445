import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellQuote } from "./shell-quote.ts";

test.each(["plain", "a b", "it's", "", '$HOME `x` \\ "', "a\nb", "--flag=x", "*", "~"])(
  "a shell reads %j as one word",
  (word) => {
    const read = execFileSync("sh", ["-c", `printf %s ${shellQuote(word)}`], { encoding: "utf8" });
    expect(read).toBe(word);
  },
);
