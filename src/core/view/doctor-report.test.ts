import { expect, test } from "vitest";
import { renderDoctor, reportDoctor } from "./doctor-report.ts";

const fine = { check: "node", level: "ok", text: "20.20.2", remedy: undefined } as const;
const odd = { check: "caps", level: "note", text: "no cap", remedy: "--max-cost" } as const;
const bad = { check: "git", level: "problem", text: "missing", remedy: "install it" } as const;

test("every finding is a line, with what to do under it", () => {
  expect(renderDoctor(reportDoctor([fine, odd, bad]))).toBe(
    "ok       node: 20.20.2\n" +
      "note     caps: no cap\n         to do: --max-cost\n" +
      "problem  git: missing\n         to do: install it\n" +
      "\n1 problem, 1 note: mend what is called a problem first\n",
  );
});

test.each([
  [[fine], "all is well"],
  [[fine, odd, odd], "no problem, 2 notes"],
])("without problems the last line says so", (findings, words) => {
  const report = reportDoctor(findings);
  expect(report.ok).toBe(true);
  expect(renderDoctor(report)).toContain(`\n${words}\n`);
});
