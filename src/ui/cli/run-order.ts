// What `ralph run` and those who only look at what it would do make of the same flags.

import { ON_LIMIT } from "../../core/schema/config.ts";
import type { ConfigFlags } from "../../world/config/resolve-config.ts";
import type { Call, Io, OptionValues } from "./command.ts";

export function orderOf(io: Io, { options }: Call) {
  return {
    cwd: io.cwd,
    feature: textOf(options, "feature"),
    flags: flagsOf(options),
    argv: io.argv,
    otherHost: options["takeOver"] === true ? "take-over" : "refuse",
    resume: options["resume"] === true ? "required" : "if-possible",
    circuit: options["resetCircuit"] === true ? "reset" : "kept",
    templates: io.templates,
    prompt: textOf(options, "prompt"),
    person:
      io.terminal() === "interactive" && io.host.processes.isForeground() ? "present" : "away",
    self: io.self,
    program: io.version,
  } as const;
}

/** Settings given on the command line. */
export function flagsOf(options: OptionValues): ConfigFlags {
  const agent = textOf(options, "agent");
  const onLimit = ON_LIMIT.find((mode) => mode === options["onLimit"]);
  return {
    ...numberFlag(options, "maxIterations", "iterationMax"),
    ...numberFlag(options, "timeout", "timeoutMs"),
    ...numberFlag(options, "maxTime", "runMsMax"),
    ...numberFlag(options, "rateLimit", "callsPerHourMax"),
    ...numberFlag(options, "maxCost", "usdMax"),
    ...numberFlag(options, "maxTokens", "tokensMax"),
    ...(agent === undefined ? {} : { agent }),
    ...(onLimit === undefined ? {} : { onLimit }),
    ...(options["dangerouslySkipPermissions"] === true ? { skipPermissions: true } : {}),
    // Said as --no-archive; without it the option is true.
    ...(options["archive"] === false ? { archive: false as const } : {}),
  };
}

export function textOf(options: OptionValues, name: string): string | undefined {
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
