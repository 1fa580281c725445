// `ralph run`: hands the order to the engine, shows every event as a line, and turns signals into controls.

import { runLoop, type RunObserver, type RunReport } from "../../engine/run/run-loop.ts";
import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import type { Control } from "../../core/schema/control.ts";
import type { Handler, Io } from "./command.ts";
import { detach } from "./detach.ts";
import { interruptOf } from "./interrupts.ts";
import { LimitQuestion } from "./limit-question.ts";
import { orderOf } from "./run-order.ts";
import { RunScreen } from "./run-screen.ts";

export const run: Handler = async (io, call) => {
  if (call.options["dryRun"] === true) return await (await import("./dry-run.ts")).dryRun(io, call);
  if (call.options["detach"] === true) return await detach(io);
  const mode = call.options["verbose"] === true ? "verbose" : "brief";
  const screen = new RunScreen(io, call.options["json"] === true ? "err" : "out", mode);
  const report = await runLoop(io.host, orderOf(io, call), observerOf(io, screen));
  screen.end(report.state);
  if (report.diagnostics.length > 0) io.err(renderDiagnostics(report.diagnostics));
  // An end that is not in the log was not shown as an event either.
  else if (report.state?.end === undefined) io.err(`${report.end.detail}\n`);
  if (call.options["json"] === true) io.out(`${JSON.stringify(endObject(report))}\n`);
  return report.end.exitCode;
};

function observerOf(io: Io, screen: RunScreen): RunObserver {
  let kill = (): void => undefined;
  const question = new LimitQuestion(io, (line) => screen.say(line));
  return {
    onNotice: (notice) => screen.say(`note: ${notice}`),
    onEvent: (event, state) => {
      screen.event(event, state);
      question.event(event);
      if (event.type === "run-started" || event.type === "run-resumed") {
        io.tellParent({ run: event.run, pid: io.host.pid });
      }
    },
    onNote: (note) => screen.note(note),
    listen: (onControl) => {
      question.answerTo(onControl);
      return listenForSignals(io, onControl, () => kill());
    },
    onKillable: (killRun) => {
      kill = killRun;
    },
  };
}

function listenForSignals(
  io: Io,
  onControl: (control: Control) => void,
  kill: () => void,
): () => void {
  let count = 0;
  return io.onSignal((signal) => {
    const interrupt = interruptOf(signal, count, io.terminal());
    if (signal === "SIGINT") count += 1;
    if (interrupt.type === "control") return onControl(interrupt.control);
    kill();
    io.exitNow(130);
  });
}

function endObject({ end, run: id, state }: RunReport) {
  return {
    run: id,
    feature: state?.feature,
    reason: end.reason,
    exitCode: end.exitCode,
    detail: end.detail,
    iterations: state?.iteration ?? 0,
    tasks:
      state?.tasks === undefined
        ? undefined
        : { total: state.tasks.total, done: state.tasks.done, open: state.tasks.open },
    accepted: state?.accepted ?? {},
    parked: state?.parked ?? {},
    costUsd: state?.costUsd,
    tokens: state?.tokens,
  };
}
