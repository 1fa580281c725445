import { expect, test } from "vitest";
import { lines, type TestRepository, userRepository } from "../../../test/rig/repository.ts";
import { mendRepository } from "./mend-repository.ts";

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);
const DEEDS_MAX = 8;

/** What an agent has done so far, as far as the claims need it. */
class Agent {
  readonly made: string[] = [];
  /** Its own commits that it amended or reset away itself. */
  readonly takenBack = new Set<string>();
  readonly visited = new Set<string>(["main"]);
  readonly log: string[] = [];
  readonly #it: TestRepository;
  readonly #random: (below: number) => number;
  readonly #old: ReadonlySet<string>;
  #count = 0;

  constructor(it: TestRepository, random: (below: number) => number, old: readonly string[]) {
    this.#it = it;
    this.#random = random;
    this.#old = new Set(old);
  }

  misbehave(): void {
    const deeds = Object.entries(this.#deeds);
    const [name, deed] = deeds[this.#random(deeds.length)] ?? ["none", (): void => undefined];
    this.log.push(name);
    this.#count += 1;
    const before = this.#head();
    deed();
    const after = this.#head();
    if (after !== undefined && !this.#old.has(after) && !this.made.includes(after)) {
      this.made.push(after);
    }
    if (before === undefined || after === undefined) return;
    if (!["amend", "reset"].includes(name)) return;
    const gone = lines(this.#it.git("rev-list", before, `^${after}`));
    for (const id of gone.filter((one) => !this.#old.has(one))) this.takenBack.add(id);
  }

  readonly #deeds: Record<string, () => void> = {
    commit: () => this.#commit(`new-${this.#count}.txt`),
    commitMore: () => this.#commit(`new-${this.#random(3)}.txt`),
    amend: () =>
      this.#it.tries("commit", "-q", "--amend", "--allow-empty", "-m", `Amended ${this.#count}`),
    reset: () => this.#it.tries("reset", "-q", "--hard", `HEAD~${1 + this.#random(3)}`),
    branch: () => this.#visit("-b", `agent-${this.#count}`),
    other: () => this.#visit("other"),
    main: () => this.#visit("main"),
    detach: () => this.#it.tries("checkout", "-q", "--detach"),
    detachElsewhere: () => this.#it.tries("checkout", "-q", "--detach", "other"),
    orphan: () => this.#visit("--orphan", `orphan-${this.#count}`),
    remove: () => this.#removeBranch(),
    stashPush: () => this.#it.tries("stash", "push", "-q"),
    stashDrop: () => this.#it.tries("stash", "drop", "-q", `stash@{${this.#random(3)}}`),
    stashPop: () => this.#it.tries("stash", "pop", "-q"),
    stashClear: () => this.#it.tries("stash", "clear"),
    lock: () => this.#it.lock("index.lock", 1_000),
  };

  #head(): string | undefined {
    return this.#it.ask("rev-parse", "-q", "--verify", "HEAD");
  }

  #commit(path: string): void {
    this.#it.write(path, `text ${this.#count}`);
    this.#it.tries("add", path);
    this.#it.tries("commit", "-q", "-m", `Work ${this.#count}`, "--", path);
  }

  #visit(...args: string[]): void {
    if (this.#it.tries("checkout", "-q", ...args)) this.visited.add(args.at(-1) ?? "");
  }

  /** Only a branch that it has been on: of others the run knows nothing. */
  #removeBranch(): void {
    const names = [...this.visited];
    this.#it.tries("branch", "-q", "-D", names[this.#random(names.length)] ?? "main");
  }
}

test.each(SEEDS)("whatever the agent did, nothing is lost: seed %i", async (seed) => {
  const it = userRepository();
  const order = it.order();
  const old = lines(it.git("rev-list", "--all", ...it.stash()));
  it.startAgent();
  const agent = new Agent(it, randomOf(seed), old);
  const deeds = 1 + (seed % DEEDS_MAX);
  for (let i = 0; i < deeds; i++) agent.misbehave();
  const story = `seed ${seed}: ${agent.log.join(", ")}`;

  const result = await mendRepository(it.host, it.repository(), order);
  const state = stateOf(it);
  const isBack =
    state[0] === "refs/heads/main" &&
    it.tries("merge-base", "--is-ancestor", order.head ?? "", "refs/heads/main");
  // A branch that was moved back takes all with it; otherwise an agent may take back what it did itself.
  const isMovedBack = result.did.some((said) => said.startsWith("The agent had taken commits out"));
  const owed = agent.made.filter((id) => isMovedBack || !agent.takenBack.has(id));
  // The story is compared too, so that a failure tells it.
  expect({
    story,
    isBackOrTold: isBack || result.problem !== undefined,
    lost: it.unreachable([...old, ...owed]),
    stash: it
      .stash()
      .filter((id) => order.stash.includes(id))
      .slice(0, 2),
    untracked: it.read("untracked.txt"),
    ignored: it.read("ignored.txt"),
  }).toEqual({
    story,
    isBackOrTold: true,
    lost: [],
    stash: order.stash,
    untracked: "the user's new file",
    ignored: "the user's ignored file",
  });

  const again = await mendRepository(it.host, it.repository(), order);
  const told = again.did.filter(
    (said) => !said.endsWith("in the stash, which nobody has touched."),
  );
  expect({ story, state: stateOf(it), told, problem: again.problem }).toEqual({
    story,
    state,
    told: [],
    problem: result.problem,
  });
});

function stateOf(it: TestRepository): unknown[] {
  const head = it.ask("symbolic-ref", "-q", "HEAD") ?? it.id("HEAD");
  return [head, it.refs(), it.stash(), it.git("status", "--porcelain")];
}

/** Small and good enough: the same seed tells the same story on every machine. */
function randomOf(seed: number): (below: number) => number {
  let state = (seed + 1) * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}
