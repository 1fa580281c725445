// A pseudo-terminal with the program in it, as a person has it in front of them: keys in, screen text out.

import pty from "@lydell/node-pty";
import { onTestFinished } from "vitest";
import { cli, isAlive, type TestProject, until } from "./project.ts";

/** Ctrl+C as the byte a keyboard sends. */
export const CTRL_C = "\u0003";

export class Terminal {
  readonly pid: number;
  readonly exited: Promise<{ exitCode: number; signal?: number | undefined }>;
  readonly #process: pty.IPty;
  #text = "";

  constructor(
    project: TestProject,
    args: readonly string[],
    options: { columns?: number; env?: Record<string, string> } = {},
  ) {
    this.#process = pty.spawn(process.execPath, [cli, ...args], {
      cols: options.columns ?? 200,
      rows: 40,
      // It becomes TERM.
      name: options.env?.["TERM"] ?? "xterm-256color",
      cwd: project.root,
      env: project.environment({ TERM: "xterm-256color", ...options.env }),
    });
    this.pid = this.#process.pid;
    this.#process.onData((data) => {
      this.#text += data;
    });
    this.exited = new Promise((resolve) => this.#process.onExit(resolve));
    onTestFinished(() => {
      if (isAlive(this.pid)) process.kill(this.pid, "SIGKILL");
    });
  }

  /** All that was printed so far, escape sequences included. */
  text(): string {
    return this.#text;
  }

  async shows(what: string | RegExp): Promise<void> {
    try {
      await until(`the terminal shows ${String(what)}`, () =>
        typeof what === "string" ? this.#text.includes(what) : what.test(this.#text),
      );
    } catch (error) {
      throw new Error(`${String(error)}\n${this.#text}`, { cause: error });
    }
  }

  type(keys: string): void {
    this.#process.write(keys);
  }

  /** Closes the window: the terminal is gone, and the kernel hangs up on whoever sits in it. */
  close(): void {
    (this.#process as unknown as { destroy(): void }).destroy();
  }
}
