// The shells whose start file we can write to: how each is named, where its file lies, and what goes into it.

import { basename, join } from "node:path";
import type { Host } from "../../world/host/host.ts";

/** The person's shell and what it needs in order to find ralph and to complete its commands. */
export interface LoginShell {
  readonly name: "bash" | "zsh" | "fish";
  /** Its start file. */
  readonly path: string;
  readonly lines: readonly string[];
}

/** By $SHELL; undefined for a shell we do not know. */
export function findShell(host: Host, home: string): LoginShell | undefined {
  const { env } = host;
  switch (basename(env["SHELL"] ?? "")) {
    case "bash":
      return { name: "bash", path: join(home, ".bashrc"), lines: posixLines("bash") };
    case "zsh":
      return {
        name: "zsh",
        path: join(env["ZDOTDIR"] ?? home, ".zshrc"),
        lines: posixLines("zsh"),
      };
    case "fish": {
      const config = env["XDG_CONFIG_HOME"] ?? join(home, ".config");
      return { name: "fish", path: join(config, "fish", "config.fish"), lines: FISH_LINES };
    }
    default:
      return undefined;
  }
}

function posixLines(shell: "bash" | "zsh"): string[] {
  const file = `"$HOME/.ralph/completions/ralph.${shell}"`;
  return [
    'case ":$PATH:" in *":$HOME/.ralph/bin:"*) ;; *) export PATH="$HOME/.ralph/bin:$PATH" ;; esac',
    `if [ -f ${file} ]; then . ${file}; fi`,
  ];
}

const FISH_LINES: readonly string[] = [
  "contains $HOME/.ralph/bin $PATH; or set -gx PATH $HOME/.ralph/bin $PATH",
  "test -f $HOME/.ralph/completions/ralph.fish; and source $HOME/.ralph/completions/ralph.fish",
];
