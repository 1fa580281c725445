import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStatus } from "./read-status.ts";

const oid = "0".repeat(40);
const fields = (...lines: string[]): string => lines.map((line) => `${line}\0`).join("");
const changed = (xy: string, path: string): string =>
  `1 ${xy} N... 100644 100644 100644 ${oid} ${oid} ${path}`;

test("commit and branch are told; none before the first commit and when detached", () => {
  expect(parseStatus(fields(`# branch.oid ${oid}`, "# branch.head main"))).toEqual({
    head: oid,
    branch: "main",
    dirty: [],
  });
  expect(parseStatus(fields("# branch.oid (initial)", "# branch.head (detached)"))).toEqual({
    head: undefined,
    branch: undefined,
    dirty: [],
  });
});

test("each kind of path is told apart", () => {
  const text = fields(
    changed(".M", "a.txt"),
    changed("D.", "gone.txt"),
    `2 R. N... 100644 100644 100644 ${oid} ${oid} R100 to.txt`,
    "from.txt",
    `u UU N... 100644 100644 100644 100644 ${oid} ${oid} ${oid} both.txt`,
    "? new.txt",
    "? folder/",
  );
  expect(parseStatus(text).dirty).toEqual([
    { path: "a.txt", kind: "changed" },
    { path: "gone.txt", kind: "changed" },
    { path: "to.txt", kind: "changed" },
    { path: "from.txt", kind: "changed" },
    { path: "both.txt", kind: "conflict" },
    { path: "new.txt", kind: "untracked" },
    { path: "folder/", kind: "untracked" },
  ]);
});

test("a path is read as it is, whatever stands in it", () => {
  const path = fc.string({ minLength: 1 }).filter((text) => !text.includes("\0"));
  fc.assert(
    fc.property(path, path, path, (one, two, three) => {
      const rename = `2 R. N... 100644 100644 100644 ${oid} ${oid} R087 ${one}`;
      const text = fields(changed("M.", one), rename, two, `? ${three}`);
      expect(parseStatus(text).dirty.map((entry) => entry.path)).toEqual([one, one, two, three]);
    }),
  );
});
