// What a prompt template may name, and the quick way to fill in one that names nothing but single values: that needs no
// library, and the shipped templates are of this kind.

/** The values behind the names. */
export interface TemplateVariables {
  readonly feature: string;
  readonly promise: string;
  readonly attempt: number;
  readonly task: { readonly id: string; readonly title: string };
  readonly files: { readonly tasks: string; readonly progress: string; readonly specs: string };
  readonly gates: readonly { readonly name: string; readonly command: string }[];
}

/** What a name stands for: a single value, a list of things, or a thing with names of its own. */
export type Shape =
  | "value"
  | { readonly list: Shape }
  | { readonly keys: Readonly<Record<string, Shape>> };

export const TEMPLATE_SHAPE: { readonly keys: Readonly<Record<keyof TemplateVariables, Shape>> } = {
  keys: {
    feature: "value",
    promise: "value",
    attempt: "value",
    task: { keys: { id: "value", title: "value" } },
    files: { keys: { tasks: "value", progress: "value", specs: "value" } },
    gates: { list: { keys: { name: "value", command: "value" } } },
  },
};

/** `{{name}}` or `{{name.name}}`, and neither escaped nor with a third brace. */
const SINGLE = /(?<![\\{])\{\{([a-z]+(?:\.[a-z]+)*)\}\}(?!\})/gu;

/** The text with its values, or undefined where it needs more than this. */
export function fillSimple(text: string, variables: TemplateVariables): string | undefined {
  if (!text.includes("{{")) return text;
  if (text.replaceAll(SINGLE, "").includes("{{")) return undefined;
  let isKnown = true;
  const filled = text.replaceAll(SINGLE, (whole, path: string) => {
    const value = valueAt(variables, path);
    isKnown &&= value !== undefined;
    return value ?? whole;
  });
  return isKnown ? filled : undefined;
}

function valueAt(variables: TemplateVariables, path: string): string | undefined {
  let value: unknown = variables;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
