// The ways in which pretend agents behave, and how often each is met.

/** All of them, each with its share. */
export const BEHAVIOURS = {
  honest: 24,
  // Claims without the work.
  claims: 4,
  breaks: 4,
  "marks-several": 2,
  "marks-other": 2,
  "marks-many": 1,
  promises: 2,
  "says-complete": 3,
  // Words that look like a promise and are none.
  echoes: 2,
  quotes: 3,
  "promises-early": 2,
  // Nothing that helps.
  nothing: 4,
  unfinished: 3,
  "tests-only": 3,
  adds: 2,
  // The list and the person's files.
  corrupts: 2,
  deletes: 2,
  removes: 2,
  edits: 3,
  "edits-settings": 2,
  "edits-prompt": 2,
  // Tests.
  weakens: 3,
  "weakens-silently": 2,
  "deletes-tests": 3,
  // The repository.
  switches: 2,
  "switches-back": 2,
  detaches: 2,
  "drops-history": 2,
  amends: 2,
  stashes: 1,
  "drops-stash": 2,
  merges: 1,
  locks: 2,
  // Questions.
  "asks-in-words": 2,
  "asks-by-tool": 2,
  "asks-by-signal": 2,
  "says-waiting": 1,
  // Ends of all kinds.
  fails: 2,
  "same-error": 4,
  "other-errors": 2,
  costly: 2,
  "hangs-at-start": 1,
  "goes-silent": 1,
  "never-ends": 1,
  "tool-never-ends": 1,
  "stays-after-result": 2,
  "usage-limit": 2,
  "works-to-limit": 2,
  "limit-then-hangs": 1,
  "rate-limit": 2,
  missing: 1,
  "signed-out": 1,
} as const;

/** One way to behave. */
export type Behaviour = keyof typeof BEHAVIOURS;
