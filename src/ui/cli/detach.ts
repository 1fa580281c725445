// `ralph run --detach`: starts the same command in a session of its own and returns when the run is on its way.

import { join } from "node:path";
import { findPlace } from "../../engine/project/open-project.ts";
import type { Io } from "./command.ts";

export async function detach(io: Io): Promise<number> {
  const { host } = io;
  const folder = join(findPlace(host, io.cwd).record, "detached");
  host.files.makeFolder(folder, 0o700);
  const log = join(folder, `${host.clock.now()}-${host.random(4)}.log`);
  const argv = [...io.self, ...io.argv.filter((word) => word !== "--detach")];
  const child = host.processes.startDetached(argv, { cwd: io.cwd, env: { ...host.env }, log });
  const started = await new Promise<{ run: string } | { code: number }>((resolve) => {
    child.once("message", (message) => resolve({ run: runOf(message) }));
    child.once("exit", (code) => resolve({ code: code ?? 1 }));
  });
  if ("code" in started) {
    io.err(host.files.readText(log) ?? "");
    return started.code;
  }
  child.disconnect();
  child.unref();
  io.out(`run ${started.run} works in the background (pid ${child.pid ?? 0})\n`);
  io.out(
    "  ralph status          where it stands\n  ralph logs --follow   what it does\n  ralph stop            end it\n",
  );
  return 0;
}

function runOf(message: unknown): string {
  const isTold = typeof message === "object" && message !== null && "run" in message;
  return isTold ? String(message.run) : "unknown";
}
