// Words for a person's mistakes: place, problem, expectation, remedy, in one block each.

import { printable } from "../../std/printable.ts";
import type { Diagnostic } from "../schema/diagnostic.ts";

export function renderDiagnostics(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map(render).join("");
}

function render(diagnostic: Diagnostic): string {
  const { file, line, column, problem, expected, remedy } = diagnostic;
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return printable(`${place}: ${problem}\n  expected: ${expected}\n  to do: ${remedy}\n`);
}
