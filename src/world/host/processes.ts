// Processes: who is alive, since when, and whose child. A pid alone is never trusted: pids are used again.

import type * as ChildProcessModule from "node:child_process";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** One living process; zombies are not alive. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Opaque and equal only for the same process; on Linux ticks since boot. */
  readonly startTime: string;
}

/** Beyond this many pids, looking at all processes costs no more. */
const WINDOW_MAX = 500;

/** Everything the program does with processes. */
export type Processes = typeof realProcesses;

export const realProcesses = {
  start(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    return loadSpawning().spawn(file, args, options);
  },

  /** Starts a program that outlives this one; it may send one message back over its channel. */
  startDetached(
    argv: readonly string[],
    options: { cwd: string; env: NodeJS.ProcessEnv; log: string },
  ): ChildProcess {
    const [file = "", ...args] = argv;
    const output = openSync(options.log, "a", 0o600);
    try {
      return loadSpawning().spawn(file, args, {
        cwd: options.cwd,
        env: options.env,
        detached: true,
        stdio: ["ignore", output, output, "ipc"],
      });
    } finally {
      closeSync(output);
    }
  },

  /** Every living process that can be seen. */
  list(): ProcessInfo[] {
    return process.platform === "linux" ? listLinux() : listByPs();
  },

  /** Every living process that came after this one, as long as pids have not begun anew since. */
  listAfter(pid: number): ProcessInfo[] {
    const newest = process.platform === "linux" ? newestPid() : Number.NaN;
    if (!(newest >= pid && newest - pid <= WINDOW_MAX)) return realProcesses.list();
    return Array.from({ length: newest - pid + 1 }, (_, i) => String(pid + i))
      .filter((name) => statSync(`/proc/${name}`, { throwIfNoEntry: false }) !== undefined)
      .map(readLinux)
      .filter((info) => info !== undefined);
  },

  /** Undefined when there is no such living process. */
  find(pid: number): ProcessInfo | undefined {
    if (process.platform === "linux") return readLinux(String(pid));
    return listByPs().find((info) => info.pid === pid);
  },

  /** True when one start time is surely before another; where that cannot be told it is not. */
  isOlder(startTime: string, than: string): boolean {
    return process.platform === "linux" && Number(startTime) < Number(than);
  },

  /** True when the process was started with this `NAME=value`; false where that cannot be told. */
  hasVariable(pid: number, assignment: string): boolean {
    if (process.platform !== "linux") return false;
    try {
      const environment = readFileSync(`/proc/${pid}/environ`);
      const wanted = Buffer.from(assignment);
      for (
        let at = environment.indexOf(wanted);
        at !== -1;
        at = environment.indexOf(wanted, at + 1)
      ) {
        const end = at + wanted.length;
        const isStart = at === 0 || environment[at - 1] === 0;
        if (isStart && (end === environment.length || environment[end] === 0)) return true;
      }
      return false;
    } catch {
      return false;
    }
  },

  /** A negative pid names a group. Signalling what is gone does nothing. */
  signal(pid: number, name: NodeJS.Signals): void {
    try {
      process.kill(pid, name);
    } catch {
      // It ended in between, or it is not ours to signal.
    }
  },

  /** The absolute path of a program, as a shell would find it. */
  locate(program: string, path: string, cwd: string): string | undefined {
    const candidates = program.includes("/")
      ? [isAbsolute(program) ? program : resolve(cwd, program)]
      : path
          .split(delimiter)
          .filter((folder) => folder !== "")
          .map((folder) => join(folder, program));
    return candidates.find(isProgram);
  },

  /** True when what is typed on the terminal of this process comes to it; where that cannot be told it does. */
  isForeground(): boolean {
    try {
      const stat = readFileSync("/proc/self/stat", "latin1");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return fields[2] === fields[5];
    } catch {
      return true;
    }
  },

  /** Changes with every boot of the machine. */
  bootId(): string {
    try {
      return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    } catch {
      return "unknown";
    }
  },
};

/** Loaded with the first process that is started: a look at a run starts none and should not wait for it. */
function loadSpawning(): Pick<typeof ChildProcessModule, "spawn" | "execFileSync"> {
  return process.getBuiltinModule("node:child_process");
}

/** The last number in /proc/loadavg is the pid given out last. */
function newestPid(): number {
  try {
    return Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1));
  } catch {
    return Number.NaN;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function listLinux(): ProcessInfo[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(readLinux)
    .filter((info) => info !== undefined);
}

function readLinux(pid: string): ProcessInfo | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined;
  }
  // The name may hold spaces and brackets; the fields after its last bracket do not.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  if (state === "Z" || state === "X") return undefined;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: fields[19] ?? "",
  };
}

function listByPs(): ProcessInfo[] {
  const table = loadSpawning().execFileSync("ps", ["-axo", "pid=,ppid=,pgid=,stat=,lstart="], {
    encoding: "utf8",
    env: { PATH: "/bin:/usr/bin", LC_ALL: "C" },
    maxBuffer: 16 * 1024 * 1024,
  });
  return table.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/u.exec(line);
    if (match === null || match[4]?.startsWith("Z") === true) return [];
    const group = Number(match[3]);
    return [
      {
        pid: Number(match[1]),
        parent: Number(match[2]),
        group,
        session: group,
        startTime: match[5] ?? "",
      },
    ];
  });
}
