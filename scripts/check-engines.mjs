// Every package of the lock file must accept the oldest Node we promise: all of them are either
// bundled into dist or run by contributors on that Node.
import { readFileSync } from "node:fs";
import semver from "semver";

const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf8"));
const floor = semver.minVersion(read("package.json").engines.node)?.version ?? "20.19.0";
const packages = Object.entries(read("package-lock.json").packages);
const bad = [];
for (const [path, entry] of packages) {
  if (path === "" || entry.optional) continue;
  const range = entry.engines?.node;
  if (range && !semver.satisfies(floor, range)) bad.push(`${path}@${entry.version} wants ${range}`);
}
process.stdout.write(`${packages.length} packages, ${bad.length} refuse Node ${floor}\n`);
if (bad.length > 0) {
  process.stdout.write(`${bad.join("\n")}\n`);
  process.exitCode = 1;
}
