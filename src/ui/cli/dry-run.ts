// `ralph run --dry-run`: what would happen now, and nothing else.

import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { EXIT_CODES } from "../../core/schema/outcome.ts";
import { planRun, type RunPlan } from "../../engine/run/plan-run.ts";
import { shellQuote } from "../../std/shell-quote.ts";
import { count } from "../../std/text.ts";
import type { Handler } from "./command.ts";
import { orderOf } from "./run-order.ts";
import { renderSettings, settingObjects } from "./settings-table.ts";

export const dryRun: Handler = async (io, call) => {
  const notices: string[] = [];
  const plan = await planRun(io.host, orderOf(io, call), (text) => notices.push(text));
  if (!plan.ok) {
    io.err(renderDiagnostics(plan.error));
    return EXIT_CODES["bad-input"];
  }
  if (call.options["json"] === true) {
    io.out(`${JSON.stringify({ ...planObject(plan.value), notices })}\n`);
    return 0;
  }
  for (const notice of notices) io.err(`note: ${notice}\n`);
  io.out(renderPlan(plan.value));
  return 0;
};

function planObject({ settings, next, holder, config, ...plan }: RunPlan) {
  return {
    feature: plan.feature,
    run: plan.goesOn ?? null,
    branch: plan.branch?.name ?? null,
    hasUnseenWork: plan.hasUnseenWork,
    working: holder === undefined ? null : { run: holder.run, pid: holder.pid },
    settings: settingObjects(settings),
    tasks: { total: plan.tasks.total, done: plan.tasks.done, open: plan.tasks.open },
    story: next === undefined ? null : { ...next.story, attempt: next.attempt },
    prompt:
      next === undefined
        ? null
        : { text: next.prompt.text, tokens: next.prompt.tokens, begins: next.opening },
    argv: plan.argv,
    gates: config.gates.map(({ name, command, timeoutMs }) => ({ name, command, timeoutMs })),
  };
}

function renderPlan(plan: RunPlan): string {
  const { tasks, next, config } = plan;
  const parts = [
    `dry run of ${plan.feature}: nothing is started or changed\n${runLines(plan)}`,
    `settings\n\n${renderSettings(plan.settings)}`,
    `story\n\n${storyLine(plan)}\n${tasks.done} of ${count(tasks.total, "task")} done\n`,
    ...(next === undefined
      ? []
      : [
          `prompt: about ${next.prompt.tokens} tokens, begins with ${next.opening}\n\n${next.prompt.text}`,
        ]),
    `command line, with the prompt on standard input\n\n${plan.argv.map(shellQuote).join(" ")}\n`,
    `gates\n\n${config.gates.map(({ name, command }) => `${name}: ${command}\n`).join("") || "none: work will be unverified\n"}`,
  ];
  return parts.map((part) => `== ${part}`).join("\n");
}

function runLines({ goesOn, branch, hasUnseenWork, holder }: RunPlan): string {
  const lines = [goesOn === undefined ? "a new run would start" : `run ${goesOn} would go on`];
  if (branch !== undefined) {
    const made = branch.missing === "create" ? ", which is created where it is missing" : "";
    lines.push(`on branch ${branch.name}${made}`);
  }
  if (hasUnseenWork) lines.push("first what its last agent left would be looked at");
  if (holder !== undefined)
    lines.push(`not now: run ${holder.run} works in this tree (pid ${holder.pid})`);
  return `${lines.join("\n")}\n`;
}

function storyLine({ next, tasks }: RunPlan): string {
  if (next !== undefined) return `${next.story.id}: ${next.story.title} (attempt ${next.attempt})`;
  return tasks.open === 0
    ? "none is open: only the gates would run"
    : "none can be worked on now: all open ones wait for others or are laid aside";
}
