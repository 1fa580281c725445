// What the machine is like: versions, users, room on its disks. Looked at by `ralph doctor`; nothing here changes anything.

import { accessSync, constants, readFileSync, statfsSync } from "node:fs";

/** Everything that is asked about the machine. */
export type Machine = typeof realMachine;

export const realMachine = {
  nodeVersion(): string {
    return process.versions.node;
  },

  /** Undefined where the system has no such numbers; 0 is root. */
  userId(): number | undefined {
    return process.getuid?.();
  },

  /** Bytes that this user may still write at a path; undefined where that cannot be told. */
  freeBytes(path: string): number | undefined {
    try {
      const found = statfsSync(path);
      return found.bavail * found.bsize;
    } catch {
      return undefined;
    }
  },

  canWrite(path: string): boolean {
    try {
      accessSync(path, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  },

  /** The table of mounted file systems; undefined where the system has none to read. */
  mounts(): string | undefined {
    try {
      return readFileSync("/proc/self/mountinfo", "utf8");
    } catch {
      return undefined;
    }
  },
};
