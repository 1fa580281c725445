import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder, testHost } from "../../../test/rig/host.ts";
import { findArchive, moveToArchive, writeArchive, type ArchivedRun } from "./archive.ts";

const host = testHost();
const about: ArchivedRun = {
  v: 1,
  run: "r",
  feature: "shop",
  archivedAt: "2026-11-15T07:32:00.000Z",
  iteration: "r/2",
  tasks: { total: 1, done: 1 },
};

test("texts and copies come together under the day and the feature, and a second one gets a number", () => {
  const folder = newFolder();
  const archive = join(folder, "archive");
  mkdirSync(join(folder, "specs", "deep"), { recursive: true });
  writeFileSync(join(folder, "specs", "deep", "a.md"), "a");
  symlinkSync("a.md", join(folder, "specs", "deep", "link"));
  const parts = [
    { name: "prd.json", text: "{}" },
    { name: "specs", from: join(folder, "specs") },
    { name: "progress.txt", from: join(folder, "missing") },
  ];
  expect(writeArchive(host, archive, about, parts)).toBe("2026-11-15-shop");
  expect(writeArchive(host, archive, about, parts)).toBe("2026-11-15-shop-2");
  expect(writeArchive(host, archive, about, parts)).toBe("2026-11-15-shop-3");
  const first = join(archive, "2026-11-15-shop");
  expect(readdirSync(first).toSorted()).toEqual(["prd.json", "run.json", "specs"]);
  expect(readFileSync(join(first, "specs", "deep", "link"), "utf8")).toBe("a");
  expect(JSON.parse(readFileSync(join(first, "run.json"), "utf8"))).toEqual(about);
});

test("what a crash left half made is in nobody's way", () => {
  const archive = join(newFolder(), "archive");
  mkdirSync(join(archive, ".shop.ralph-tmp"), { recursive: true });
  writeFileSync(join(archive, ".shop.ralph-tmp", "prd.json"), "half");
  expect(findArchive(host, archive, "shop", () => true)).toBeUndefined();
  expect(writeArchive(host, archive, about, [])).toBe("2026-11-15-shop");
  expect(readdirSync(archive)).toEqual(["2026-11-15-shop"]);
});

test("an archive is found by what it tells of its run, and by its own feature only", () => {
  const archive = join(newFolder(), "archive");
  writeArchive(host, archive, about, []);
  writeArchive(host, archive, { ...about, feature: "web-shop", iteration: "s/1" }, []);
  mkdirSync(join(archive, "2026-11-16-shop"));
  const find = (feature: string, id: string) =>
    findArchive(host, archive, feature, ({ iteration }) => iteration === id);
  expect(find("shop", "r/2")).toBe("2026-11-15-shop");
  expect(find("shop", "r/3")).toBeUndefined();
  expect(find("shop", "s/1")).toBeUndefined();
  expect(find("web-shop", "s/1")).toBe("2026-11-15-web-shop");
});

test("a moved folder comes whole", () => {
  const folder = newFolder();
  const feature = join(folder, "shop");
  mkdirSync(feature);
  writeFileSync(join(feature, "anything"), "x");
  const archive = join(folder, "archive");
  expect(moveToArchive(host, archive, about, feature)).toBe("2026-11-15-shop");
  expect(existsSync(feature)).toBe(false);
  expect(readdirSync(join(archive, "2026-11-15-shop")).toSorted()).toEqual([
    "anything",
    "run.json",
  ]);
});
