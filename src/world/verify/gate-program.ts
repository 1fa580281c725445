// The program a shell command begins with, where that can be told without being a shell.

/** Words of the shell itself: nothing to look for on the PATH. */
const OF_THE_SHELL = new Set(
  ". : [ alias bg break case cd command continue echo eval exec exit export false fg for getopts hash if jobs kill let local printf pwd read readonly return set shift source test time times trap true type ulimit umask unalias unset until wait while { ( !".split(
    " ",
  ),
);

/** Undefined where the first word is the shell's own, or is worked out by the shell. */
export function programOf(command: string): string | undefined {
  for (const word of command.trim().split(/\s+/u)) {
    // An assignment in front of the command.
    if (/^[A-Za-z_]\w*=\S*$/u.test(word) && !/["'`$\\]/u.test(word)) continue;
    const isPlain = /^[\w@%+:,./-]+$/u.test(word);
    return isPlain && !OF_THE_SHELL.has(word) ? word : undefined;
  }
  return undefined;
}
