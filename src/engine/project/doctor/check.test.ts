import { expect, test } from "vitest";
import { isAtLeast } from "./check.ts";
import { fileSystemAt } from "./machine-checks.ts";

test.each([
  ["20.19.0", "20.19.0", true],
  ["20.18.3", "20.19.0", false],
  ["22.0.0", "20.19.0", true],
  ["2.9", "2.31", false],
  ["2.39.5", "2.31", true],
  ["3", "2.31", true],
])("version %s against %s: %s", (version, least, expected) => {
  expect(isAtLeast(version, least)).toBe(expected);
});

const MOUNTS = `22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /home rw - nfs4 server:/home rw
31 30 0:41 / /home/ann/my\\040work rw - tmpfs none rw
32 22 0:42 / /mnt rw - ext4 a rw
33 22 0:43 / /mnt rw - 9p b rw
`;

test.each([
  ["/srv/x", "ext4"],
  ["/home", "nfs4"],
  ["/homeless", "ext4"],
  ["/home/ann/project/.git", "nfs4"],
  ["/home/ann/my work/.git", "tmpfs"],
  ["/mnt/x", "9p"],
])("%s lies on %s", (path, type) => {
  expect(fileSystemAt(MOUNTS, path)).toBe(type);
});
