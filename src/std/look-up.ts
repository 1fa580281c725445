// Reads a record by a key that comes from outside, so that `__proto__` or `constructor` find nothing.

/** The own value of a key, or undefined. */
export function lookUp<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
