import { expect, test } from "vitest";
import { programOf } from "./gate-program.ts";

test.each([
  ["npm test", "npm"],
  ["  ./scripts/check.sh --all", "./scripts/check.sh"],
  ["CI=1 NODE_ENV=test npm test", "npm"],
  ["python3.12 -m pytest", "python3.12"],
  ["make", "make"],
])("%s begins with %s", (command, program) => {
  expect(programOf(command)).toBe(program);
});

test.each([
  "cd web && npm test",
  "test -f done",
  "[ -f done ]",
  "! grep -r TODO src",
  "(cd a; make)",
  "$RUNNER all",
  "A='b c' npm test",
  '"my tool" x',
  "true",
  "",
  "npm;",
])("%s is left to the shell", (command) => {
  expect(programOf(command)).toBeUndefined();
});
