import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findGateChanges, gateFiles, isGateConfig } from "./gate-files.ts";
import type { DiffFile } from "./parse-diff.ts";

const none = (): boolean => false;
const withHooks = (...names: string[]): string[] =>
  names.flatMap((name) => [name, `pre${name}`, `post${name}`]);
const changed = (path: string, removed: string[] = [], added: string[] = []): DiffFile => ({
  path,
  oldPath: undefined,
  status: "changed",
  removed,
  added,
});

describe("scripts of package.json that a gate uses", () => {
  test.each<[string, string[]]>([
    ["npm test", ["test"]],
    ["npm t", ["test"]],
    ["npm start", ["start"]],
    ["npm run lint", ["lint"]],
    ["npm run -s test:unit -- --bail", ["test:unit"]],
    ["npm --prefix web run build", ["build"]],
    ["pnpm run check && yarn run lint; bun run types", ["check", "lint", "types"]],
    ["pnpm --filter web test", ["test"]],
    ["yarn lint", ["lint"]],
    ["yarn workspace web test", ["test"]],
    ["CI=1 timeout 60 npm run verify | tee out.log", ["verify"]],
    ["node --run test", ["test"]],
    ["npm ci && npm install", []],
    ["pnpm install", []],
    ["npx vitest run", []],
    ["bun test", []],
  ])("%s", (command, names) => {
    expect(gateFiles([command], none)).toEqual({ scripts: withHooks(...names), files: [] });
  });
});

describe("files that a gate runs", () => {
  test.each<[string, string[]]>([
    ["./check.sh", ["check.sh"]],
    ["scripts/verify --all", ["scripts/verify"]],
    ["sh check.sh && bash -euo pipefail ci/all.sh", ["check.sh", "ci/all.sh"]],
    ["bash -c './one.sh && sh two.sh'", ["one.sh", "two.sh"]],
    [". ./env.sh", ["env.sh"]],
    ["cd web && ./check.sh", ["web/check.sh"]],
    ["(cd web; sh ../ci/all.sh)", ["ci/all.sh"]],
    ['cd "$(git rev-parse --show-toplevel)" && ./check.sh', ["check.sh"]],
    ["FOO='a b' env -u X BAR=1 exec time ./check.sh 2>&1", ["check.sh"]],
    ["if ! timeout -k 5 60 ./check.sh >out 2> err; then exit 1; fi", ["check.sh"]],
    ["./one.sh || ./two.sh\n./three.sh", ["one.sh", "two.sh", "three.sh"]],
    ["./'my check.sh' # ./not-me.sh", ["my check.sh"]],
    ["node scripts/verify.mjs", ["scripts/verify.mjs"]],
    ["node --import tsx tools/x.ts", ["tools/x.ts"]],
    ["python3 -u lint_all.py", ["lint_all.py"]],
    ["npx tsx src/validate.ts", ["src/validate.ts"]],
    ["deno run -A ci/x.ts", ["ci/x.ts"]],
    ["poetry run python checks/x.py", ["checks/x.py"]],
    ["make check", ["Makefile", "makefile", "GNUmakefile"]],
    ["make -C web -f Checks.mk", ["web/Checks.mk"]],
    ["just test", ["justfile", "Justfile", ".justfile"]],
    ["task test", ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"]],
  ])("%s", (command, files) => {
    expect(gateFiles([command], none)).toEqual({ scripts: [], files });
  });

  test("are looked up where the words leave it open", () => {
    const isFile = (path: string): boolean => ["scripts/check.js", "check.sh"].includes(path);
    expect(gateFiles(["node scripts/check", "(cd web && npx tsc) && ./check.sh"], isFile)).toEqual({
      scripts: [],
      files: ["scripts/check.js", "check.sh"],
    });
  });
});

describe("files that are the product, a test or none of ours", () => {
  test.each([
    "node src/index.js",
    "python manage.py test",
    "python -m pytest tests",
    "node -e 'require(\"./scripts/check.js\")'",
    "node --test test/check.test.js",
    "node tests/check.js",
    "php artisan lint",
    "deno lint",
    "npx eslint src/check.js",
    "node_modules/.bin/vitest run",
    "/usr/bin/true",
    "../check.sh",
    "$HOME/check.sh",
    "~/check.sh",
    "bash -s < check.sh",
    "grep -r foo scripts/check.sh",
    "cargo test",
    "",
  ])("%s", (command) => {
    expect(gateFiles([command], none)).toEqual({ scripts: [], files: [] });
  });
});

test("any text is read as some commands", () => {
  const word = fc.constantFrom("sh", "-c", "npm", "run", '"', "'", "\\", "&&", "$(", ")", "#", ">");
  const line = fc.array(fc.oneof(word, fc.string())).map((words) => words.join(" "));
  fc.assert(
    fc.property(line, (command) => {
      for (const path of gateFiles([command], none).files)
        expect(path).not.toMatch(/^(?:\/|\.\.)/u);
    }),
  );
});

test("configuration of a test runner is told by its name", () => {
  const configs = [
    "jest.config.js",
    "web/vitest.config.mts",
    "vitest.workspace.ts",
    "playwright.config.ts",
    ".mocharc",
    ".mocharc.json",
    "karma.conf.js",
    "pytest.ini",
    "tox.ini",
    "phpunit.xml",
    "phpunit.xml.dist",
    ".rspec",
    "ava.config.js",
  ];
  const others = [
    "package.json",
    "vite.config.ts",
    "src/jest.config.test-helper/a.ts",
    "pyproject.toml",
    "node_modules/x/jest.config.js",
    "test/fixtures/a/vitest.config.ts",
  ];
  expect([...configs, ...others].filter(isGateConfig)).toEqual(configs);
});

describe("a change of a gate", () => {
  const gates = { scripts: withHooks("test"), files: ["check.sh", "scripts/verify.mjs"] };

  test("is found in its scripts and its configuration", () => {
    const files: DiffFile[] = [
      changed("check.sh", ["npm test", ""], ["exit 0"]),
      { ...changed("scripts/verify.mjs", ["run();"]), status: "deleted" },
      changed("vitest.config.ts", ["  include: all,"]),
      { ...changed("pytest.ini"), status: "deleted" },
      { ...changed("old.sh"), oldPath: "check.sh", status: "renamed" },
      { ...changed("jest.config.ts"), oldPath: "jest.config.js", status: "renamed" },
    ];
    expect(findGateChanges(files, gates)).toEqual([
      {
        kind: "gates",
        path: "check.sh",
        what: "gate script changed",
        lines: ["-npm test", "+exit 0"],
      },
      {
        kind: "gates",
        path: "scripts/verify.mjs",
        what: "gate script deleted",
        lines: ["-run();"],
      },
      {
        kind: "gates",
        path: "vitest.config.ts",
        what: "test runner configuration changed",
        lines: ["-include: all,"],
      },
      { kind: "gates", path: "pytest.ini", what: "test runner configuration deleted", lines: [] },
      { kind: "gates", path: "check.sh", what: "gate script deleted", lines: [] },
      {
        kind: "gates",
        path: "jest.config.js",
        what: "test runner configuration changed",
        lines: [],
      },
    ]);
  });

  test("is found in a script of package.json that is changed or gone", () => {
    const removed = ['    "pretest": "tsc",', '    "test": "vitest run",', '    "lint": "oxlint",'];
    const added = ['    "test": "true",', '    "lint": "true",'];
    expect(findGateChanges([changed("package.json", removed, added)], gates)).toEqual([
      {
        kind: "gates",
        path: "package.json",
        what: 'the script "pretest" in package.json changed',
        lines: ['-"pretest": "tsc",'],
      },
      {
        kind: "gates",
        path: "package.json",
        what: 'the script "test" in package.json changed',
        lines: ['-"test": "vitest run",', '+"test": "true",'],
      },
    ]);
    const moved: DiffFile = { ...changed("x.json"), oldPath: "package.json", status: "renamed" };
    expect(findGateChanges([moved], gates)).toEqual([
      { kind: "gates", path: "package.json", what: "gate script deleted", lines: [] },
    ]);
  });

  test("is not a script that moved or was formatted, an added one, a version, or another package's", () => {
    const files = [
      changed(
        "package.json",
        ['  "test": "vitest run"', '  "posttest": "^1.2.3",'],
        ['    "test":  "vitest run",', '    "pretest": "tsc"', '  "posttest": "^2.0.0",'],
      ),
      changed("test/fixtures/a/package.json", ['"test": "a"']),
    ];
    expect(findGateChanges(files, gates)).toEqual([]);
  });

  test("is not a new file or the product", () => {
    const files: DiffFile[] = [
      { ...changed("check.sh", [], ["exit 0"]), status: "added" },
      { ...changed("jest.config.js", [], ["x"]), status: "added" },
      changed("src/check.ts", ["a"], ["b"]),
      changed("src/scripts/verify.mjs", ["a"], ["b"]),
    ];
    expect(findGateChanges(files, gates)).toEqual([]);
  });

  test("shows its first lines only", () => {
    const long = Array.from({ length: 30 }, () => "x".repeat(300));
    expect(findGateChanges([changed("check.sh", long)], gates)[0]?.lines).toEqual(
      Array.from({ length: 10 }, () => `-${"x".repeat(198)}…`),
    );
  });
});
