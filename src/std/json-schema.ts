// Finishing touches on a generated JSON Schema: every key gets a title, its path as a person would say it.

/** A JSON Schema or a part of one. */
export type JsonSchema = { [key: string]: unknown };

/** The same schema with a title for each of its keys. */
export function titleKeys(schema: JsonSchema, path: readonly string[] = []): JsonSchema {
  const titled: JsonSchema = path.length === 0 ? {} : { title: path.join(".") };
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties" && isSchema(value)) titled[key] = titleProperties(value, path);
    else if (key === "items" && isSchema(value)) titled[key] = inner(value, path);
    else if (key === "anyOf" && Array.isArray(value))
      titled[key] = value.map((one: unknown) => (isSchema(one) ? inner(one, path) : one));
    else if (key === "additionalProperties" && isSchema(value)) titled[key] = inner(value, path);
    else titled[key] = value;
  }
  return titled;
}

function titleProperties(properties: JsonSchema, path: readonly string[]): JsonSchema {
  const titled: JsonSchema = {};
  for (const [key, value] of Object.entries(properties))
    titled[key] = isSchema(value) ? titleKeys(value, [...path, key]) : value;
  return titled;
}

/** A part that is no key itself has no title, but its keys do. */
function inner(schema: JsonSchema, path: readonly string[]): JsonSchema {
  const { title: _, ...rest } = titleKeys(schema, [...path, ""]);
  const properties = schema["properties"];
  return isSchema(properties) ? { ...rest, properties: titleProperties(properties, path) } : rest;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
