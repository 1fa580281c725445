// Keeps in mind what the person and the accepted work have made of the project, so that an agent's doings can be told
// from a person's, over iterations, restarts and runs.

import type { Event, Inherited, IterationEnd } from "../schema/event.ts";
import type { Aside, RunState, Trust } from "./state.ts";

const TOUCHED_MAX = 50;

export const NO_ASIDE: Aside = {
  tasks: undefined,
  settings: undefined,
  prompt: undefined,
  template: undefined,
};

export function trustAtStart(inherited: Inherited | undefined): Trust {
  return {
    commit: inherited?.trusted,
    head: inherited?.head,
    touched: inherited?.touched ?? [],
    findings: inherited?.findings ?? [],
    list: undefined,
    settings: undefined,
    prompt: undefined,
    template: undefined,
  };
}

export function trustAfter({ trust, current }: RunState, event: Event): Trust {
  switch (event.type) {
    case "project-read":
      return afterReading(trust, event);
    case "project-inspected": {
      const { git, list, guarded, touched = [], findings = [] } = event.change;
      return {
        ...trust,
        head: git?.head,
        list: list ?? trust.list,
        settings: guarded?.settings,
        prompt: guarded?.prompt,
        template: guarded?.template,
        touched: [...new Set([...trust.touched, ...touched])].slice(0, TOUCHED_MAX),
        findings,
      };
    }
    case "committed":
      return { ...trust, head: event.commit ?? trust.head };
    case "tasks-restored":
    case "task-marked":
      return { ...trust, list: event.list ?? trust.list };
    case "file-restored":
      return { ...trust, [event.file]: current?.before?.guarded?.[event.file] };
    case "edits-accepted":
      return { ...trust, commit: undefined, touched: [], findings: [] };
    default:
      return trust;
  }
}

/** Accepted work is what the next agent's is compared with. */
export function trustAtEnd(trust: Trust, end: IterationEnd): Trust {
  if (end.outcome !== "accepted" || trust.findings.length > 0) return trust;
  return { ...trust, commit: trust.head, touched: [] };
}

/** A commit that no agent of ours has made is a person's, and so is all that is in it. */
function afterReading(trust: Trust, { reading }: Event & { type: "project-read" }): Trust {
  const head = reading.git?.head;
  const isPersons = trust.head !== undefined && trust.head !== head;
  const seen = {
    ...trust,
    head,
    list: reading.list ?? trust.list,
    settings: reading.guarded?.settings,
    prompt: reading.guarded?.prompt,
    template: reading.guarded?.template,
  };
  if (trust.commit !== undefined && !isPersons) return seen;
  return { ...seen, commit: head, touched: [], findings: [] };
}
