// Gives an error a name that stays the same when it happens again: what differs between two runs of one mistake goes,
// the words stay. A name to compare by, not to show.

import { printableLine } from "../../std/printable.ts";

const KEY_CHARS_MAX = 200;
/** What lies beyond cannot reach the key, and a bound keeps each pattern cheap. */
const LOOKED_AT_MAX = 2000;

/** Two or three are the rule; the bound is for texts made to need more. */
const PASSES_MAX = 8;

/**
 * The same for any numbers, paths, times, hashes and ids. Every kind of number becomes the same `#`, since a hash, a
 * port and a duration are told apart only by the digits that the next run changes.
 */
export function errorKey(line: string): string {
  let key = hideOnce(line);
  // What goes can bring together what then reads as one path or number, so a key is what has no more to go.
  for (let pass = 1; pass < PASSES_MAX; pass += 1) {
    const next = hideOnce(key);
    if (next === key) return key;
    key = next;
  }
  return key;
}

function hideOnce(line: string): string {
  // Lower case comes first, since it can lengthen a text and every pattern below is written for it.
  const words = printableLine(line.slice(0, LOOKED_AT_MAX), LOOKED_AT_MAX).toLowerCase();
  const placed = words.replaceAll(URL, hideUrl).replaceAll(TOKEN, hidePath);
  const counted = placed.replaceAll(UUID, "#").replaceAll(SIGN, "$1").replaceAll(WORD, hideNumbers);
  const timed = counted.replaceAll(MONTH_OR_DAY, "#").replaceAll(UNIT, "#");
  return clip(timed.replaceAll(NUMBERS, "#"));
}

const URL = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`<>()[\]{}|‘’“”]+/gu;

function hideUrl(url: string): string {
  return url.startsWith("file:") ? "<path>" : "<url>";
}

/** What can be one path: no spaces, quotes or brackets, so that a placeholder is never part of another. */
const TOKEN = /[^\s"'`<>()[\]{},;|=‘’“”]+/gu;
/** Numbers or what a key has in their place, so that the key of a key is no other. */
const LOCATION = /(?::[\d#]+)+$/u;
const EXTENSION =
  /[^.]\.(?:[cm]?[jt]sx?|json|jsonl|py|go|rs|java|kt|cs|rb|php|swift|cc|cpp|hpp|sh|md|txt|log|lock|toml|ya?ml|xml|html|css|scss|vue|svelte|sql|csv|ini|cfg|conf|env|tmp|bak|out|so|dll|exe|zip|gz|tgz|png|svg|pid|sock|git)$/u;

/** What a test runner puts after `::` names the test and stays. */
function hidePath(token: string): string {
  const named = token.indexOf("::");
  const head = named === -1 ? token : token.slice(0, named);
  const path = head.replace(/[:.!?…]+$/u, "");
  return isPath(path) ? `<path>${token.slice(path.length)}` : token;
}

/** One slash alone is no path: `and/or`, `input/output error`, `@scope/package`. */
function isPath(token: string): boolean {
  const name = token.replace(LOCATION, "");
  if (!/[a-z]/u.test(name)) return false;
  if (/^(?:[/~]|\.{1,2}[/\\]|[a-z]:[/\\]|\\\\|node:[a-z])./u.test(name) || EXTENSION.test(name))
    return true;
  if (name !== token && /[^.]\.[a-z]{1,5}$/u.test(name)) return true;
  return name.split(/[/\\]/u).length > 2 || /^tmp[._-]\w/u.test(name);
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gu;
const SIGN = /(^|[\s(=:,[])[-+](?=\d)/gu;
const WORD = /\w+/gu;

/** Digits alone decide, never how many there are: a shorter number must not make another kind of word. */
function hideNumbers(word: string): string {
  const runs = word.match(/\d+/gu)?.length ?? 0;
  if (runs === 0) return word;
  // Three numbers in one word are an id; the letters between them are as random as they are.
  if (runs > 2 || /^[0-9a-f]+$/u.test(word) || /^\d+x[0-9a-f]+$/u.test(word)) return "#";
  if (/^(?:\d+(?:ns|us|ms|s|m|min|h|d|st|nd|rd|th|t|z|k|kb|mb|gb))+\d*z?$/u.test(word)) return "#";
  return word.replaceAll(/\d+/gu, "#");
}

const MONTH_OR_DAY =
  /(?:\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun),? )+#/gu;
const UNIT =
  /#(?: ?\b(?:ns|us|ms|s|sec|secs|seconds?|minutes?|mins?|hours?|days?|am|pm|utc|gmt)\b)+/gu;
/** Dates, addresses, versions and lists have any length. */
const NUMBERS = /#(?:[-.,:/+_ ]{0,2}#)+/gu;

/** Cuts between words, since half a word could be read as something else the next time. */
function clip(key: string): string {
  if (key.length <= KEY_CHARS_MAX) return key;
  const cut = key.slice(0, KEY_CHARS_MAX);
  const end = key[KEY_CHARS_MAX] === " " ? KEY_CHARS_MAX : cut.lastIndexOf(" ");
  return (end > 0 ? cut.slice(0, end) : cut).trim();
}
