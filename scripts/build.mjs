// Bundles src/main.ts and all its dependencies into dist/: split and minified, so that a command loads
// only what it uses. `--clean` also removes what earlier builds left for processes that still run.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const KEEP_OLD_CHUNKS_MS = 24 * 60 * 60 * 1000;

/** Commander loads child_process for subcommands that are programs of their own; ours are not, and it costs 2 ms. */
const commanderWithoutProcesses = {
  name: "commander-without-processes",
  setup(plugin) {
    plugin.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes("node_modules/commander/") ? { path: "none", namespace: "nothing" } : null,
    );
    plugin.onLoad({ filter: /.*/, namespace: "nothing" }, () => ({ contents: "export {};" }));
  },
};

/** Handlebars makes source maps where that library is there, and does without where it is not. */
const handlebarsWithoutMaps = {
  name: "handlebars-without-maps",
  setup(plugin) {
    plugin.onResolve({ filter: /^source-map$/ }, () => ({ path: "none", namespace: "no-maps" }));
    plugin.onLoad({ filter: /.*/, namespace: "no-maps" }, () => ({ contents: "export {};" }));
  },
};

/**
 * Commands that are loaded together. Code that several entries share is cut by who shares it, so that with an entry for
 * each command the smallest of them would read thirty files.
 */
const COMMAND_GROUPS = {
  looking: ["status", "logs", "why", "stop"],
  running: ["run", "demo", "dry-run", "detach"],
  making: [
    "accept-edits",
    "archive",
    "completion",
    "config",
    "doctor",
    "eject",
    "init",
    "install",
    "validate",
  ],
};
const groupCommands = {
  name: "group-commands",
  setup(plugin) {
    const group = (file) =>
      Object.keys(COMMAND_GROUPS).find((name) => COMMAND_GROUPS[name].includes(file));
    plugin.onResolve({ filter: /^\.\/[a-z-]+\.ts$/ }, ({ path, kind, importer }) => {
      const name = group(path.slice(2, -3));
      if (kind !== "dynamic-import" || !importer.includes("/src/ui/cli/") || !name) return null;
      return { path: name, namespace: "commands" };
    });
    plugin.onLoad({ filter: /.*/, namespace: "commands" }, ({ path }) => ({
      contents: COMMAND_GROUPS[path].map((file) => `export * from "./${file}.ts";`).join("\n"),
      resolveDir: join(process.cwd(), "src/ui/cli"),
    }));
  },
};

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const startedMs = performance.now();
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const temporary = `dist.tmp-${process.pid}`;
try {
  const { metafile } = await bundle(temporary);
  writeStub(temporary);
  const packages = writeLicences(metafile);
  await writeSchemas(temporary);
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
  swapIn(temporary, "dist", process.argv.includes("--clean") ? 0 : KEEP_OLD_CHUNKS_MS);
  const ms = Math.round(performance.now() - startedMs);
  const kib = Math.round(bytes / 1024);
  process.stdout.write(
    `built dist/cli.js ${version}: ${Object.keys(metafile.outputs).length} files, ${kib} KiB, ${packages} packages bundled, ${ms} ms\n`,
  );
} catch (error) {
  // esbuild has already printed its own messages.
  if (!Array.isArray(error?.errors)) throw error;
  process.exitCode = 1;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

function bundle(outdir) {
  return build({
    entryPoints: { "cli-main": "src/main.ts" },
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    platform: "node",
    target: "node20.19",
    format: "esm",
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    // jsonc-parser's `main` is a umd file whose requires cannot be bundled; its `module` is fine.
    mainFields: ["module", "main"],
    // commander and yaml are CommonJS and require Node's own modules.
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
    define: { __RALPH_VERSION__: JSON.stringify(version) },
    plugins: [commanderWithoutProcesses, handlebarsWithoutMaps, groupCommands],
  });
}

/** The entry: V8's compile cache where Node has it (22.8 and later), then the program. */
function writeStub(outdir) {
  const file = join(outdir, "cli.js");
  writeFileSync(
    file,
    '#!/usr/bin/env node\nimport m from "node:module";\nm.enableCompileCache?.();\nawait import("./cli-main.js");\n',
  );
  chmodSync(file, 0o755);
}

/** The licence texts of every package that went into the bundle; returns how many there are. */
function writeLicences(metafile) {
  const folders = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) folders.add(match[1]);
  }
  const texts = [...folders]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((folder) => {
      const pkg = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((name) => /^licen[cs]e([.-]|$)/i.test(name));
      if (file === undefined) throw new Error(`${pkg.name}@${pkg.version} has no licence file`);
      const text = readFileSync(join(folder, file), "utf8").trim();
      return `${pkg.name}@${pkg.version} (${pkg.license})\n\n${text}\n`;
    });
  writeFileSync("THIRD_PARTY_LICENSES.txt", texts.join(`\n${"-".repeat(72)}\n\n`));
  return folders.size;
}

/** The JSON Schemas of the files people write, from the code that checks them. */
async function writeSchemas(outdir) {
  const outfile = join(outdir, "schemas.mjs");
  const contents =
    'export { configSchema } from "./src/world/config/config-schema.ts";' +
    'export { prdSchema } from "./src/world/tasks/prd-schema.ts";';
  await build({
    stdin: { contents, resolveDir: process.cwd(), loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "warning",
    mainFields: ["module", "main"],
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
  });
  const { configSchema, prdSchema } = await import(pathToFileURL(join(process.cwd(), outfile)));
  mkdirSync("schemas", { recursive: true });
  for (const [name, schema] of [
    ["config", configSchema()],
    ["prd", prdSchema()],
  ]) {
    writeFileSync(join("schemas", `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`);
  }
}

/**
 * Moves the finished files into place, each by one rename, chunks first and entries last: whoever starts
 * dist/cli.js meanwhile gets the old program or the new one. Exchanging whole folders would leave a moment
 * without dist, and would take the chunks away that a running process has yet to import; chunk names are
 * hashes of their content, so old and new ones live side by side.
 */
function swapIn(from, to, keepOldMs) {
  mkdirSync(join(to, "chunks"), { recursive: true });
  const fresh = new Set();
  for (const name of existsSync(join(from, "chunks")) ? readdirSync(join(from, "chunks")) : []) {
    renameSync(join(from, "chunks", name), join(to, "chunks", name));
    fresh.add(name);
  }
  for (const name of ["cli-main.js", "cli.js"]) renameSync(join(from, name), join(to, name));
  for (const name of readdirSync(join(to, "chunks"))) {
    const file = join(to, "chunks", name);
    if (fresh.has(name)) continue;
    const old = statSync(file, { throwIfNoEntry: false });
    if (old && Date.now() - old.mtimeMs >= keepOldMs) rmSync(file, { force: true });
  }
}
