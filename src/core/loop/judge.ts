// Decides whether the claims of an iteration stand. A claim is a mark in the task list, a promise in the final message
// or a stop file; what makes it true is that nothing is open, that no gate got worse and that nothing was tampered with.

import { lookUp } from "../../std/look-up.ts";
import type { Rejection } from "../schema/effect.ts";
import type { Claim, IterationEnd, Parked } from "../schema/event.ts";
import type { TaskRef } from "../schema/task.ts";
import { questionOf } from "./asks.ts";
import {
  classifyExit,
  exitWords,
  isCharged,
  outcomeOfExit,
  type ExitClass,
} from "./classify-exit.ts";
import { isGated, redWords, verdictOf, type GateVerdict } from "./gates.ts";
import { judgeUnstarted } from "./judge-unstarted.ts";
import { gateWords, NOTHING_CLAIMED, type Judgement } from "./judgement.ts";
import { hasPromise } from "./promise.ts";
import type { IterationState, RunState } from "./state.ts";
import { isTrespass, names, personNeeded, tamperLines, tampering } from "./tampering.ts";

/** Gates have to run: something claims to be done, or everything is, and nothing else speaks against it. */
export function needsGates(it: IterationState): boolean {
  const after = it.after;
  if (after === undefined) return it.before?.tasks.open === 0;
  if (personNeeded(it) !== undefined || tampering(it) !== undefined) return false;
  return marks(it).length > 0 || isAllDone(it);
}

export function judge(state: RunState, it: IterationState): Judgement {
  if (it.exit === undefined) return judgeUnstarted(state, it);
  const ended = classifyExit(it.exit);
  const charged = isCharged(it.exit, ended);
  const blocked = personNeeded(it);
  const marked = marks(it);
  if (blocked !== undefined) {
    const claims = claimsOf(state, it, { problem: blocked, verified: false });
    const common = { ...NOTHING_CLAIMED, charged, claims, takenBack: marked, blocked: true };
    return { ...common, outcome: "needs-human", reason: blocked };
  }
  const verdict = verdictOf(state, it);
  const isChecked = marked.length === 0 ? verdict.count > 0 : areVerified(state, it, marked);
  const problem =
    tampering(it) ?? gateProblem(verdict) ?? doubt(isChecked, ended) ?? emptyProblem(state, it);
  const isClaimed = marked.length > 0 || saysDone(state, it) || isTrespass(it);
  if (problem !== undefined && isClaimed) {
    const claims = claimsOf(state, it, { problem, verified: false });
    const outcome = ended === "ended-well" ? "rejected" : outcomeOfExit(ended);
    const common = { ...NOTHING_CLAIMED, claims, takenBack: marked, charged };
    // What makes an agent unusable ends the run, so it is said before all else.
    const reason = ended === "unusable" ? `${exitWords(it.exit, ended)}; ${problem}` : problem;
    return { ...common, outcome, reason };
  }
  if (marked.length > 0) return accept(state, it, marked, verdict);
  return { ...withoutMarks(state, it, ended), charged };
}

/** What the next prompt says about a claim of this iteration that did not stand. */
export function rejectionOf(
  state: RunState,
  it: IterationState,
  end: IterationEnd,
): Rejection | undefined {
  if (end.outcome === "accepted") {
    const promise = promiseProblem(state, it);
    return promise === undefined || end.complete ? undefined : { reason: promise, lines: [] };
  }
  // An agent that marked a task and then failed has made a claim, too.
  const refused = end.claims?.find(({ verdict }) => verdict === "rejected");
  // What only a person can put right is told to the person.
  const found = end.blocked === true ? undefined : (tampering(it) ?? refused?.reason);
  const isTold = end.outcome === "rejected" || end.outcome === "timed-out" || found !== undefined;
  if (!isTold) return undefined;
  const { worse, asBefore } = verdictOf(state, it);
  const [red] = [...worse, ...asBefore];
  const lines = red?.lines ?? tamperLines(it);
  const reason = found ?? end.reason;
  return { ...(it.task === undefined ? {} : { task: it.task }), reason, lines: [...lines] };
}

/** A new commit, a change in the list that stands, a better gate or a changed tree, since the iteration began. */
export function hasProgress(it: IterationState, judgement: Judgement): boolean {
  const { after } = it;
  if (after === undefined) return false;
  const { reopened, added } = after.changes;
  const isListChanged =
    judgement.accepted.length > 0 || (!it.restored && reopened.length + added.length > 0);
  return after.commits > 0 || after.treeChanged || isListChanged || it.gateImproved;
}

/** A list that was put back holds no marks of the agent. */
function marks(it: IterationState): readonly TaskRef[] {
  return it.restored ? [] : (it.after?.changes.finished ?? []);
}

function isAllDone(it: IterationState): boolean {
  return !it.restored && it.after?.problem === undefined && it.after?.tasks.open === 0;
}

function accept(
  state: RunState,
  it: IterationState,
  marked: readonly TaskRef[],
  verdict: GateVerdict,
): Judgement {
  const isClean = verdict.asBefore.length === 0;
  const accepted = marked.map(
    (task) =>
      ({
        task,
        verification: areVerified(state, it, [task]) ? "verified" : "unverified",
      }) as const,
  );
  const verified = accepted.every(({ verification }) => verification === "verified");
  const reason = `${names(marked)} done, ${acceptedWords(verdict)}`;
  const claims = claimsOf(state, it, { problem: undefined, verified, accepted: reason });
  const complete = isAllDone(it) && isClean;
  return { ...NOTHING_CLAIMED, outcome: "accepted", reason, accepted, claims, complete };
}

/** Every gate is green, and each of the tasks has one that looks at it. */
function areVerified(state: RunState, it: IterationState, marked: readonly TaskRef[]): boolean {
  const { worse, asBefore } = verdictOf(state, it);
  if (worse.length + asBefore.length > 0) return false;
  return marked.every((task) => isGated(state, it, task.id));
}

function withoutMarks(state: RunState, it: IterationState, ended: ExitClass): Judgement {
  const promise = promiseProblem(state, it);
  const verdict = verdictOf(state, it);
  const isClean = verdict.asBefore.length + verdict.worse.length === 0;
  const complete = isAllDone(it) && isClean && tampering(it) === undefined;
  const claims = claimsOf(state, it, { problem: promise, verified: complete && verdict.count > 0 });
  const base = { ...NOTHING_CLAIMED, claims, complete };
  if (ended !== "ended-well") {
    const reason = it.exit === undefined ? "" : exitWords(it.exit, ended);
    return { ...base, outcome: outcomeOfExit(ended), reason };
  }
  if (promise !== undefined) return { ...base, outcome: "rejected", reason: promise };
  const progress = hasProgress(it, { ...base, outcome: "no-op", reason: "" }) ? "some" : "none";
  const question = it.exit === undefined || complete ? undefined : questionOf(it.exit, progress);
  if (question !== undefined) {
    const parked: Parked = { why: "asked", detail: question };
    return { ...base, outcome: "needs-human", reason: `the agent asks: ${question}`, parked };
  }
  if (progress === "none") {
    const reason = "no commit, no task change and no change in the tree";
    return { ...base, outcome: "no-op", reason };
  }
  const found = tampering(it);
  const note = found === undefined ? "" : `, and ${found}`;
  return {
    ...base,
    outcome: "progressed",
    reason: `work was done, but no task was finished${note}`,
  };
}

/** Every claim of the iteration with what became of it. */
function claimsOf(
  state: RunState,
  it: IterationState,
  how: { problem: string | undefined; verified: boolean; accepted?: string },
): Claim[] {
  const stands = how.verified ? "accepted" : "unverified";
  const verdict = how.problem === undefined ? stands : "rejected";
  const reason = how.problem ?? how.accepted ?? "nothing is open";
  const claims: Claim[] = [];
  if ((it.after?.changes.finished.length ?? 0) > 0) claims.push({ kind: "mark", verdict, reason });
  // That all is done is a claim of its own: true marks do not make it true.
  const open = openWords(it);
  const isFalse = how.problem === undefined && open !== undefined;
  const whole: Omit<Claim, "kind"> = isFalse
    ? { verdict: "rejected", reason: open }
    : { verdict, reason };
  if (promises(state, it)) claims.push({ kind: "promise", ...whole });
  if (hasStopFile(it)) claims.push({ kind: "stop-file", ...whole });
  return claims;
}

/** Says that all is done, in words or with a file. */
function saysDone(state: RunState, it: IterationState): boolean {
  return promises(state, it) || hasStopFile(it);
}

/** After a restart it may be out of the way already, and was there all the same. */
function hasStopFile(it: IterationState): boolean {
  return (it.signal ?? it.after?.signal)?.kind === "complete";
}

function promises(state: RunState, it: IterationState): boolean {
  return hasPromise(it.exit?.result?.text ?? "", state.config.promise);
}

/** Why a promise or a stop file without any mark does not stand. */
function promiseProblem(state: RunState, it: IterationState): string | undefined {
  if (!saysDone(state, it)) return undefined;
  const isFile = hasStopFile(it);
  const open = openWords(it);
  const said = isFile ? "the stop file COMPLETE says" : "the final message promises";
  if (open !== undefined) return `${said} that all is done, but ${open}`;
  const { worse, asBefore } = verdictOf(state, it);
  const red = [...worse, ...asBefore];
  return red.length === 0 ? undefined : `${said} that all is done, but ${redWords(red)}`;
}

function openWords(it: IterationState): string | undefined {
  if (isAllDone(it)) return undefined;
  const open = it.after?.tasks.open ?? 0;
  return `${open} ${open === 1 ? "task is" : "tasks are"} open`;
}

function gateProblem({ worse }: GateVerdict): string | undefined {
  return worse.length === 0 ? undefined : redWords(worse);
}

function doubt(isChecked: boolean, ended: ExitClass): string | undefined {
  if (isChecked || ended === "ended-well") return undefined;
  return "the agent did not end normally and no gate could check its work";
}

/** A mark alone is no work: where a gate is red and nothing was ever changed for the task, nothing speaks for it. */
function emptyProblem(state: RunState, it: IterationState): string | undefined {
  const { asBefore } = verdictOf(state, it);
  const isWorkedOn = it.task !== undefined && lookUp(state.struggles, it.task.id)?.worked === true;
  const isChanged = (it.after?.commits ?? 0) > 0 || it.after?.treeChanged === true;
  if (asBefore.length === 0 || isWorkedOn || isChanged || it.gateImproved) return undefined;
  return `${redWords(asBefore)}, and nothing was changed`;
}

function acceptedWords({ count, asBefore }: GateVerdict): string {
  if (count === 0) return "not checked by any gate";
  if (asBefore.length > 0)
    return `unverified: ${redWords(asBefore)} as it did before the first agent`;
  return gateWords(count);
}
