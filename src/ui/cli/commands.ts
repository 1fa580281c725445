// The whole command line as one table. Help texts and checks are made from it.

import type { CommandRow, OptionRow } from "./command.ts";

const FEATURE: OptionRow = {
  flags: "-f, --feature <name>",
  text: "feature to use (default: the only one, or the one the branch is named after)",
  kind: "text",
};

/** Flags that stand for settings. */
const SETTINGS: readonly OptionRow[] = [
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
    flags: "--on-limit <mode>",
    text: "at a usage limit: ask (where nobody sits: wait), wait or exit (default: ask)",
    kind: "text",
    choices: ["ask", "wait", "exit"],
  },
];

export const commands: readonly CommandRow[] = [
  {
    name: "init",
    args: "<feature>",
    summary: "make a new feature: task list, progress log, prompt, room for specs",
    options: [
      {
        flags: "--from-issue <url>",
        text: "make the stories of a GitHub issue: its address, or its number (needs gh)",
        kind: "text",
      },
      { flags: "--tdd", text: "with the prompt that asks for tests first", kind: "flag" },
    ],
    examples: [
      "ralph init checkout",
      "ralph init checkout --from-issue https://github.com/me/shop/issues/42",
    ],
    visibility: "shown",
    load: async () => (await import("./init.ts")).init,
  },
  {
    name: "run",
    args: "",
    summary:
      "work through the task list until it is really done; goes on with a run that was cut off",
    options: [
      FEATURE,
      ...SETTINGS,
      { flags: "--no-archive", text: "do not archive the feature once complete", kind: "flag" },
      {
        flags: "--reset-circuit",
        text: "close the circuit breaker that an earlier run has left open",
        kind: "flag",
      },
      {
        flags: "-p, --prompt <file>",
        text: "give the agent this file, to the last byte, in place of every other prompt",
        kind: "text",
      },
      {
        flags: "--dry-run",
        text: "only show what would happen: settings, story, whole prompt, command line, gates",
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
    name: "archive",
    args: "",
    summary: "lay a feature by: move it to .ralph/archive/ and commit that",
    options: [
      FEATURE,
      { flags: "--keep", text: "copy it, and leave the feature where it is", kind: "flag" },
    ],
    examples: ["ralph archive", "ralph archive -f checkout --keep"],
    visibility: "shown",
    load: async () => (await import("./archive.ts")).archive,
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
    name: "demo",
    args: "",
    summary: "watch a whole run in a throw-away repository",
    options: [
      {
        flags: "--keep <dir>",
        text: "where to make it: a new or empty folder (default: one in the temporary folder)",
        kind: "text",
      },
      { flags: "-v, --verbose", text: "show what the agent is doing", kind: "flag" },
    ],
    examples: ["ralph demo", "ralph demo --keep ~/ralph-demo"],
    visibility: "shown",
    load: async () => (await import("./demo.ts")).demo,
  },
  {
    name: "doctor",
    args: "",
    summary: "check machine, project and settings; say what to mend",
    options: [FEATURE, { flags: "--json", text: "print one JSON object", kind: "flag" }],
    examples: ["ralph doctor", "ralph doctor --json | jq .problems"],
    visibility: "shown",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  {
    name: "completion",
    args: "<shell>",
    summary: "print the completion script for bash, zsh or fish",
    options: [],
    examples: ['eval "$(ralph completion bash)"', "ralph completion fish | source"],
    visibility: "shown",
    load: async () => (await import("./completion.ts")).completion,
  },
  {
    name: "install",
    args: "",
    summary: "put ralph and its completion into your home folder",
    options: [
      {
        flags: "--global",
        text: "for all projects: ~/.ralph and your shell's start file",
        kind: "flag",
      },
      { flags: "--dry-run", text: "only show what would be written", kind: "flag" },
    ],
    examples: ["ralph install --global --dry-run", "ralph install --global"],
    visibility: "shown",
    load: async () => (await import("./install.ts")).install,
  },
  {
    name: "uninstall",
    args: "",
    summary: "take away exactly what `ralph install` wrote",
    options: [
      { flags: "--global", text: "what `ralph install --global` has written", kind: "flag" },
      { flags: "--dry-run", text: "only show what would be removed", kind: "flag" },
    ],
    examples: ["ralph uninstall --global --dry-run", "ralph uninstall --global"],
    visibility: "shown",
    load: async () => (await import("./install.ts")).uninstall,
  },
  {
    name: "complete",
    args: "[words...]",
    summary: "print what may stand for the last of these words, for a shell",
    options: [],
    examples: ["ralph complete -- run --feature ''"],
    visibility: "hidden",
    load: async () => (await import("./completion.ts")).complete,
  },
  {
    name: "config",
    args: "[get] [key]",
    summary: "show every setting in force and where it comes from; `config get KEY` prints one",
    options: [{ flags: "--json", text: "print one JSON object", kind: "flag" }, ...SETTINGS],
    examples: [
      "ralph config",
      "ralph config get defaults.max_iterations",
      "ralph config -n 5 --json",
    ],
    visibility: "shown",
    load: async () => (await import("./config.ts")).config,
  },
  {
    name: "validate",
    args: "",
    summary: "check settings, task list, agent, gates and prompt template; changes nothing",
    options: [FEATURE, { flags: "--json", text: "print one JSON object", kind: "flag" }],
    examples: ["ralph validate", "ralph validate -f checkout --json"],
    visibility: "shown",
    load: async () => (await import("./validate.ts")).validate,
  },
  {
    name: "eject",
    args: "",
    summary: "write the prompt template into the project, to be changed there",
    options: [
      { flags: "--tdd", text: "the one that asks for a test first", kind: "flag" },
      { flags: "--force", text: "write over a template that is there", kind: "flag" },
    ],
    examples: ["ralph eject", "ralph eject --tdd --force"],
    visibility: "shown",
    load: async () => (await import("./eject.ts")).eject,
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
