// `ralph run`: hands the order to the engine, shows every event as a line, and turns signals into controls.

import { runLoop, type RunObserver, type RunReport } from "../../engine/run/run-loop.ts";
import { renderDiagnostics } from "../../core/view/diagnostics.ts";
import { renderEventLine } from "../../core/view/event-line.ts";
import type { Control } from "../../core/schema/control.ts";
import { printableLine } from "../../std/printable.ts";
import type { Call, Handler, Io, OptionValues } from "./command.ts";
import { Countdown } from "./countdown.ts";
import { detach } from "./detach.ts";
import { interruptOf } from "./interrupts.ts";

export const run: Handler = async (io, call) => {
  if (call.options["detach"] === true) return await detach(io);
  const report = await runLoop(io.host, orderOf(io, call), observerOf(io, call));
  if (report.diagnostics.length > 0) io.err(renderDiagnostics(report.diagnostics));
  // An end that is not in the log was not shown as an event either.
  else if (report.state?.end === undefined) io.err(`${report.end.detail}\n`);
  if (call.options["json"] === true) io.out(`${JSON.stringify(endObject(report))}\n`);
  return report.end.exitCode;
};

function orderOf(io: Io, { options }: Call) {
  return {
    cwd: io.cwd,
    feature: text(options, "feature"),
    flags: {
      ...numberFlag(options, "maxIterations", "iterationMax"),
      ...numberFlag(options, "timeout", "timeoutMs"),
      ...numberFlag(options, "maxTime", "runMsMax"),
      ...numberFlag(options, "rateLimit", "callsPerHourMax"),
      ...numberFlag(options, "maxCost", "usdMax"),
      ...numberFlag(options, "maxTokens", "tokensMax"),
      ...(text(options, "agent") === undefined ? {} : { agent: text(options, "agent") ?? "" }),
      ...(options["dangerouslySkipPermissions"] === true ? { skipPermissions: true } : {}),
    },
    argv: io.argv,
    otherHost: options["takeOver"] === true ? "take-over" : "refuse",
    resume: options["resume"] === true ? "required" : "if-possible",
    circuit: options["resetCircuit"] === true ? "reset" : "kept",
    templates: io.templates,
    self: io.self,
    program: io.version,
  } as const;
}

function observerOf(io: Io, { options }: Call): RunObserver {
  const print = options["json"] === true ? io.err : io.out;
  const countdown = new Countdown(io);
  const say = (line: string): void => {
    countdown.stop();
    print(`${clockTime(io)} ${line}\n`);
  };
  let kill = (): void => undefined;
  return {
    onNotice: (notice) => say(`note: ${notice}`),
    onEvent: (event, state) => {
      const line = renderEventLine(event, state);
      if (line !== undefined) say(line);
      if (event.type === "wait-started" && options["json"] !== true) countdown.start(event.until);
      if (event.type === "wait-ended") countdown.stop();
      if (event.type === "run-started" || event.type === "run-resumed") {
        io.tellParent({ run: event.run, pid: io.host.pid });
      }
    },
    onNote: (note) => {
      if (options["verbose"] !== true || io.isBehind()) return;
      if (note.type === "activity" || note.type === "tool-started")
        say(`  ${printableLine(note.text, 160)}`);
    },
    listen: (onControl) => listenForSignals(io, onControl, () => kill()),
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

function clockTime(io: Io): string {
  return new Date(io.host.clock.now()).toISOString().slice(11, 19);
}

function text(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

function numberFlag<K extends string>(
  options: OptionValues,
  name: string,
  key: K,
): Partial<Record<K, number>> {
  const value = options[name];
  const flags: Partial<Record<K, number>> = {};
  if (typeof value === "number") flags[key] = value;
  return flags;
}
