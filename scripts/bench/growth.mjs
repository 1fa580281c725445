// What an iteration and `ralph status` cost in a big project, against the same in a small one.
import { spawn } from "node:child_process";
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { interleave, timeRun } from "./measure.mjs";
import { bareLoop, Project } from "./project.mjs";

const GROWTH_MAX = 1.3;
/** So many folders of past iterations are kept by default. */
const KEPT_FOLDERS = 100;

export async function measureGrowth(bench) {
  const projects = {
    small: new Project(bench, "small"),
    "2,000 stories": new Project(bench, "stories", { stories: 2000 }),
    "20 MB of progress.txt": new Project(bench, "progress"),
    "50,000 commits": new Project(bench, "commits"),
    "10,000 past iterations": new Project(bench, "iterations"),
  };
  projects["20 MB of progress.txt"].growProgress(20_000_000);
  projects["50,000 commits"].growCommits(50_000);
  await growLog(projects["10,000 past iterations"], 10_000);
  const names = Object.keys(projects);
  const { loop, ...whole } = interleave(
    {
      loop: () => bareLoop(projects.small),
      ...Object.fromEntries(names.map((name) => [name, () => projects[name].timeIteration(50)])),
    },
    bench.quick ? 3 : 6,
  );
  const starts = interleave(
    Object.fromEntries(
      names.map((name) => [
        name,
        () => timeRun([...bench.ralph, "status"], { cwd: projects[name].root, env: bench.env }),
      ]),
    ),
    bench.quick ? 8 : 20,
  );
  const own = Object.fromEntries(names.map((name) => [name, whole[name] - loop]));
  report(bench, "own time of an iteration", names, own);
  report(bench, "status", names, starts);
}

function report(bench, what, names, figures) {
  for (const name of names) {
    const isSmall = name === "small";
    bench.row({
      what: `growth: ${what}, ${isSmall ? "small project" : name}`,
      measured: figures[name],
      unit: "ms",
      ...(isSmall ? {} : { ratio: figures[name] / figures.small, budget: GROWTH_MAX }),
    });
  }
}

/** Multiplies the iterations of a real log; the run is then really gone on with, and stopped. */
async function growLog(project, iterations) {
  project.runIterations(3);
  const folder = project.runFolder();
  const file = join(folder, "events.ndjson");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const events = lines.map((line) => JSON.parse(line));
  const [first] = events;
  const pattern = lines.filter((_, index) => events[index].iteration === 2);
  const text = [lines[0]];
  for (let n = 1, seq = first.seq; n <= iterations; n++) {
    for (const line of pattern) {
      seq += 1;
      text.push(
        line
          .replace(/"seq":\d+/, `"seq":${seq}`)
          .replace('"iteration":2,', `"iteration":${n},`)
          .replace(`${first.run}/2.`, `${first.run}/${n}.`)
          .replace('"attempt":2}', `"attempt":${n}}`),
      );
    }
  }
  writeFileSync(file, `${text.join("\n")}\n`);
  rmSync(join(folder, "state.json"));
  keepFolders(join(folder, "iterations"), iterations);
  await goOnAndStop(project, iterations);
  const reached = project.iterations();
  if (reached < iterations) throw new Error(`the long log was folded to ${reached} iterations`);
  project.saveRun();
}

function keepFolders(folder, iterations) {
  for (const name of readdirSync(folder).filter((made) => made !== "1-1")) {
    rmSync(join(folder, name), { recursive: true });
  }
  for (let n = iterations - KEPT_FOLDERS + 1; n <= iterations; n++) {
    cpSync(join(folder, "1-1"), join(folder, `${n}-${n}`), { recursive: true });
  }
  rmSync(join(folder, "1-1"), { recursive: true });
}

/** A stopped run can be gone on with; one that has used up its iterations cannot. */
function goOnAndStop(project, iterations) {
  const { bench } = project;
  const [file, ...args] = bench.ralph;
  const limit = String(iterations + 10_000);
  const run = spawn(file, [...args, "run", "--resume", "--max-iterations", limit], {
    cwd: project.root,
    env: bench.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    run.stdout.on("data", (chunk) => {
      if (/iteration \d+: no-op/.test(String(chunk))) run.kill("SIGTERM");
    });
    run.once("error", reject);
    run.once("close", (code) =>
      code === 143 ? resolve() : reject(new Error(`the resumed run ended with ${code}`)),
    );
  });
}
