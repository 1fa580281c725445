import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../../test/rig/host.ts";
import { isDiskError, realFiles } from "./files.ts";

const how = { mode: 0o600, durability: "synced" } as const;

test("a file is replaced as a whole and keeps its mode; a new one gets the mode asked for", () => {
  const folder = newFolder();
  const path = join(folder, "a.json");
  realFiles.replace(path, "one", how);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(join(folder, "b.json"), "old", { mode: 0o644 });
  const before = statSync(join(folder, "b.json")).ino;
  realFiles.replace(join(folder, "b.json"), "new", how);
  expect(readFileSync(join(folder, "b.json"), "utf8")).toBe("new");
  expect(statSync(join(folder, "b.json")).mode & 0o777).toBe(0o644);
  expect(statSync(join(folder, "b.json")).ino, "the old bytes are not written over").not.toBe(
    before,
  );
  expect(readdirSync(folder).toSorted()).toEqual(["a.json", "b.json"]);
});

test("a link is followed, not replaced", () => {
  const folder = newFolder();
  writeFileSync(join(folder, "real"), "old");
  symlinkSync("real", join(folder, "link"));
  realFiles.replace(join(folder, "link"), "new", how);
  expect(readFileSync(join(folder, "real"), "utf8")).toBe("new");
  expect(readdirSync(folder).toSorted()).toEqual(["link", "real"]);
});

test("where the new bytes cannot be written the old ones stay", () => {
  const folder = newFolder();
  const path = join(folder, "a.json");
  writeFileSync(path, "old");
  // Something that is not ours has the name of the temporary file.
  mkdirSync(join(folder, ".a.json.ralph-tmp", "inside"), { recursive: true });
  expect(() => realFiles.replace(path, "new", how)).toThrow(/EISDIR|directory/u);
  expect(readFileSync(path, "utf8")).toBe("old");
});

test("what a crash left of the last write is written over", () => {
  const folder = newFolder();
  writeFileSync(join(folder, ".a.json.ralph-tmp"), "half of something much longer");
  realFiles.replace(join(folder, "a.json"), "new", how);
  expect(readdirSync(folder)).toEqual(["a.json"]);
  expect(readFileSync(join(folder, "a.json"), "utf8")).toBe("new");
});

test("a name is taken once, with its content, and nothing else is left", () => {
  const folder = newFolder();
  const path = join(folder, "lock");
  const create = (text: string): boolean =>
    realFiles.createWhole(path, text, `${path}.${text}.tmp`);
  expect([create("first"), create("second")]).toEqual([true, false]);
  expect(readFileSync(path, "utf8")).toBe("first");
  expect(readdirSync(folder)).toEqual(["lock"]);
});

test("writing where the folder is gone is the disk's fault; reading there finds nothing", () => {
  const gone = join(newFolder(), "gone", "a.json");
  expect(realFiles.readText(gone)).toBeUndefined();
  expect(realFiles.stamp(gone)).toBeUndefined();
  let thrown: unknown;
  try {
    realFiles.replace(gone, "x", how);
  } catch (error) {
    thrown = error;
  }
  expect(isDiskError(thrown)).toBe(true);
  expect(isDiskError(new Error("a defect of ours"))).toBe(false);
});
