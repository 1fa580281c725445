import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkTemplate, fillTemplate } from "./handlebars-template.ts";
import { fillSimple, type TemplateVariables } from "./template-variables.ts";

const variables: TemplateVariables = {
  feature: "shop",
  promise: "<promise>DONE & dusted</promise>",
  attempt: 2,
  task: { id: "S-1", title: 'Pay "now"' },
  files: { tasks: "prd.json", progress: "progress.txt", specs: "specs" },
  gates: [
    { name: "tests", command: "npm test" },
    { name: "lint", command: "npm run lint" },
  ],
};

const shipped = (name: string): string =>
  readFileSync(new URL(`../../../templates/${name}`, import.meta.url), "utf8");

describe("the shipped templates", () => {
  test.each(["prompt.md", "prompt-tdd.md"])("%s is filled without the library, alike", (name) => {
    const text = shipped(name);
    expect(text).toContain("{{promise}}");
    expect(checkTemplate(text)).toEqual([]);
    const filled = fillSimple(text, variables);
    expect(filled).toBe(fillTemplate(text, variables));
    expect(filled).toContain(variables.promise);
    expect(filled).not.toContain("{{");
  });

  test.each(["prompt.md", "prompt-tdd.md"])("%s is the same for every task", (name) => {
    const other = { ...variables, attempt: 9, task: { id: "S-2", title: "other" } };
    expect(fillSimple(shipped(name), other)).toBe(fillSimple(shipped(name), variables));
  });
});

test.each([
  ["no braces at all", "no braces at all"],
  ["{{feature}}/{{task.id}}: {{attempt}}", "shop/S-1: 2"],
  ["a } b {{ feature }}", undefined],
  ["{{{feature}}}", undefined],
  ["\\{{feature}}", undefined],
  ["{{#if feature}}x{{/if}}", undefined],
  ["{{nothing}}", undefined],
  ["{{gates}}", undefined],
  ["{{task.constructor}}", undefined],
])("%s is filled quickly as %s", (text, filled) => {
  expect(fillSimple(text, variables)).toBe(filled);
});

test.each([
  ["{{#each gates}}{{name}}: {{command}}\n{{/each}}", "tests: npm test\nlint: npm run lint\n"],
  ["{{#each gates}}{{@index}}{{#unless @last}}, {{/unless}}{{/each}}", "0, 1"],
  ["{{#each gates as |g|}}{{g.name}} of {{../feature}} {{/each}}", "tests of shop lint of shop "],
  ["{{#with task}}{{id}} {{title}}{{/with}}", 'S-1 Pay "now"'],
  ["{{#if gates}}yes{{else}}no{{/if}} {{promise}}", `yes ${variables.promise}`],
  ["\\{{feature}} {{! a comment }}{{this.feature}}", "{{feature}} shop"],
])("%s", (text, filled) => {
  expect(checkTemplate(text)).toEqual([]);
  expect(fillTemplate(text, variables)).toBe(filled);
});

test.each([
  ["a\nb {{taks.id}}", 2, 5, 'there is no variable "taks.id"'],
  ["{{#if missing}}x{{/if}}", 1, 7, 'there is no variable "missing"'],
  ["{{#if feature}}{{nope}}{{/if}}", 1, 18, 'there is no variable "nope"'],
  ["{{#each gates}}{{feature}}{{/each}}", 1, 18, 'there is no variable "feature"'],
  ["{{constructor}}", 1, 3, 'there is no variable "constructor"'],
  ["{{task.__proto__}}", 1, 3, 'there is no variable "task.__proto__"'],
  ["{{gates}}", 1, 3, '"gates" is no single value'],
  ["{{task}}", 1, 3, '"task" is no single value'],
  ["{{shout feature}}", 1, 3, 'there is no helper "shout"'],
  ["{{#repeat gates}}{{/repeat}}", 1, 4, '"#repeat" is not known here, or not with these words'],
  ["{{#each task}}{{/each}}", 1, 9, '"task" is not what #each takes'],
  ["{{> header}}", 1, 1, "partials and decorators are not known here"],
  ["{{@index}}", 1, 3, 'there is no "@index" here'],
  ["{{#if feature}}x{{/each}}", 1, 4, "if doesn't match each"],
  ["one\n  {{feature", 2, 3, "the braces do not fit together"],
  ["{{#if feature}}x", 1, 1, "the braces do not fit together"],
])("%j is refused at %i:%i", (text, line, column, problem) => {
  const found = checkTemplate(text);
  expect(found).toEqual([{ line, column, problem, expected: found[0]?.expected }]);
});

test("a name that is nearly right is offered", () => {
  expect(checkTemplate("{{featur}}")[0]?.expected).toBe('perhaps "feature"');
});
