// Test projects: `unit` is everything pure and quick, `sim` the pretend world, `e2e` the real CLI, `adversary` agents that misbehave.
import { readFileSync } from "node:fs";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import type { Reporter } from "vitest/reporters";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")) as {
  version: string;
};
// Projects do not inherit the root's `define`, so each names it: the same constant build.mjs defines.
const define = { __RALPH_VERSION__: JSON.stringify(version) };

// Real processes on a busy machine may lose a race once. In CI they get a second try, and who needed it is named.
const retry = process.env["CI"] === "true" ? 1 : 0;
const secondTries: Reporter = {
  onTestCaseResult(test) {
    const failed = test.result().errors?.[0]?.message ?? "";
    if (test.diagnostic()?.flaky === true)
      process.stdout.write(
        `SECOND TRY: ${test.module.relativeModuleId}: ${test.fullName}: ${failed}\n`,
      );
  },
};

const config: ViteUserConfig = defineConfig({
  test: {
    // A test that took its time is not worth a line: what failed must not drown in what passed.
    slowTestThreshold: 60_000,
    reporters: ["default", secondTries],
    projects: [
      {
        define,
        test: {
          name: "unit",
          include: [
            "src/**/*.test.ts",
            "test/*.test.ts",
            "test/contract/**/*.test.ts",
            "test/replay/**/*.test.ts",
          ],
          testTimeout: 20_000,
        },
      },
      {
        define,
        test: { name: "sim", include: ["test/sim/**/*.test.ts"], testTimeout: 60_000 },
      },
      {
        define,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          retry,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: true,
          maxWorkers: 2,
        },
      },
      {
        define,
        test: {
          name: "adversary",
          include: ["test/adversary/**/*.test.ts"],
          retry,
          testTimeout: 90_000,
          fileParallelism: true,
          maxWorkers: 2,
        },
      },
    ],
  },
});
export default config;
