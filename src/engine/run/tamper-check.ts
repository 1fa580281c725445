// Looks at what an iteration did to tests and to what the gates are made of, compared with the commit that is trusted.

import { join, relative } from "node:path";
import * as z from "zod/mini";
import type { RunState } from "../../core/loop/state.ts";
import type { ProjectChange } from "../../core/schema/event.ts";
import type { TaskList } from "../../core/schema/task.ts";
import { lookUp } from "../../std/look-up.ts";
import { clip } from "../../std/text.ts";
import type { Finding } from "../../core/schema/finding.ts";
import { readDiff, readTexts } from "../../world/git/read-diff.ts";
import { excludeStamp, indexStamp, readHidden, readIgnored } from "../../world/git/read-hidden.ts";
import type { GitStatus } from "../../world/git/read-status.ts";
import type { Host } from "../../world/host/host.ts";
import {
  findGateChanges,
  gateFiles,
  isGateConfig,
  type GateFiles,
} from "../../world/verify/gate-files.ts";
import { parseDiff } from "../../world/verify/parse-diff.ts";
import { findWeakenedTests, isTestPath } from "../../world/verify/test-changes.ts";
import type { Project } from "../project/open-project.ts";
import { isOwnFile } from "./commit-paths.ts";
import { parseJson } from "../../std/parse-json.ts";

const TOUCHED_MAX = 50;
const FINDINGS_MAX = 10;
const PATH_MAX = 300;
const HIDDEN = "hidden from git (assume-unchanged or skip-worktree)";
const IGNORED = "work hidden from git by an ignore rule";
const PACKAGE = "package.json";
const PackageScripts = z.object({ scripts: z.optional(z.record(z.string(), z.string())) });

/** What an inspection finds about tests and gates. */
type Tampered = Pick<ProjectChange, "testOnly" | "touched" | "findings">;

/** Watches the tests and gates of one project. */
export class TamperCheck {
  readonly #host: Host;
  readonly #project: Project;
  #gates: GateFiles | undefined;
  #index: string | undefined;
  #excludes: string | undefined;

  constructor(host: Host, project: Project) {
    this.#host = host;
    this.#project = project;
  }

  /** Before the agent: a script that it deletes cannot be found afterwards. */
  look(state: RunState, list: TaskList): void {
    const { repository } = this.#project;
    this.#index = repository === undefined ? undefined : indexStamp(this.#host, repository);
    this.#excludes = repository === undefined ? undefined : excludeStamp(this.#host, repository);
    const commands = [
      ...state.config.gates.map(({ command }) => command),
      ...list.tasks.flatMap(({ checks }) => checks),
    ];
    const isFile = (path: string): boolean =>
      this.#host.files.kind(join(this.#project.root, path)) === "file";
    const named = gateFiles([...new Set(commands)], isFile);
    // A script of package.json starts programs of its own.
    const bodies = named.scripts.length === 0 ? [] : this.#scriptBodies(named.scripts);
    this.#gates = bodies.length === 0 ? named : gateFiles([...commands, ...bodies], isFile);
  }

  #scriptBodies(names: readonly string[]): string[] {
    const text = this.#host.files.readText(join(this.#project.root, PACKAGE));
    const parsed = PackageScripts.safeParse(parseJson(text ?? ""));
    const scripts = parsed.success ? (parsed.data.scripts ?? {}) : {};
    return names.flatMap((name) => lookUp(scripts, name) ?? []);
  }

  /** `changed` are the paths that the iteration changed, `status` is how it left the tree. */
  async inspect(
    state: RunState,
    changed: readonly string[],
    status: GitStatus | undefined,
  ): Promise<Tampered> {
    const work = changed.filter((path) => !isOwnFile(this.#project, path));
    const testOnly = work.length > 0 && work.every(isTestPath);
    const touched = work.filter(
      (path) => mayHoldTests(path) || this.#isGate(path) || isIgnoreFile(path),
    );
    const suspects = [...new Set([...touched, ...state.trust.touched])];
    const base = state.trust.commit;
    const found =
      suspects.length === 0 || base === undefined || status === undefined
        ? []
        : await this.#find(base, suspects, status);
    const findings = [
      ...found,
      ...(await this.#findHidden(state)),
      ...(await this.#findIgnored(state, suspects)),
    ];
    return {
      testOnly,
      touched: touched.slice(0, TOUCHED_MAX).map((path) => clip(path, PATH_MAX)),
      findings: findings.slice(0, FINDINGS_MAX),
    };
  }

  async #find(base: string, suspects: readonly string[], status: GitStatus) {
    const tree = this.#project.repository?.tree ?? this.#project.root;
    const files = parseDiff(await readDiff(this.#host, tree, base, suspects));
    const untracked = status.dirty.filter(({ kind }) => kind === "untracked");
    const tests = untracked.map(({ path }) => path).filter(isTestPath);
    const gates = this.#gates ?? gateFiles([], () => false);
    const inTree = { ...gates, files: gates.files.map((path) => this.#inTree(path)) };
    return [
      ...findGateChanges(files, inTree),
      ...findWeakenedTests(files, readTexts(this.#host, tree, tests)),
    ];
  }

  /** A test that git was told not to look at is not seen in any diff. */
  async #findHidden(state: RunState): Promise<Finding[]> {
    const { repository } = this.#project;
    if (repository === undefined) return [];
    const isSame = indexStamp(this.#host, repository) === this.#index;
    if (isSame && state.trust.findings.length === 0) return [];
    const hidden = await readHidden(this.#host, repository);
    return hidden
      .filter((path) => mayHoldTests(path) || this.#isGate(path))
      .map((path) => ({ kind: "tests", path, what: HIDDEN, lines: [] }));
  }

  /** Work that a new ignore rule hides would never be in a commit. */
  async #findIgnored(state: RunState, suspects: readonly string[]): Promise<Finding[]> {
    const { repository } = this.#project;
    if (repository === undefined) return [];
    const isSame = excludeStamp(this.#host, repository) === this.#excludes;
    const isQuiet = isSame && state.trust.findings.length === 0;
    if (isQuiet && !suspects.some(isIgnoreFile)) return [];
    const ignored = await readIgnored(this.#host, repository);
    return ignored
      .filter((path) => this.#isNewerThan(state.startedAt, join(repository.tree, path)))
      .map((path) => ({ kind: "gates", path, what: IGNORED, lines: [] }));
  }

  #isNewerThan(at: number, path: string): boolean {
    const mtimeNs = this.#host.files.stamp(path)?.mtimeNs;
    return mtimeNs !== undefined && Number(BigInt(mtimeNs) / 1_000_000n) >= at;
  }

  #isGate(path: string): boolean {
    if (isGateConfig(path)) return true;
    const gates = this.#gates;
    if (gates === undefined) return false;
    if (gates.scripts.length > 0 && path === this.#inTree(PACKAGE)) return true;
    return gates.files.some((file) => this.#inTree(file) === path);
  }

  /** Gates run in the project's folder, git counts from the top of the tree. */
  #inTree(path: string): string {
    const { root, repository } = this.#project;
    return relative(repository?.tree ?? root, join(root, path));
  }
}

function isIgnoreFile(path: string): boolean {
  return path === ".gitignore" || path.endsWith("/.gitignore");
}

/** Rust keeps tests in the files of the product. */
function mayHoldTests(path: string): boolean {
  return isTestPath(path) || path.endsWith(".rs");
}
