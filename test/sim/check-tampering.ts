// Checkers of what agents may not do: it is put right before the next one starts, no claim stands beside it, and nobody
// is blamed for what a person did.

import type { IterationEnd } from "../../src/core/schema/event.ts";
import type { Tell } from "./checkers.ts";
import type { IterationTruth, MomentCheck } from "./iterations.ts";
import { ofType } from "./replay.ts";
import { MAIN } from "./pretend-repository.ts";
import type { Tampering, Truth } from "./timeline.ts";

export function watchTampering(tell: Tell): MomentCheck {
  return ({ now, it, log }) => {
    if (now.type === "agent-let-go") checkStart(now, tell);
    if (now.type !== "logged" || now.event.type !== "iteration-ended") return;
    const { end, iteration = 0 } = now.event;
    const { truth } = now;
    if (truth === undefined || it.agent === undefined) return;
    checkLeft(truth, iteration, tell);
    checkClaims(end, truth, it, tell);
    const isHistoryLost = ofType(log, "project-inspected").some(
      (e) => e.iteration === iteration && (e.change.dropped ?? 0) > 0,
    );
    if (isHistoryLost && !it.isForgotten && end.accepted.length > 0)
      tell("repository-is-mended", `iteration ${iteration} is accepted and took commits away`);
  };
}

function checkStart(
  now: Parameters<MomentCheck>[0]["now"] & { type: "agent-let-go" },
  tell: Tell,
): void {
  const { branch, lost, stashLost, isLocked } = now.repository;
  const say = (words: string): void => tell("repository-is-mended", `agent ${now.pid} ${words}`);
  if (branch !== MAIN) say(`starts on ${branch ?? "no branch"}`);
  if (lost.length > 0) say(`starts without ${lost.slice(0, 3).join()}`);
  if (stashLost.length > 0) say(`starts without ${stashLost.join()} in the stash`);
  if (isLocked) say("starts on a locked repository");
  if (now.agentsStopFile) tell("stop-file-is-set-aside", `agent ${now.pid} starts beside COMPLETE`);
}

/** How the iteration has to leave the list and the person's files. */
function checkLeft(truth: Truth, n: number, tell: Tell): void {
  const { edited, lostAdditions, files, damagedBy, open, agentsStopFile } = truth;
  if (damagedBy === undefined && edited.length > 0)
    tell("tampering-is-undone", `iteration ${n} leaves ${edited.slice(0, 3).join()} changed`);
  if (damagedBy === undefined && lostAdditions.length > 0)
    tell("tampering-is-undone", `iteration ${n} loses ${lostAdditions.slice(0, 3).join()}`);
  if (files.length > 0)
    tell("persons-files-are-put-back", `iteration ${n} leaves ${files.join()} changed`);
  if (agentsStopFile && open > 0)
    tell("stop-file-is-set-aside", `iteration ${n} leaves COMPLETE with ${open} open`);
}

function checkClaims(end: IterationEnd, truth: Truth, it: IterationTruth, tell: Tell): void {
  if (end.accepted.length === 0) return;
  const ids = end.accepted.map(({ id }) => id).join();
  // Nobody can tell any more what was put right before the log was cut; what is there now is judged.
  const tampered = it.isForgotten ? new Set() : it.tampered;
  if (tampered.has("list"))
    tell("tampering-is-undone", `${ids} accepted from a list that was edited`);
  if (tampered.has("settings") || tampered.has("prompt"))
    tell("persons-files-are-put-back", `${ids} accepted beside a person's file that was changed`);
  if (truth.weak.length > 0)
    tell("weak-tests-accept-nothing", `${ids} accepted with weaker tests of ${truth.weak.join()}`);
}

const GIT: readonly Tampering[] = ["branch", "history", "stash", "lock", "merge"];

/** Nothing is put back, and no claim rejected, for what a person did. */
export function watchBlame(tell: Tell): MomentCheck {
  let haveAgentsWeakened = false;
  return ({ now, it }) => {
    const isGit = GIT.some((what) => it.tampered.has(what));
    if (now.type === "tampered" && (now.what === "tests" || GIT.includes(now.what)))
      haveAgentsWeakened = true;
    if (now.type === "effect-began") {
      const { effect } = now;
      const isBlame =
        (effect.type === "restore-tasks" && !it.tampered.has("list")) ||
        (effect.type === "restore-file" && !it.tampered.has(effect.file)) ||
        (effect.type === "mend-git" && !isGit);
      // After a power loss a person's deed may lie within an iteration that is open again.
      if (isBlame && !it.isForgotten)
        tell("persons-are-not-blamed", `${effect.type} for what no agent did`);
    }
    if (now.type !== "logged" || now.event.type !== "iteration-ended") return;
    const { outcome } = now.event.end;
    const isFound = (it.change?.findings ?? []).length > 0;
    if (outcome === "rejected" && isFound && !haveAgentsWeakened)
      tell("persons-are-not-blamed", "a claim is rejected for tests that no agent has weakened");
  };
}
