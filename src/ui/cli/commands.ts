// The whole command line as one table. Help texts and checks are made from it.

import type { CommandRow, OptionRow } from "./command.ts";

const FEATURE: OptionRow = {
  flags: "-f, --feature <name>",
  text: "feature to use (default: the only one, or the one the branch is named after)",
  kind: "text",
};

export const commands: readonly CommandRow[] = [
  {
    name: "run",
    args: "",
    summary:
      "work through the task list until it is really done; goes on with a run that was cut off",
    options: [
      FEATURE,
      {
        flags: "-n, --max-iterations <count>",
        text: "most iterations (default: 20)",
        kind: "count",
      },
      {
        flags: "-t, --timeout <duration>",
        text: "most time for one iteration, such as 90s or 15m; a bare number is minutes (default: 15m)",
        kind: "minutes",
      },
      { flags: "--max-time <duration>", text: "most time for the whole run", kind: "minutes" },
      {
        flags: "-r, --rate-limit <count>",
        text: "most agent starts in an hour, over all runs in this tree (default: 100)",
        kind: "count",
      },
      {
        flags: "--max-cost <usd>",
        text: "end the run when the agents have told of this much",
        kind: "amount",
      },
      {
        flags: "--max-tokens <count>",
        text: "end the run when the agents have told of so many",
        kind: "count",
      },
      {
        flags: "--reset-circuit",
        text: "close the circuit breaker that an earlier run has left open",
        kind: "flag",
      },
      {
        flags: "--agent <name>",
        text: "claude, command or scripted (default: from the config, else claude)",
        kind: "text",
      },
      {
        flags: "--dangerously-skip-permissions",
        text: "let the agent do anything without asking",
        kind: "flag",
      },
      {
        flags: "--resume",
        text: "go on with an unfinished run, and refuse to start a new one",
        kind: "flag",
      },
      {
        flags: "--take-over",
        text: "take the place of a run on another machine that is known to be dead",
        kind: "flag",
      },
      { flags: "--detach", text: "leave it running in the background", kind: "flag" },
      {
        flags: "--json",
        text: "print the end as one JSON object on standard output, all else on standard error",
        kind: "flag",
      },
      { flags: "-v, --verbose", text: "show what the agent is doing", kind: "flag" },
    ],
    examples: [
      "ralph run",
      "ralph run -f checkout -n 30 -t 20m",
      "ralph run --detach && ralph logs --follow",
    ],
    visibility: "shown",
    load: async () => (await import("./run.ts")).run,
  },
  {
    name: "status",
    args: "",
    summary: "show where a feature stands",
    options: [
      FEATURE,
      { flags: "--json", text: "print one JSON object", kind: "flag" },
      { flags: "--watch", text: "show it again on every change, until the run ends", kind: "flag" },
    ],
    examples: ["ralph status", "ralph status --json | jq .state"],
    visibility: "shown",
    load: async () => (await import("./status.ts")).status,
  },
  {
    name: "logs",
    args: "",
    summary: "show what a run has done, event by event",
    options: [
      FEATURE,
      { flags: "--follow", text: "go on until the run ends", kind: "flag" },
      { flags: "--json", text: "print the events as they are stored", kind: "flag" },
      {
        flags: "--last <count>",
        text: "begin with so many events before the end (default: 200)",
        kind: "count",
      },
    ],
    examples: ["ralph logs --last 20", "ralph logs --follow --json"],
    visibility: "shown",
    load: async () => (await import("./logs.ts")).logs,
  },
  {
    name: "why",
    args: "",
    summary: "explain why the last run ended",
    options: [FEATURE],
    examples: ["ralph why"],
    visibility: "shown",
    load: async () => (await import("./why.ts")).why,
  },
  {
    name: "stop",
    args: "",
    summary: "stop the run in this tree after its current iteration",
    options: [
      {
        flags: "--now",
        text: "stop at once: the agent and all its processes are ended",
        kind: "flag",
      },
    ],
    examples: ["ralph stop", "ralph stop --now"],
    visibility: "shown",
    load: async () => (await import("./stop.ts")).stop,
  },
  {
    name: "accept-edits",
    args: "",
    summary: "take what an agent changed and may not change: edits put aside, weakened tests",
    options: [
      FEATURE,
      { flags: "--show", text: "only show what there is to accept", kind: "flag" },
    ],
    examples: ["ralph accept-edits --show", "ralph accept-edits"],
    visibility: "shown",
    load: async () => (await import("./accept-edits.ts")).acceptEdits,
  },
  {
    name: "scripted-agent",
    args: "<scenario>",
    summary: "be an agent that does what a scenario file says",
    options: [],
    examples: ["ralph scripted-agent scenario.yaml"],
    visibility: "hidden",
    load: async () => (await import("./scripted-agent.ts")).scriptedAgent,
  },
];
