// Guards for what we ourselves guarantee. A throw from here is a defect of ours, never bad input.

/** Thrown when a guarantee of ours does not hold. Caught in main.ts, and where a log is read that others could touch. */
export class Defect extends Error {
  override readonly name = "Defect";
}

export function assert(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new Defect(claim);
}

/** Closes a `switch` on a union: the compiler rejects it while a variant is unhandled. */
export function unreachable(value: never): never {
  throw new Defect(`unreachable: ${JSON.stringify(value)}`);
}
