// The JSON Schema of prd.json, made from the shape that checks it; for editors, and never loaded by a run.

import * as z from "zod/mini";
import { type JsonSchema, titleKeys } from "../../std/json-schema.ts";
import { Prd } from "./parse-prd.ts";

/** Keys beside the stories; editors may offer them, and a list without them or with others is as good. */
const BESIDE: Readonly<Record<string, string>> = {
  $schema: "Where this schema lies, for editors",
  feature: "Name of the feature: that of its folder",
  branchName: "Branch the work is done on",
  description: "What the feature is about",
  createdAt: "When the list was made",
};

export function prdSchema(): JsonSchema {
  const { $schema, ...shape } = z.toJSONSchema(Prd, { io: "input", target: "draft-7" });
  const title = "ralph: prd.json";
  const description = "The task list of a feature";
  const beside = Object.entries(BESIDE).map(([key, text]) => [
    key,
    { type: "string", description: text },
  ]);
  const properties = { ...Object.fromEntries(beside), ...shape.properties };
  return { $schema, title, description, ...titleKeys({ ...shape, properties }) };
}
