// The scripted agent itself: reads its scenario and really does what it says, as a process of its own.

import { resolve } from "node:path";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import type { Note } from "../../core/schema/note.ts";
import { unreachable } from "../../std/assert.ts";
import { setJsonValue } from "../../std/edit/json-edit.ts";
import { err, ok, type Result } from "../../std/result.ts";
import type { Host } from "../host/host.ts";
import { isRecord } from "./json-lines.ts";
import { chooseEntry, parseScenario, type Step } from "./scripted/parse-scenario.ts";

/** What the scripted agent needs of the process it runs in. */
export interface Stage {
  readonly cwd: string;
  /** Writes to standard output and returns when the reader has taken it. */
  readonly print: (bytes: string) => Promise<void>;
  readonly ignoreSignals: () => void;
}

const FILE_MODE = 0o644;
const MIB = 1024 * 1024;
const FOREVER_MS = 1_000_000_000;

/** The exit code, or what is wrong with the scenario. */
export async function playScenario(
  host: Host,
  file: string,
  stage: Stage,
): Promise<Result<number, Diagnostic[]>> {
  const text = host.files.readText(resolve(stage.cwd, file));
  if (text === undefined) return err([missing(file)]);
  const entries = parseScenario(text, file);
  if (!entries.ok) return entries;
  const task = host.env["RALPH_TASK_ID"];
  const entry = chooseEntry(entries.value, task, Number(host.env["RALPH_ATTEMPT"] ?? "1"));
  await print(stage, { type: "started", version: "scripted" });
  for (const step of entry?.do ?? []) {
    if ("exit" in step) return ok(step.exit);
    const code = await perform(host, stage, step, task);
    if (code !== 0) return ok(code);
  }
  return ok(0);
}

async function perform(
  host: Host,
  stage: Stage,
  step: Step,
  task: string | undefined,
): Promise<number> {
  if ("write" in step) return change(host, stage, step.write.path, () => step.write.text);
  if ("append" in step)
    return change(host, stage, step.append.path, (old) => old + step.append.text);
  if ("edit" in step) {
    const { path, find, replace } = step.edit;
    return change(host, stage, path, (old) => old.replace(find, () => replace));
  }
  if ("remove" in step) return remove(host, stage, step.remove);
  if ("run" in step) return await shell(host, stage, step.run);
  if ("commit" in step) return await commit(host, stage, step.commit);
  if ("mark" in step) return mark(host, step.mark === "task" ? (task ?? "") : step.mark);
  if ("say" in step) return await print(stage, { type: "result", good: true, text: step.say });
  if ("ask" in step) return await print(stage, { type: "asked", question: step.ask });
  if ("note" in step) return await print(stage, step.note);
  if ("stream" in step) return await say(stage, step.stream);
  if ("flood" in step) return await flood(stage, step.flood);
  if ("sleep" in step) return await rest(host, step.sleep);
  if ("spawn" in step) return leaveChild(host, stage, step.spawn);
  if ("hang" in step) return await hang(host, stage, step.hang.signals);
  if ("limit" in step) return await limit(host, stage, step.limit.resets_in);
  if ("exit" in step) return step.exit;
  return unreachable(step);
}

function change(host: Host, stage: Stage, path: string, edit: (old: string) => string): number {
  const target = resolve(stage.cwd, path);
  host.files.makeFolder(resolve(target, ".."), 0o755);
  const text = edit(host.files.readText(target) ?? "");
  host.files.replace(target, text, { mode: FILE_MODE, durability: "cached" });
  return 0;
}

function remove(host: Host, stage: Stage, path: string): number {
  host.files.remove(resolve(stage.cwd, path));
  return 0;
}

async function shell(host: Host, stage: Stage, command: string): Promise<number> {
  return await start(host, stage, "/bin/sh", ["-c", command], ["inherit", "inherit", "inherit"]);
}

async function commit(host: Host, stage: Stage, message: string): Promise<number> {
  const added = await start(host, stage, "git", ["add", "--all"], ["ignore", "ignore", "inherit"]);
  if (added !== 0) return added;
  return await start(
    host,
    stage,
    "git",
    ["commit", "--quiet", "-m", message],
    ["ignore", "ignore", "inherit"],
  );
}

function start(
  host: Host,
  stage: Stage,
  file: string,
  args: readonly string[],
  stdio: ("ignore" | "inherit")[],
): Promise<number> {
  const child = host.processes.start(file, args, { cwd: stage.cwd, stdio });
  return new Promise((resolveCode) => {
    child.once("error", () => resolveCode(127));
    child.once("exit", (code) => resolveCode(code ?? 1));
  });
}

/** Writes the mark as an agent would: by editing the file itself. */
function mark(host: Host, id: string): number {
  const path = host.env["RALPH_TASKS_FILE"] ?? "";
  const text = host.files.readText(path) ?? "";
  const prd: unknown = JSON.parse(text);
  const stories = isRecord(prd) && Array.isArray(prd["userStories"]) ? prd["userStories"] : [];
  const index = stories.findIndex((story) => isRecord(story) && story["id"] === id);
  const edited = setJsonValue(text, ["userStories", index, "passes"], true);
  if (!edited.ok) return 1;
  host.files.replace(path, edited.value, { mode: FILE_MODE, durability: "cached" });
  return 0;
}

async function print(stage: Stage, note: Note): Promise<number> {
  return await say(stage, `${JSON.stringify(note)}\n`);
}

async function say(stage: Stage, text: string): Promise<number> {
  await stage.print(text);
  return 0;
}

async function flood(
  stage: Stage,
  order: { mib: number; as: "lines" | "one-line" | "claude" },
): Promise<number> {
  const pattern = {
    lines: `${"all work and no play makes a dull boy ".repeat(3)}\n`,
    "one-line": "no end of line in sight ",
    claude: `${JSON.stringify({ type: "assistant", parent_tool_use_id: null, message: { content: [{ type: "text", text: "working on it ".repeat(120) }] } })}\n`,
  }[order.as];
  const block = pattern.repeat(Math.ceil(MIB / pattern.length));
  for (let printed = 0; printed < order.mib * MIB; printed += block.length)
    await stage.print(block);
  return 0;
}

async function rest(host: Host, ms: number): Promise<number> {
  await host.clock.sleep(ms);
  return 0;
}

function leaveChild(
  host: Host,
  stage: Stage,
  how: { session: "same" | "own"; signals: "heed" | "ignore" },
): number {
  const trap = how.signals === "ignore" ? "trap '' TERM INT HUP; " : "";
  const child = host.processes.start("/bin/sh", ["-c", `${trap}while :; do sleep 1; done`], {
    cwd: stage.cwd,
    detached: how.session === "own",
    stdio: "inherit",
  });
  child.unref();
  return 0;
}

async function hang(host: Host, stage: Stage, signals: "heed" | "ignore"): Promise<number> {
  if (signals === "ignore") stage.ignoreSignals();
  await host.clock.sleep(FOREVER_MS);
  return 0;
}

async function limit(host: Host, stage: Stage, resetsInMs: number | undefined): Promise<number> {
  const resetsAt = resetsInMs === undefined ? {} : { resetsAt: host.clock.now() + resetsInMs };
  await print(stage, { type: "limit", kind: "usage", ...resetsAt, text: "usage limit reached" });
  await print(stage, { type: "result", good: false, text: "usage limit reached" });
  return 1;
}

function missing(file: string): Diagnostic {
  return {
    file,
    problem: "there is no such scenario",
    expected: "a YAML list of steps for the scripted agent",
    remedy: "create it, or name another one in agent.arguments",
  };
}
