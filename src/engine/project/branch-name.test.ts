import { expect, test } from "vitest";
import { branchNameOf, wantedBranch } from "./branch-name.ts";

test.each([
  [
    "the list's name, created where it is missing",
    "x",
    undefined,
    { name: "x", from: "list", missing: "create" },
  ],
  [
    "the list's name before the settings",
    "x",
    { prefix: "p/", autoCreate: true },
    { name: "x", from: "list", missing: "create" },
  ],
  [
    "never created where the settings say so",
    "x",
    { autoCreate: false },
    { name: "x", from: "list", missing: "refuse" },
  ],
  [
    "made of prefix and feature",
    undefined,
    { prefix: "p/", autoCreate: true },
    { name: "p/shop", from: "settings", missing: "create" },
  ],
  [
    "made of our own prefix",
    "",
    { autoCreate: true },
    { name: "feature/shop", from: "settings", missing: "create" },
  ],
  ["none without auto_create", undefined, { prefix: "p/" }, undefined],
  ["none without any setting", undefined, undefined, undefined],
] as const)("%s", (_, named, config, wanted) => {
  expect(wantedBranch("shop", named, config)).toEqual(wanted);
});

test("a name that git would not take is changed", () => {
  expect(branchNameOf("a.lock", undefined)).toBe("feature/a-lock");
  expect(branchNameOf("a.", { prefix: "" })).toBe("a-");
  expect(branchNameOf("v1.2", undefined)).toBe("feature/v1.2");
});
