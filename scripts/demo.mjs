// `npm start`: a loop over three stories with the scripted agent, in a throw-away repository. No account, no network.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "ralph-demo-"));
const feature = join(root, ".ralph", "greeting");
const env = {
  PATH: process.env["PATH"],
  HOME: root,
  GIT_AUTHOR_NAME: "demo",
  GIT_AUTHOR_EMAIL: "demo@localhost",
  GIT_COMMITTER_NAME: "demo",
  GIT_COMMITTER_EMAIL: "demo@localhost",
};

const story = (id, title, criterion) => ({
  id,
  title,
  acceptanceCriteria: [criterion],
  passes: false,
});
mkdirSync(feature, { recursive: true });
const write = (path, text) => writeFileSync(join(root, path), text);
write("package.json", `${JSON.stringify({ name: "greeting", type: "module" })}\n`);
write(
  ".ralph/config.yaml",
  "agent: scripted\nquality_checks:\n  tests: node --test --test-reporter=dot\n",
);
write(
  ".ralph/greeting/prd.json",
  `${JSON.stringify(
    {
      feature: "greeting",
      userStories: [
        story("STORY-001", "Greet by name", 'greet("Ada") is "Hello, Ada!"'),
        story("STORY-002", "Greet nobody", 'greet("") is "Hello, whoever you are!"'),
        story("STORY-003", "Greet many", 'greetAll(["Ada", "Bob"]) gives two greetings'),
      ],
    },
    null,
    2,
  )}\n`,
);
// The second story is first claimed with a bug in it: the gate catches it, and the claim does not stand.
write(
  ".ralph/greeting/scenario.yaml",
  `- when: {task: STORY-001}
  do:
    - write: {path: greet.js, text: "export const greet = (name) => \`Hello, \${name}!\`;\\n"}
    - write: {path: greet.test.js, text: "import test from 'node:test';\\nimport assert from 'node:assert';\\nimport { greet } from './greet.js';\\n\\ntest('by name', () => assert.equal(greet('Ada'), 'Hello, Ada!'));\\n"}
    - mark: task
    - commit: "feat: STORY-001 greet by name"
- when: {task: STORY-002, attempt: 1}
  do:
    - append: {path: greet.test.js, text: "test('nobody', () => assert.equal(greet(''), 'Hello, whoever you are!'));\\n"}
    - mark: task
    - say: "STORY-002 is done."
- when: {task: STORY-002}
  do:
    - edit: {path: greet.js, find: "\${name}", replace: "\${name || 'whoever you are'}"}
    - mark: task
- when: {task: STORY-003}
  do:
    - append: {path: greet.js, text: "export const greetAll = (names) => names.map(greet);\\n"}
    - append: {path: greet.test.js, text: "test('many', async () => assert.equal((await import('./greet.js')).greetAll(['Ada', 'Bob']).length, 2));\\n"}
    - mark: task
    - say: "<promise>COMPLETE</promise>"
`,
);
const git = (...args) => execFileSync("git", args, { cwd: root, env, stdio: "pipe" });
git("init", "--quiet", "--initial-branch", "main");
git("config", "user.name", "demo");
git("config", "user.email", "demo@localhost");
git("add", "--all");
git("commit", "--quiet", "--message", "Three stories to do");

process.stdout.write(`a throw-away project in ${root}\n\n`);
const run = spawn(process.execPath, [cli, "run"], { cwd: root, env, stdio: "inherit" });
run.once("exit", (code) => {
  const log = execFileSync("git", ["log", "--oneline"], { cwd: root, env, encoding: "utf8" });
  process.stdout.write(
    `\nwhat git has:\n${log}\nlook around:\n  cd ${root}\n  node ${cli} status   (or logs, why, --help)\n`,
  );
  process.exitCode = code ?? 1;
});
