// Fetches an issue through GitHub's own program `gh`, and says in plain words why it could not.

import * as z from "zod/mini";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { printableLine } from "../../std/printable.ts";
import { err, ok, type Result } from "../../std/result.ts";
import type { Host } from "../host/host.ts";
import { runCommand, type CommandAnswer } from "../host/short-command.ts";
import type { Issue } from "./from-issue.ts";

const TIMEOUT_MS = 30_000;
const WORDS_MAX = 400;
const FIELDS = "number,title,body,url,comments,labels";
const FLAG = "--from-issue";
/** A number, with or without `#`, or the address of an issue; nothing that `gh` could take for an option. */
const REFERENCE =
  /^(?:#?(\d{1,10})|https?:\/\/[^\s/]+\/[^\s/]+\/[^\s/]+\/(?:issues|pull)\/\d+\S*)$/u;

const Answer = z.object({
  number: z.int(),
  title: z.string(),
  body: z.nullish(z.string()),
  url: z.string(),
  comments: z.nullish(
    z.array(
      z.object({
        author: z.nullish(z.object({ login: z.optional(z.string()) })),
        body: z.nullish(z.string()),
      }),
    ),
  ),
  labels: z.nullish(z.array(z.object({ name: z.string() }))),
});

/** What to fetch; `cwd` is where a bare number is looked up. */
export interface IssueOrder {
  readonly reference: string;
  readonly cwd: string;
  readonly timeoutMs?: number;
}

export async function readIssue(
  host: Host,
  { reference, cwd, timeoutMs = TIMEOUT_MS }: IssueOrder,
): Promise<Result<Issue, Diagnostic>> {
  const match = REFERENCE.exec(reference);
  if (match === null) return err(notAnIssue(reference));
  const program = host.processes.locate("gh", host.env["PATH"] ?? "", cwd);
  if (program === undefined) return err(noProgram());
  const answer = await runCommand(host, {
    argv: [program, "issue", "view", match[1] ?? reference, "--json", FIELDS],
    cwd,
    env: environment(host),
    input: undefined,
    timeoutMs,
    signal: undefined,
  });
  if (answer.code !== 0) return err(explain(reference, answer));
  const issue = parseAnswer(answer.stdout.toString("utf8"));
  return issue === undefined ? err(strangeAnswer(reference)) : ok(issue);
}

/** It asks nobody, colours nothing and looks for no update. */
function environment(host: Host): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(host.env)) if (value !== undefined) env[name] = value;
  return { ...env, GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", NO_COLOR: "1" };
}

function parseAnswer(text: string): Issue | undefined {
  try {
    const { number, title, body, url, comments, labels } = Answer.parse(JSON.parse(text));
    return {
      number,
      title,
      body: body ?? "",
      url,
      labels: (labels ?? []).map(({ name }) => name),
      comments: (comments ?? []).map((comment) => ({
        author: comment.author?.login ?? "somebody",
        body: comment.body ?? "",
      })),
    };
  } catch {
    return undefined;
  }
}

/** What `gh` says when it fails, and what helps. The first row that fits counts. */
const FAILURES: readonly (readonly [RegExp, string, string])[] = [
  [
    /gh auth login|not logged in|authentication|HTTP 401|GH_TOKEN/iu,
    "gh is signed out",
    "sign in: gh auth login",
  ],
  [
    /could not resolve to an? |not found|HTTP 404|no issue/iu,
    "there is no such issue, or you may not see it",
    "look at the address; a bare number is looked up in the repository you are in",
  ],
  [
    /no git remotes|not a git repository|none of the git remotes/iu,
    "a bare number needs a repository on GitHub",
    "give the whole address: https://github.com/OWNER/NAME/issues/NUMBER",
  ],
  [
    /error connecting|dial tcp|no such host|network|connection|timeout|timed out|TLS/iu,
    "GitHub cannot be reached",
    "look at your connection, or make the feature without it: ralph init NAME",
  ],
];

function explain(reference: string, answer: CommandAnswer): Diagnostic {
  const expected = "an issue that gh can read";
  const file = `${FLAG} ${printableLine(reference, WORDS_MAX)}`;
  if (answer.timedOut) {
    const remedy = "look at your connection, then try again";
    return { file, problem: "gh did not answer in time and was ended", expected, remedy };
  }
  const words = printableLine(answer.stderr, WORDS_MAX);
  const said = words === "" ? "" : ` (gh says: ${words})`;
  const known = FAILURES.find(([pattern]) => pattern.test(answer.stderr));
  const [, problem = "gh failed", remedy = "make `gh issue view` work first"] = known ?? [];
  return { file, problem: `${problem}${said}`, expected, remedy };
}

function notAnIssue(reference: string): Diagnostic {
  return {
    file: "command line",
    problem: `${FLAG} is "${printableLine(reference, WORDS_MAX)}"`,
    expected:
      "the address of an issue, such as https://github.com/OWNER/NAME/issues/12, or its number",
    remedy: "copy it from your browser",
  };
}

function noProgram(): Diagnostic {
  return {
    file: "command line",
    problem: `${FLAG} needs the program gh, which is not on your PATH`,
    expected: "GitHub's command line program",
    remedy:
      "install it from https://cli.github.com, or make the feature without it: ralph init NAME",
  };
}

function strangeAnswer(reference: string): Diagnostic {
  return {
    file: `${FLAG} ${printableLine(reference, WORDS_MAX)}`,
    problem: "gh answered something that is no issue",
    expected: `JSON with ${FIELDS}`,
    remedy: "bring gh up to date, then try again",
  };
}
