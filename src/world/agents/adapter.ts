// What an agent adapter is: data plus a pure reader. It turns our order into a command line and output into notes.

import type { AgentConfig, Config, StreamFormat } from "../../core/schema/config.ts";

/** What an adapter may look at to build a command line. */
interface LaunchOrder {
  readonly agent: AgentConfig;
  readonly permissions: Config["permissions"];
  readonly allowedTools: string;
  /** How this very program is started, for agents that are built in. */
  readonly self: readonly string[];
  /** The feature's folder, for agents with files of their own. */
  readonly featureFolder: string;
}

/** One kind of agent program. */
export interface AgentAdapter {
  /** The program it is found by on PATH; undefined where the user must name one or none is needed. */
  readonly program: string | undefined;
  readonly output: StreamFormat;
  /** Program and arguments; the prompt is standard input. */
  readonly argv: (order: LaunchOrder) => readonly string[];
  /** Variables that keep the program from doing what is the runner's to do. */
  readonly env: Readonly<Record<string, string>>;
  /** What to do when the program is not there. */
  readonly install: string;
  /** What the agent may do where the settings say nothing, for people. */
  readonly permissions: string;
  /** Why it could not change a file under these settings, and what to set; undefined where it can. */
  readonly cannotWrite: (
    order: Pick<LaunchOrder, "agent" | "permissions" | "allowedTools">,
  ) => { readonly problem: string; readonly expected: string; readonly remedy: string } | undefined;
}
