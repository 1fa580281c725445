// `ralph stop`: tells the run that works in this tree to stop, and says whether it has heard.

import type { Control } from "../../core/schema/control.ts";
import { sendControl, waitFor } from "../../engine/project/control-run.ts";
import { findLiveRun, type FoundRun } from "../../engine/project/find-run.ts";
import { findPlace } from "../../engine/project/open-project.ts";
import type { Handler, Io } from "./command.ts";

const ENDED_MS_MAX = 15_000;

export const stop: Handler = async (io, { options }) => {
  const place = findPlace(io.host, io.cwd);
  const found = findLiveRun(io.host, place);
  if (found === undefined) {
    io.out("no run works in this tree; there is nothing to stop\n");
    return 0;
  }
  const when = options["now"] === true ? "now" : "after-iteration";
  const control: Control = { type: "stop", when, signal: "SIGINT", from: "ralph stop" };
  const heard = await sendControl(io.host, found, control);
  if (!heard) {
    io.err(
      `run ${found.run} (pid ${found.holder?.pid ?? 0}) has not answered; the request is left for it\n`,
    );
    return 1;
  }
  if (when === "after-iteration") {
    io.out(
      `run ${found.run} will stop after iteration ${found.state?.iteration ?? 0}; --now stops it at once\n`,
    );
    return 0;
  }
  return await waitForEnd(io, found);
};

async function waitForEnd(io: Io, found: FoundRun): Promise<number> {
  const place = findPlace(io.host, io.cwd);
  const isOver = await waitFor(
    io.host,
    ENDED_MS_MAX,
    () => findLiveRun(io.host, place)?.run !== found.run,
  );
  if (isOver) io.out(`run ${found.run} has stopped; \`ralph run\` goes on with it\n`);
  else io.err(`run ${found.run} is still ending its processes (pid ${found.holder?.pid ?? 0})\n`);
  return isOver ? 0 : 1;
}
