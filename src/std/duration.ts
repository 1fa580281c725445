// Durations as people write them: `90s`, `15m`, `2h`, `250ms`. A bare number has the unit its place gives it.

export const HOUR_MS = 3_600_000;

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The unit of a number written without one. */
export type DurationUnit = keyof typeof UNIT_MS;

export const DURATION_EXPECTED = "a duration such as 90s, 15m or 2h";

/** Milliseconds, or undefined where the text is no positive duration. */
export function parseDuration(text: string, bareUnit: DurationUnit): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(text.trim());
  if (match === null) return undefined;
  const unit = isUnit(match[2]) ? match[2] : bareUnit;
  const ms = Math.round(Number(match[1]) * UNIT_MS[unit]);
  return Number.isSafeInteger(ms) && ms > 0 ? ms : undefined;
}

/** `1h 05m`, `3m 20s`, `12s`, `0.4s`: two units at most, for reading. */
export function renderDuration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)}s`;
  const total = Math.round(ms / 1000);
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const seconds = total % 60;
  if (hours > 0) return `${hours}h ${pad(minutes)}m`;
  return minutes > 0 ? `${minutes}m ${pad(seconds)}s` : `${seconds}s`;
}

/** The same as it would be written in a file, exactly: `15m`, `90s`, `0s`. */
export function writeDuration(ms: number): string {
  const units = ["d", "h", "m", "s"] as const;
  const unit = units.find((one) => ms % UNIT_MS[one] === 0 && (ms > 0 || one === "s")) ?? "ms";
  return `${ms / UNIT_MS[unit]}${unit}`;
}

function isUnit(text: string | undefined): text is DurationUnit {
  return text !== undefined && text in UNIT_MS;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
