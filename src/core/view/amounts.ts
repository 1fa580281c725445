// Numbers as people read them: tokens in thousands, money in dollars.

/** `950 tokens`, `12.3k tokens`, `1.2M tokens`. */
export function renderTokens(tokens: number): string {
  return `${shortNumber(tokens)} ${tokens === 1 ? "token" : "tokens"}`;
}

/** Cents matter, parts of a cent only where there is nothing else. */
export function renderUsd(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

function shortNumber(value: number): string {
  if (value < 1_000) return String(value);
  // What would be rounded up to 1000.0k is a million.
  if (value < 999_950) return `${(value / 1_000).toFixed(1)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}
