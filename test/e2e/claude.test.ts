import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  eventsOf,
  lastEnd,
  lastExit,
  leftovers,
  MARK,
  newMark,
  pretendClaude,
  stream,
  streamPath,
} from "../rig/agents.ts";
import { type Ended, TestProject, until } from "../rig/project.ts";

/** A project whose agent is a program called `claude` on the PATH. */
function given(body: string, config = ""): { project: TestProject; env: { PATH: string } } {
  const project = new TestProject();
  project.stories({ id: "S-1" });
  if (config !== "") project.config(config);
  const env = pretendClaude(project, `printf '%s\\0' "$@" > "$HOME/argv"; ${body}`);
  project.commitAll();
  return { project, env };
}

function argv(project: TestProject): string[] {
  return readFileSync(`${project.home}/argv`, "utf8").split("\0").slice(0, -1);
}

async function runWith(
  name: string,
  options: { body?: string; args?: string[]; exit?: number } = {},
): Promise<Ended & { project: TestProject }> {
  const { project, env } = given(
    `${options.body ?? ""}\ncat ${streamPath(name)}; exit ${options.exit ?? 0}`,
  );
  const ended = await project.ralph(["run", ...(options.args ?? ["-n", "1"])], { env });
  return { ...ended, project };
}

test("claude is started in print mode with its event stream and the listed tools", async () => {
  const { code, stdout, project } = await runWith("claude-success", { body: MARK });
  expect(code).toBe(0);
  expect(argv(project)).toEqual([
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--permission-mode",
    "acceptEdits",
    "--allowedTools",
    "Read,Write,Edit,Glob,Grep,Bash",
  ]);
  expect(lastEnd(project).outcome).toBe("accepted");
  expect(lastExit(project)).toMatchObject({
    code: 0,
    result: { good: true, text: "All tasks are finished.\n<promise>COMPLETE</promise>" },
    denials: [],
  });
  expect(lastExit(project).result?.costUsd).toBeCloseTo(0.01512);
  expect(stdout).toContain("complete (exit 0)");
});

test("model, further arguments, another path and skipped permissions reach claude literally", async () => {
  const { project } = given(
    `${MARK}; cat ${streamPath("claude-success")}`,
    `agent: {name: claude, command: ../home/bin/claude, model: "a model", arguments: ["--max-turns", "7", "$HOME; touch pwned"]}\n`,
  );
  const { code } = await project.ralph(["run", "--dangerously-skip-permissions"]);
  expect(code).toBe(0);
  expect(argv(project)).toEqual([
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--model",
    "a model",
    "--dangerously-skip-permissions",
    "--max-turns",
    "7",
    "$HOME; touch pwned",
  ]);
  expect(project.exists("pwned")).toBe(false);
});

test("a promise without any work is a rejected claim", async () => {
  const { code, project } = await runWith("claude-success");
  expect(code).toBe(1);
  expect(lastEnd(project).outcome).toBe("rejected");
});

test("a bad result is a failed agent although it calls itself a success, and exit 0 does not help it", async () => {
  for (const exit of [0, 1]) {
    const { code, project } = await runWith("claude-bad-request", { exit });
    expect(code).toBe(1);
    expect(lastEnd(project)).toMatchObject({ outcome: "agent-failed", charged: true });
    expect(lastEnd(project).reason).toContain("API Error: 400");
    expect(lastExit(project).result).toMatchObject({ good: false, httpStatus: 400 });
  }
});

test("turns used up and a session that was interrupted are failed agents with their own words", async () => {
  const turns = await runWith("claude-max-turns", { exit: 1 });
  expect(lastEnd(turns.project).outcome).toBe("agent-failed");
  expect(lastEnd(turns.project).reason).toContain("Reached maximum number of turns (2)");
  const interrupted = await runWith("claude-interrupted", { exit: 0 });
  expect(lastEnd(interrupted.project).outcome).toBe("agent-failed");
});

test("signed out is fatal at once, with exit 4 and claude's own words", async () => {
  const { code, stdout, project } = await runWith("claude-signed-out", { exit: 1, args: [] });
  expect(code).toBe(4);
  expect(project.outcomes()).toEqual(["fatal"]);
  expect(lastEnd(project).charged).toBe(false);
  expect(stdout).toContain("Failed to authenticate. API Error: 401");
});

test("an overloaded provider is waited for, is not charged, and the task is tried again", async () => {
  const { code, project } = await runWith("claude-success", {
    body: `if [ "$RALPH_ITERATION" = 1 ]; then cat ${streamPath("claude-rate-limited")}; exit 1; fi; ${MARK}`,
  });
  expect(code).toBe(0);
  expect(project.outcomes()).toEqual(["rate-limited", "accepted"]);
  expect((await project.status()).charged).toBe(1);
  const [wait] = eventsOf(project, "wait-started");
  const waitMs = Number(wait?.["until"]) - (wait?.at ?? 0);
  expect(waitMs).toBeGreaterThan(3_000);
  expect(waitMs).toBeLessThanOrEqual(5_000);
});

test("a usage limit is waited for until its reset and a little longer, and a stop ends the wait", async () => {
  const resets = Math.floor(Date.now() / 1000) + 600;
  const { project, env } = given(
    `sed 's/1893456000/${resets}/' ${streamPath("claude-usage-limit")}; exit 1`,
  );
  const run = project.start(["run", "-n", "1"], { env });
  await until("it waits", () => run.output().includes("waiting until"));
  expect(project.outcomes()).toEqual(["usage-limited"]);
  expect(lastEnd(project).charged).toBe(false);
  const [wait] = eventsOf(project, "wait-started");
  expect(wait?.["until"]).toBe((resets + 30) * 1000);
  expect(await project.status()).toMatchObject({ state: "waiting", charged: 0 });
  await project.ralph(["stop"]);
  expect((await run.ended).code).toBe(130);
});

test("a usage limit that tells no time is waited for as configured, then the same task is tried again", async () => {
  const { project, env } = given(
    `if [ "$RALPH_ITERATION" = 1 ]; then
      sed 's/"resetsAt":1893456000,//' ${streamPath("claude-usage-limit")}; exit 1
    fi
    ${MARK}; cat ${streamPath("claude-success")}`,
    "limits: {wait: 1200ms}\n",
  );
  const { code } = await project.ralph(["run", "-n", "1"], { env });
  expect(code).toBe(0);
  expect(project.outcomes()).toEqual(["usage-limited", "accepted"]);
  const [started] = eventsOf(project, "wait-started");
  const [ended] = eventsOf(project, "wait-ended");
  expect((ended?.at ?? 0) - (started?.at ?? 0)).toBeGreaterThanOrEqual(1_100);
});

test("a limit event that rejects nothing does nothing, nor do the words of a limit in ordinary text", async () => {
  const { project, env } = given(
    `sed 's/"status":"rejected"/"status":"allowed_warning"/' ${streamPath("claude-usage-limit")} | sed -n 2p
    sed "s/I will write the file/You've hit your limit · resets 3pm/" ${streamPath("claude-success")}; ${MARK}`,
  );
  const { code } = await project.ralph(["run", "-n", "1"], { env });
  expect(code).toBe(0);
  expect(lastExit(project).limit).toBeUndefined();
  expect(project.outcomes()).toEqual(["accepted"]);
});

test("of two results in one process the last one counts", async () => {
  const { code, project } = await runWith("claude-two-results", { body: MARK });
  expect(code).toBe(0);
  expect(lastExit(project).result?.costUsd).toBeCloseTo(0.02016);
  const bad = given(
    `${MARK}; sed '$s/.*//' ${streamPath("claude-two-results")}; tail -n 1 ${streamPath("claude-bad-request")}`,
  );
  await bad.project.ralph(["run", "-n", "1"], { env: bad.env });
  expect(lastExit(bad.project).result?.good).toBe(false);
  expect(lastEnd(bad.project).outcome).toBe("agent-failed");
});

test("claude that stays alive after its result, with a background task, is ended and counted as normal", async () => {
  const mark = newMark();
  const { project, env } = given(
    `${MARK}; cat ${streamPath("claude-success")}; setsid sleep ${mark} & sleep ${mark}`,
    "clocks: {after_result: 300ms}\n",
  );
  const { code } = await project.ralph(["run", "-n", "1"], { env });
  expect(code).toBe(0);
  expect(lastEnd(project)).toMatchObject({ outcome: "accepted", clock: "grace" });
  expect(leftovers(project, mark)).toEqual([]);
});

test("a denied tool is recorded with its name and input", async () => {
  const { project } = await runWith("claude-denied", { exit: 0 });
  const [first] = lastExit(project).denials;
  const line = stream("claude-denied").trimEnd().split("\n").at(-1) ?? "";
  const told = JSON.parse(line) as { permission_denials: { tool_name: string }[] };
  expect(first?.tool).toBe(told.permission_denials[0]?.tool_name);
  expect(first?.input).toMatch(/^\{".+\}$/u);
});

test("no result and exit 0 is not a finished iteration that anyone believes", async () => {
  const { project, env } = given(`sed '$d' ${streamPath("claude-success")}`);
  const { code } = await project.ralph(["run", "-n", "1"], { env });
  expect(code).toBe(1);
  expect(project.outcomes()).toEqual(["no-op"]);
});

test("a missing program is told with what to do, exit 4, and the run goes on when it is there", async () => {
  const { project, env } = given(`${MARK}; cat ${streamPath("claude-success")}`);
  const missing = await project.ralph(["run"], { env: { PATH: "/usr/bin:/bin" } });
  expect(missing.code).toBe(4);
  expect(missing.stdout).toContain('the program "claude" was not found; install it with');
  expect(await project.status()).toMatchObject({ charged: 0, end: { reason: "agent-unusable" } });
  const [{ run } = { run: "" }] = project.events();
  const again = await project.ralph(["run"], { env });
  expect(again.code).toBe(0);
  expect(again.stdout).toContain(`run ${run} goes on`);
});

test("a file that cannot be executed is no program either", async () => {
  const project = new TestProject();
  project.stories({ id: "S-1" });
  project.write("agent.sh", "#!/bin/sh\n");
  project.config("agent: {name: command, command: ./agent.sh}\n");
  project.commitAll();
  const { code, stdout } = await project.ralph(["run"]);
  expect(code).toBe(4);
  expect(stdout).toContain('the program "./agent.sh" is not executable: chmod +x ./agent.sh');
  expect(project.outcomes()).toEqual(["fatal"]);
});

test("a program whose interpreter is missing cannot be used: exit 4, and no iteration is charged", async () => {
  const project = new TestProject();
  project.stories({ id: "S-1" });
  project.write("agent.sh", "#!/no/such/shell\n");
  chmodSync(join(project.root, "agent.sh"), 0o755);
  project.config("agent: {name: command, command: ./agent.sh}\n");
  project.commitAll();
  const { code, stdout } = await project.ralph(["run"]);
  expect(code).toBe(4);
  expect(stdout).toContain("the agent could not be started");
  expect(await project.status()).toMatchObject({ charged: 0 });
});
