// `ralph eject`: puts a shipped prompt template into the project, where a person may change it.

import { join } from "node:path";
import type { PromptTemplate } from "../../core/schema/config.ts";
import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import { assert } from "../../std/assert.ts";
import { err, ok, type Result } from "../../std/result.ts";
import type { Host } from "../../world/host/host.ts";
import { EJECTED } from "../../world/layouts/hybrid.ts";
import type { Place } from "./open-project.ts";

/** Names of the shipped ones. */
export const TEMPLATE_FILES: Readonly<Record<PromptTemplate, string>> = {
  default: "prompt.md",
  tdd: "prompt-tdd.md",
};

/** What to write, and whether a file that is there may go. */
export interface EjectOrder {
  readonly templates: string;
  readonly template: PromptTemplate;
  readonly existing: "refuse" | "replace";
}

/** The path it was written to. */
export function ejectTemplate(
  host: Host,
  place: Place,
  order: EjectOrder,
): Result<string, Diagnostic[]> {
  const path = join(place.root, EJECTED);
  const text = host.files.readText(join(order.templates, TEMPLATE_FILES[order.template]));
  assert(text !== undefined, "the shipped template is there");
  if (order.existing === "refuse" && host.files.kind(path) !== undefined) {
    const problem = "there is an ejected template already";
    const remedy = "change that one, or write ours over it: ralph eject --force";
    return err([{ file: EJECTED, problem, expected: "no such file", remedy }]);
  }
  host.files.makeFolder(join(place.root, ".ralph", "templates"), 0o755);
  host.files.replace(path, text, { mode: 0o644, durability: "synced" });
  return ok(path);
}
