// Makes a task list of an issue: items of its task lists become stories, bullets below one its criteria, and all that
// was written goes into a document of its own. Pure; gh-issue.ts fetches the issue.

import { clip } from "../../std/text.ts";

/** An issue with all that was said about it. */
export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly labels: readonly string[];
  readonly comments: readonly { readonly author: string; readonly body: string }[];
}

/** A story as it is written into a new prd.json. */
export interface NewStory {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  readonly priority: number;
  readonly passes: false;
  readonly notes: string;
}

/** What an issue is made into. */
export interface IssueList {
  readonly description: string;
  readonly stories: readonly NewStory[];
  /** The document with everything in it, and its name in the specs folder. */
  readonly spec: { readonly name: string; readonly text: string };
}

interface Item {
  readonly title: string;
  readonly isTicked: boolean;
  readonly criteria: string[];
}

/** All that one text gives: items of task lists, and criteria of the whole. */
interface Found {
  readonly items: Item[];
  readonly criteria: string[];
}

const STORIES_MAX = 200;
const CRITERIA_MAX = 30;
const TITLE_MAX = 200;
const CRITERION_MAX = 500;
const BULLET = /^([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[([ xX])\](?:[ \t]+|$))?(.*)$/u;
const FENCE = /^\s*(?:`{3,}|~{3,})/u;
const HEADING = /^\s{0,3}#{1,6}\s+(.*?)[\s#]*$/u;
const CRITERIA_HEADING = /^(?:\*\*|__)?acceptance criteria:?(?:\*\*|__)?:?$/iu;
const TICKED = "ticked in the issue; look whether it is really done";

export function parseIssue(issue: Issue): IssueList {
  const texts = [issue.body, ...issue.comments.map(({ body }) => body)];
  const found = texts.map(findItems);
  const items = unique(found.flatMap((one) => one.items));
  const criteria = found.flatMap((one) => one.criteria);
  const description = oneLine(issue.title, CRITERION_MAX) || `Issue ${issue.number}`;
  const all = items.length > 0 ? items : [{ title: description, isTicked: false, criteria: [] }];
  const spec = `issue-${issue.number}.md`;
  const stories = all.slice(0, STORIES_MAX).map(({ title, isTicked, criteria: own }, index) => {
    // What holds for the whole is looked at when the last one is done.
    const isLast = index === Math.min(all.length, STORIES_MAX) - 1;
    return {
      id: `STORY-${String(index + 1).padStart(3, "0")}`,
      title,
      description: `From issue ${issue.number}: ${description}. All of it is in specs/${spec}.`,
      acceptanceCriteria: [...own, ...(isLast ? criteria : [])].slice(0, CRITERIA_MAX),
      priority: index + 1,
      passes: false,
      notes: isTicked ? TICKED : "",
    } as const;
  });
  return { description, stories, spec: { name: spec, text: renderSpec(issue) } };
}

function findItems(text: string): Found {
  const found: Found = { items: [], criteria: [] };
  let isFenced = false;
  let isInCriteria = false;
  let item: { indent: number; item: Item } | undefined;
  for (const line of text.replaceAll(/<!--[\s\S]*?-->/gu, "").split(/\r?\n/u)) {
    if (FENCE.test(line)) isFenced = !isFenced;
    if (isFenced || line.trim() === "") continue;
    const heading = headingOf(line);
    const bullet = heading === undefined ? BULLET.exec(line) : null;
    if (heading !== undefined) {
      isInCriteria = CRITERIA_HEADING.test(heading);
      item = undefined;
    } else if (bullet !== null) {
      const [, space = "", box, words = ""] = bullet;
      const indent = space.replaceAll("\t", "    ").length;
      const title = oneLine(words, isInCriteria ? CRITERION_MAX : TITLE_MAX);
      if (title === "") continue;
      if (isInCriteria) found.criteria.push(title);
      else if (item !== undefined && indent > item.indent)
        item.item.criteria.push(oneLine(words, CRITERION_MAX));
      else if (box !== undefined) {
        item = { indent, item: { title, isTicked: box !== " ", criteria: [] } };
        found.items.push(item.item);
      } else item = undefined;
      // An indented line goes on with what stands above it; any other ends the list.
    } else if (!/^\s/u.test(line)) item = undefined;
  }
  return found;
}

/** The words of a heading; a bold line and `Acceptance criteria:` alone on its line are headings, too. */
function headingOf(line: string): string | undefined {
  const marked = HEADING.exec(line)?.[1];
  if (marked !== undefined) return marked.trim();
  const bare = line.trim();
  const isBold = /^(?:\*\*.+\*\*|__.+__):?$/u.test(bare);
  return isBold || CRITERIA_HEADING.test(bare) ? bare : undefined;
}

/** A comment that repeats the list of the issue adds nothing. */
function unique(items: readonly Item[]): Item[] {
  const seen = new Set<string>();
  return items.filter(({ title }) => {
    const key = title.toLowerCase();
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function renderSpec({ number, title, url, labels, body, comments }: Issue): string {
  const parts = [
    `# ${oneLine(title, CRITERION_MAX)}`,
    `Issue ${number}: ${url}`,
    ...(labels.length === 0 ? [] : [`Labels: ${labels.join(", ")}`]),
    body.trim() === "" ? "(no text)" : body.replaceAll("\r\n", "\n").trim(),
    ...comments.map(
      ({ author, body: said }, index) =>
        `## Comment ${index + 1} by ${author}\n\n${said.replaceAll("\r\n", "\n").trim()}`,
    ),
  ];
  return `${parts.join("\n\n")}\n`;
}

function oneLine(text: string, max: number): string {
  const bare = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").replaceAll(/\s+/gu, " ");
  return clip(bare.trim(), max);
}
