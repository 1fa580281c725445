// Checks of the machine: Node, room, file systems, the clock, and what happens to processes at logout.

import { dirname, sep } from "node:path";
import type { Host } from "../../../world/host/host.ts";
import { runCommand } from "../../../world/host/short-command.ts";
import { type Check, fine, isAtLeast, type Look, note, type Patient, problem } from "./check.ts";

const NODE_LEAST = "20.19.0";
const ROOM_NOTE_BYTES = 500 * 1024 * 1024;
const ROOM_PROBLEM_BYTES = 20 * 1024 * 1024;
const COMMAND_MS_MAX = 5_000;
/** Before this program was written, and when nobody uses it any more. */
const EARLIEST = Date.UTC(2025, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);
const NETWORK_TYPES =
  /^(?:nfs\d?|cifs|smb\d?|9p|fuse\.sshfs|fuse\.s3fs|drvfs|afs|ceph|glusterfs)$/u;

export const machineChecks: readonly Check[] = [
  { name: "node", look: ({ host }) => [lookAtNode(host)] },
  { name: "clock", look: ({ host }) => [lookAtClock(host)] },
  {
    name: "disk",
    look: (patient) => placesOf(patient).map((path) => lookAtRoom(patient.host, path)),
  },
  { name: "record", look: (patient) => [lookAtRecord(patient)] },
  { name: "file system", look: (patient) => [lookAtFileSystem(patient)] },
  { name: "logout", look: async ({ host, cwd }) => [await lookAtLogout(host, cwd)] },
];

function lookAtNode(host: Host): Look {
  const version = host.machine.nodeVersion();
  if (isAtLeast(version, NODE_LEAST)) return fine(version);
  return problem(`Node ${version} is too old`, `install Node ${NODE_LEAST} or newer`);
}

function lookAtClock(host: Host): Look {
  const now = host.clock.now();
  const shown = new Date(now).toISOString().slice(0, 19);
  if (now > EARLIEST && now < LATEST) return fine(`${shown} UTC`);
  return problem(`the clock says ${shown} UTC`, "set it: limits and waits go by it");
}

/** The project and the record, once where both are on one disk. */
function placesOf({ host, place }: Patient): string[] {
  const record = existing(host, place.record);
  const isSame = host.machine.freeBytes(place.root) === host.machine.freeBytes(record);
  return isSame ? [place.root] : [place.root, record];
}

function lookAtRoom(host: Host, path: string): Look {
  const free = host.machine.freeBytes(path);
  if (free === undefined)
    return note(`how much room ${path} has cannot be told`, "look yourself: df");
  const mib = Math.round(free / 1024 / 1024);
  const text = `${mib} MiB free at ${path}`;
  if (free < ROOM_PROBLEM_BYTES)
    return problem(text, "make room: a run could not even be recorded");
  return free < ROOM_NOTE_BYTES ? note(text, "make room before a long run") : fine(text);
}

function lookAtRecord({ host, place }: Patient): Look {
  const folder = existing(host, place.record);
  if (host.machine.canWrite(folder)) return fine(place.record);
  return problem(
    `${folder} cannot be written`,
    "give yourself the right to write there: every run keeps its log in it",
  );
}

function lookAtFileSystem({ host, place }: Patient): Look {
  const table = host.machine.mounts();
  if (table === undefined) return fine("not told by this system");
  const type = fileSystemAt(table, existing(host, place.record));
  if (!NETWORK_TYPES.test(type ?? "")) return fine(type ?? "unknown");
  return note(
    `the record is on a network file system (${type ?? ""})`,
    "start runs of this project from one machine only: a lock cannot tell whether a process elsewhere still lives",
  );
}

/** The type of the file system that a path lies on, by a table as in /proc/self/mountinfo. */
export function fileSystemAt(table: string, path: string): string | undefined {
  let best: { point: string; type: string } | undefined;
  for (const line of table.split("\n")) {
    const [mount = "", rest = ""] = line.split(" - ");
    const point = unescape(mount.split(" ")[4] ?? "");
    const [type] = rest.split(" ");
    const isAbove =
      path === point || path.startsWith(point.endsWith(sep) ? point : `${point}${sep}`);
    if (point === "" || type === undefined || !isAbove) continue;
    // A later mount on the same place hides the earlier one.
    if (best === undefined || point.length >= best.point.length) best = { point, type };
  }
  return best?.type;
}

/** Spaces and the like are written as octal numbers. */
function unescape(point: string): string {
  return point.replaceAll(/\\(\d{3})/gu, (_, octal: string) =>
    String.fromCodePoint(Number.parseInt(octal, 8)),
  );
}

async function lookAtLogout(host: Host, cwd: string): Promise<Look> {
  const loginctl = host.processes.locate("loginctl", host.env["PATH"] ?? "", cwd);
  if (loginctl === undefined) return fine("nothing here ends detached runs at logout");
  const ask = async (...args: string[]): Promise<string> => {
    const answer = await runCommand(host, {
      argv: [loginctl, ...args],
      cwd,
      env: { PATH: host.env["PATH"] ?? "", LC_ALL: "C" },
      input: undefined,
      timeoutMs: COMMAND_MS_MAX,
      signal: undefined,
    });
    return answer.stdout.toString("utf8");
  };
  const kills = (await ask("show-session", "--property=KillUserProcesses")).includes("=yes");
  const user = host.env["USER"] ?? String(host.machine.userId() ?? "");
  const lingers = kills && (await ask("show-user", user, "--property=Linger")).includes("=yes");
  if (!kills || lingers) return fine("detached runs go on after logout");
  return note(
    "this system ends all your processes at logout, detached runs among them",
    "loginctl enable-linger, or start with: systemd-run --user --scope ralph run",
  );
}

/** The path, or the nearest folder above it that is there. */
function existing(host: Host, path: string): string {
  let folder = path;
  while (host.files.kind(folder) === undefined && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder;
}
