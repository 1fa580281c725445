// Cold start of the commands a person types most, against a Node that does nothing.
import { interleave, timeRun } from "./measure.mjs";
import { BUSY_AGENT, Project } from "./project.mjs";

const COMMANDS = [
  { args: ["--version"], budget: 1.7 },
  { args: ["status"], budget: 2.8 },
  { args: ["--help"] },
  { args: ["status", "--json"] },
  { args: ["why"] },
];

export function measureStart(bench) {
  const project = new Project(bench, "start", { stories: 20, agent: BUSY_AGENT });
  // The run takes a story each time, so that the twentieth completes it.
  project.ralph("run", "--max-iterations", "30");
  const options = { cwd: project.root, env: bench.env };
  const samples = { node: () => timeRun([process.execPath, "-e", "0"], options) };
  for (const { args } of COMMANDS) {
    samples[args.join(" ")] = () => timeRun([...bench.ralph, ...args], options);
  }
  const least = interleave(samples, bench.quick ? 8 : 20);
  bench.row({ what: "start: node -e 0", measured: least.node, unit: "ms" });
  for (const { args, budget } of COMMANDS) {
    const name = args.join(" ");
    const measured = least[name];
    const ratio = measured / least.node;
    bench.row({ what: `start: ralph ${name}`, measured, unit: "ms", ratio, budget });
  }
}
