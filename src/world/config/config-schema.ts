// The JSON Schema of config.yaml, made from the shape that checks it; for editors, and never loaded by a run.

import * as z from "zod/mini";
import { type JsonSchema, titleKeys } from "../../std/json-schema.ts";
import { ConfigFile } from "./config-file.ts";

export function configSchema(): JsonSchema {
  const { $schema, ...shape } = z.toJSONSchema(ConfigFile, { io: "input", target: "draft-7" });
  const title = "ralph: config.yaml";
  const description = "Settings of ralph; every key is optional";
  return { $schema, title, description, ...titleKeys(shape) };
}
