import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { newFolder, testHost } from "../../../test/rig/host.ts";
import { parseConfig } from "../../world/config/parse-config.ts";
import { initFeature } from "./init-feature.ts";

const templates = fileURLToPath(new URL("../../../templates", import.meta.url));

test("what fails half way takes everything with it", async () => {
  const host = testHost({ env: { HOME: "/nowhere" } });
  const cwd = newFolder();
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  let writes = 0;
  const files = {
    ...host.files,
    replace: (...args: Parameters<typeof host.files.replace>) => {
      writes += 1;
      if (writes === 6) throw full;
      host.files.replace(...args);
    },
  };
  const order = { cwd, feature: "shop", issue: undefined, template: "default", templates } as const;
  await expect(initFeature({ ...host, files }, order)).rejects.toBe(full);
  expect(writes).toBe(6);
  expect(readdirSync(cwd)).toEqual([]);
  const made = await initFeature(host, order);
  expect(made.ok && made.value.files).toContain(".ralph/shop/prd.json");
});

test("the settings it writes set nothing, and every line that is commented out is right", () => {
  const text = readFileSync(`${templates}/config.yaml`, "utf8");
  expect(parseConfig(text, "config.yaml")).toEqual({ ok: true, value: {} });
  const lines = text.split("\n").filter((line) => /^# {0,5}[a-z_]+:(?: |$)/u.test(line));
  const shown = lines.filter((line) => !line.includes("$schema"));
  const parsed = parseConfig(shown.map((line) => line.slice(2)).join("\n"), "config.yaml");
  expect(parsed).toMatchObject({ ok: true, value: { agent: "claude", archive: true } });
});
