// Words for a POSIX shell.

/** The word as it is where a shell leaves it alone, else between quotes. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
