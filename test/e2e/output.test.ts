import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { describe, expect, test } from "vitest";
import { lastEnd, lastExit, MARK, peakMib, shellAgent, stream } from "../rig/agents.ts";
import { type Ended, TestProject, until } from "../rig/project.ts";

const MIB = 1024 * 1024;
/** Well above what the program needs for itself, and far below what it is given to read. */
const PEAK_MIB_MAX = 250;

/** A project whose agent prints the parts in order, then marks its task. */
async function given(
  output: "text" | "claude" | "notes",
  parts: Iterable<string | Buffer>,
): Promise<TestProject> {
  const project = new TestProject();
  project.stories({
    id: "S-1",
    title: "A \u001B]0;title\u0007\u001B[31mred\u001B[0m\u009B2J story",
  });
  shellAgent(project, `${MARK}; cat "$HOME/out"`, { output });
  const file = createWriteStream(join(project.home, "out"));
  for (const part of parts) if (!file.write(part)) await once(file, "drain");
  file.end();
  await finished(file);
  project.commitAll();
  return project;
}

/** Runs to the end and watches the memory of the program itself. */
async function measured(project: TestProject, args: string[]): Promise<Ended & { peak: number }> {
  const run = project.start(args);
  let peak = 0;
  let isOver = false;
  void run.ended.finally(() => (isOver = true));
  await until(
    "the run ends",
    () => {
      peak = Math.max(peak, peakMib(run.pid) ?? 0);
      return isOver;
    },
    55_000,
  );
  return { ...(await run.ended), peak };
}

async function hash(path: string): Promise<string> {
  const sum = createHash("sha256");
  for await (const chunk of createReadStream(path)) sum.update(chunk as Buffer);
  return sum.digest("hex");
}

async function expectExact(project: TestProject): Promise<void> {
  const raw = join(project.runFolder(), "iterations", "1-1", "stdout.raw");
  expect(await hash(raw)).toBe(await hash(join(project.home, "out")));
}

/** Nothing that a terminal acts on but line ends. */
function expectHarmless(text: string): void {
  expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/u);
}

function* repeated(mib: number, text: string, last: string): Generator<string> {
  const block = text.repeat(Math.ceil(MIB / text.length));
  for (let i = 0; i < mib; i++) yield block;
  yield last;
}

const said = (text: string): string =>
  `${JSON.stringify({ type: "assistant", parent_tool_use_id: null, message: { content: [{ type: "text", text }] } })}\n`;
const result = (text: string, more: object = {}): string =>
  `${JSON.stringify({ type: "result", subtype: "success", is_error: false, session_id: "s", result: text, ...more })}\n`;

describe("P8 64 MiB of output", () => {
  const FLOODS = {
    "lines of text": ["text", "all work and no play\n", "\n\nthe end"],
    "one endless line of text": ["text", "no end of line in sight ", "\n\nthe end"],
    "claude's events": ["claude", said("working on it ".repeat(100)), result("the end")],
    "an endless line, then claude's result": [
      "claude",
      "no end of line ",
      `\n${result("the end")}`,
    ],
    "one endless line of opening braces": ["claude", '{"a":[', `\n${result("the end")}`],
    "events on one endless line": ["claude", said("x").trimEnd(), `\n${result("the end")}`],
    "short lines": ["claude", "ok\n", result("the end")],
    "notes of our own": [
      "notes",
      '{"type":"activity","text":"busy"}\n',
      '{"type":"result","good":true,"text":"the end"}',
    ],
  } as const;

  test.each(Object.entries(FLOODS))(
    "P8 as %s: flat memory, exact log, result found",
    async (_, flood) => {
      const [output, text, last] = flood;
      // Lines without any meaning cost the most each, so of the shortest there are fewer.
      const mib = text.length < 4 ? 8 : 64;
      const project = await given(output, repeated(mib, text, last));
      const { code, stderr, peak } = await measured(project, ["run", "-n", "1", "-v"]);
      expect(stderr).toBe("");
      expect(code).toBe(0);
      expect(lastExit(project).result?.text).toBe("the end");
      expect(lastExit(project).outputBytes).toBeGreaterThan(mib * MIB);
      expect(peak).toBeGreaterThan(20);
      expect(peak).toBeLessThan(PEAK_MIB_MAX);
      await expectExact(project);
    },
  );

  test("P8 on standard error as well", async () => {
    const project = await given("text", repeated(64, "complaint\n", "last words"));
    shellAgent(project, `${MARK}; cat "$HOME/out" >&2; echo fine`);
    const { code, peak } = await measured(project, ["run"]);
    expect(code).toBe(0);
    expect(peak).toBeLessThan(PEAK_MIB_MAX);
    const raw = join(project.runFolder(), "iterations", "1-1", "stderr.raw");
    expect(await hash(raw)).toBe(await hash(join(project.home, "out")));
  });
});

const SUCCESS = stream("claude-success");
const FINAL = "All tasks are finished.\n<promise>COMPLETE</promise>";
const events = SUCCESS.trimEnd().split("\n");
const lastEvent = events.at(-1) ?? "";

/** Streams that end in claude's good result, each damaged in its own way. */
const DAMAGED: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  "lines of 5 MB": [said("x".repeat(5_000_000)), said("ü".repeat(2_500_000)), SUCCESS],
  "a result of 5 MB": [
    events.slice(0, -1).join("\n"),
    "\n",
    lastEvent.replace('"result":"', `"result":"${"y".repeat(5_000_000)}\\n`),
  ],
  "two events on one line": [events.join("")],
  "an event cut by another": [(events[1] ?? "").slice(0, 40), SUCCESS],
  "an event cut inside a string by the result": [
    events.slice(0, -1).join("\n"),
    "\n",
    (events[1] ?? "").slice(0, -120),
    lastEvent,
    "\n",
  ],
  "an event with hundreds of parts cut by the result": [
    JSON.stringify({ type: "user", rows: Array.from({ length: 3000 }, (_, n) => ({ n })) }).slice(
      0,
      -1,
    ),
    lastEvent,
    "\n",
  ],
  "an event of 5 MB cut by the result": [
    said("z".repeat(5_000_000)).slice(0, -30),
    lastEvent,
    "\n",
  ],
  "words before and behind the result": ["npm warn something ", lastEvent, " bye\n"],
  CRLF: [events.join("\r\n"), "\r\n"],
  "no line end at the end": [SUCCESS.trimEnd()],
  "invalid UTF-8": [Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x0a, 0x80]), "\n", SUCCESS],
  "zero bytes": [Buffer.alloc(100_000), "\n", SUCCESS],
  "a byte order mark": ["\uFEFF", SUCCESS],
  "JSON that is no event": [
    '[1,2]\n"text"\nnull\n{}\n{"type":5}\n{"type":"assistant","message":7}\n',
    SUCCESS,
  ],
};

test.each(Object.entries(DAMAGED))(
  "P8 %s: the result is found and the log is exact",
  async (_, parts) => {
    const project = await given("claude", parts);
    const { code, stdout, stderr, peak } = await measured(project, ["run", "-n", "1", "-v"]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(lastEnd(project).outcome).toBe("accepted");
    expect(lastExit(project).result).toMatchObject({ good: true });
    expect(lastExit(project).result?.text.endsWith(FINAL)).toBe(true);
    expect(peak).toBeLessThan(PEAK_MIB_MAX);
    expectHarmless(stdout.replaceAll("\n", ""));
    await expectExact(project);
  },
);

const NASTY =
  "\u001B[2J\u001B[H\u001B]0;owned\u0007\u001B]8;;http://example.invalid\u001B\\link\u001B]8;;\u001B\\" +
  "\u001BPq#0\u001B\\\u001B(0\u001Bc\u0007\u0008\u0008\u009B31m\u009D0;x\u009C\u202Eevil\u2066\rover\u000B\u000C\u007F";

test("P8 nothing in output, title, final message or error can drive the terminal", async () => {
  const project = await given("claude", [
    NASTY,
    "\n",
    said(NASTY),
    `${JSON.stringify({ type: "assistant", message: { content: [{ type: "tool_use", id: "1", name: `Bash${NASTY}`, input: { command: NASTY } }] } })}\n`,
    `${JSON.stringify({ type: "result", is_error: true, session_id: "s", result: NASTY })}\n`,
  ]);
  project.stories({ id: "S-1", title: `Red ${NASTY} story`, description: NASTY });
  project.config(
    readFileSync(join(project.root, ".ralph/config.yaml"), "utf8") +
      `quality_checks:\n  loud: cat "$HOME/out"; false\n`,
  );
  project.commitAll();
  const run = await project.ralph(["run", "-n", "1", "-v"]);
  expect(run.code).toBe(1);
  expect(run.stdout).toContain("Red");
  expect(run.stdout).toContain("evil");
  const others = [["status"], ["logs"], ["why"], ["run", "--json", "-n", "1"]];
  const ended = [
    run,
    ...(await Promise.all(others.slice(0, 3).map((args) => project.ralph(args)))),
  ];
  ended.push(await project.ralph(others[3] ?? []));
  for (const { stdout, stderr } of ended) {
    expect(stdout).not.toContain("\u001B");
    expectHarmless((stdout + stderr).replaceAll("\n", ""));
    expect(stdout).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/u);
  }
  await expectExact(project);
});

test("P8 escapes in plain text reach the raw log and nobody else", async () => {
  const project = await given("text", [`start ${NASTY}\n\nlast ${NASTY} words`]);
  const { code, stdout } = await project.ralph(["run", "-v"]);
  expect(code).toBe(0);
  expect(stdout).toContain("words");
  expectHarmless(stdout.replaceAll("\n", ""));
  await expectExact(project);
});

test("P8 an agent that dies in the middle of a flood is a failed agent, and all it wrote is kept", async () => {
  const project = await given("claude", repeated(4, said("working"), '{"type":"result","is_err'));
  shellAgent(project, `cat "$HOME/out"; kill -9 $$`, { output: "claude" });
  expect((await project.ralph(["run", "-n", "1", "-v"])).code).toBe(1);
  expect(lastEnd(project)).toMatchObject({ outcome: "agent-failed" });
  expect(lastEnd(project).reason).toContain("SIGKILL");
  await expectExact(project);
});
