// A person's mistake, with what is needed to mend it: where, what was expected, what to do.

/** One mistake in a flag, a config file or a task file. */
export interface Diagnostic {
  /** File as the person would write it, or `command line`. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** What is wrong, naming the offending word. */
  readonly problem: string;
  /** What would have been right. */
  readonly expected: string;
  /** What to do now. */
  readonly remedy: string;
}
