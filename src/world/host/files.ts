// Files: whole files are replaced by rename, appended files are synced when told, and a full disk has its own name.

import {
  appendFileSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  watch,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** What tells one version of a file from another without reading it. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly ino: string;
}

/** How a file is replaced. */
export interface ReplaceOptions {
  /** Mode of a new file; an existing one keeps its own. */
  readonly mode: number;
  /** Whether the bytes must be on the disk when the call returns. */
  readonly durability: "synced" | "cached";
}

/** Everything the program does with files. */
export type Files = typeof realFiles;

const DISK_CODES = new Set([
  "ENOSPC",
  "EDQUOT",
  "EROFS",
  "EIO",
  "EFBIG",
  "EMFILE",
  "ENFILE",
  "EACCES",
  "EPERM",
  // Reading what is not there is no error here; writing where the folder is gone is.
  "ENOENT",
  "ENOTDIR",
]);

/** Bounds of one copy; what lies deeper or is more is left out. */
const COPIED_MAX = 20_000;
const COPIED_DEPTH_MAX = 50;

/** How many things that stood in the way of one file are kept beside it. */
const ASIDE_MAX = 100;

// A link under the name of our temporary file is not ours, and is not followed.
const TEMPORARY_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/** The system's word for what went wrong, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** True when the disk is at fault: full, failing, read-only, closed to us, or gone. */
export function isDiskError(error: unknown): boolean {
  return DISK_CODES.has(errorCode(error) ?? "");
}

export const realFiles = {
  /** Undefined where there is no such file; a folder or a pipe under its name is none, and is never waited for. */
  readText(path: string): string | undefined {
    return orMissing(() => withFile(path, (fd) => readFileSync(fd, "utf8")));
  },

  /** At most `length` bytes from `offset`; fewer at the end of the file. */
  readRange(path: string, offset: number, length: number): Buffer | undefined {
    return orMissing(() =>
      withFile(path, (fd) => {
        const bytes = Buffer.alloc(Math.min(length, Math.max(0, fstatSync(fd).size - offset)));
        let filled = 0;
        while (filled < bytes.length) {
          const count = readSync(fd, bytes, filled, bytes.length - filled, offset + filled);
          if (count === 0) break;
          filled += count;
        }
        return bytes.subarray(0, filled);
      }),
    );
  },

  stamp(path: string): FileStamp | undefined {
    return orMissing(() => {
      const found = lstatSync(path, { bigint: true });
      return {
        size: Number(found.size),
        mtimeNs: String(found.mtimeNs),
        ctimeNs: String(found.ctimeNs),
        ino: String(found.ino),
      };
    });
  },

  kind(path: string): "file" | "folder" | "other" | undefined {
    return orMissing(() => {
      const found = statSync(path);
      if (found.isDirectory()) return "folder";
      return found.isFile() ? "file" : "other";
    });
  },

  /** The path with every link in it followed. */
  real(path: string): string | undefined {
    return orMissing(() => realpathSync.native(path));
  },

  list(path: string): string[] {
    return orMissing(() => readdirSync(path)) ?? [];
  },

  makeFolder(path: string, mode: number): void {
    try {
      mkdirSync(path, { recursive: true, mode });
    } catch (error) {
      // Node 20 calls a read-only disk ENOENT here; without `recursive` it tells the truth.
      if (errorCode(error) !== "ENOENT") throw error;
      mkdirSync(path, { mode });
    }
  },

  /**
   * Old bytes or new bytes, never half of them. The temporary file has a fixed name beside the target, so that one
   * left by a crash is overwritten by the next write; callers hold the lock of what they write.
   */
  replace(path: string, bytes: string | Buffer, options: ReplaceOptions): void {
    clearTheWay(path);
    const target = realFiles.real(path) ?? path;
    const mode = orMissing(() => statSync(target).mode & 0o7777) ?? options.mode;
    const temporary = join(dirname(target), `.${basename(target)}.ralph-tmp`);
    try {
      const content = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
      writeNew(temporary, content, { mode, durability: options.durability });
      renameSync(temporary, target);
    } catch (error) {
      // A full disk must not be left with half a file on it that nobody asked for.
      orMissing(() => unlinkSync(temporary));
      throw error;
    }
    if (options.durability === "synced") syncFolder(dirname(target));
  },

  /** Creates the file with its content in one step; false where the name is taken. */
  createWhole(path: string, bytes: string, temporary: string): boolean {
    try {
      writeNew(temporary, Buffer.from(bytes), { mode: 0o600, durability: "synced" });
      linkSync(temporary, path);
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  },

  append(path: string, bytes: string, mode: number): void {
    clearTheWay(path);
    appendFileSync(path, bytes, { mode });
  },

  rename(from: string, to: string): void {
    renameSync(from, to);
  },

  /** Copies a file or a folder with all that is in it; links stay links, pipes and sockets are left out. */
  copy(from: string, to: string): void {
    copyEntry(from, to, { depth: 0, left: { count: COPIED_MAX } });
  },

  /** Removes a file or folder; nothing happens where there is none. */
  remove(path: string): void {
    rmSync(path, { recursive: true, force: true });
  },

  openAppender(path: string, mode: number): Appender {
    return new Appender(path, mode);
  },

  /** Calls back on every change in a folder; where the system cannot tell, it never does. */
  watchFolder(path: string, onChange: () => void): { close(): void } {
    try {
      const watcher = watch(path, { persistent: false }, onChange);
      watcher.on("error", () => watcher.close());
      return watcher;
    } catch {
      return { close: () => undefined };
    }
  },
};

/** A file that only grows, by one writer. */
export class Appender {
  readonly #fd: number;

  constructor(path: string, mode: number) {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;
    this.#fd = openSync(path, flags, mode);
  }

  /** Size in bytes and whether the file still has a name. */
  look(): { size: number; isLinked: boolean } {
    const found = fstatSync(this.#fd);
    return { size: found.size, isLinked: found.nlink > 0 };
  }

  write(bytes: Buffer): void {
    writeAll(this.#fd, bytes);
  }

  cut(size: number): void {
    ftruncateSync(this.#fd, size);
  }

  sync(): void {
    fdatasyncSync(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** Undefined where what has the name is a folder, a pipe or a socket. */
function withFile<T>(path: string, read: (fd: number) => T): T | undefined {
  // Without this flag only to open a pipe that nobody writes to would never end.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(fd);
    return found.isDirectory() || found.isFIFO() || found.isSocket() ? undefined : read(fd);
  } finally {
    closeSync(fd);
  }
}

/** A folder or a pipe where a file has to be goes aside, whole, under the first name that is free. */
function clearTheWay(path: string): void {
  const found = orMissing(() => statSync(path));
  if (found === undefined || !(found.isDirectory() || found.isFIFO() || found.isSocket())) return;
  for (let n = 1; n <= ASIDE_MAX; n++) {
    const aside = `${path}.aside${n === 1 ? "" : `-${n}`}`;
    if (orMissing(() => lstatSync(aside)) !== undefined) continue;
    renameSync(path, aside);
    return;
  }
}

function copyEntry(
  from: string,
  to: string,
  at: { readonly depth: number; readonly left: { count: number } },
): void {
  const found = lstatSync(from);
  if (at.left.count <= 0 || at.depth > COPIED_DEPTH_MAX) return;
  at.left.count -= 1;
  if (found.isSymbolicLink()) return symlinkSync(readlinkSync(from), to);
  if (found.isFile()) return copyFileSync(from, to, constants.COPYFILE_EXCL);
  if (!found.isDirectory()) return;
  mkdirSync(to, { mode: found.mode & 0o777 });
  for (const name of readdirSync(from))
    copyEntry(join(from, name), join(to, name), { ...at, depth: at.depth + 1 });
}

function writeNew(
  path: string,
  bytes: Buffer,
  how: { mode: number; durability: ReplaceOptions["durability"] },
): void {
  const fd = openSync(path, TEMPORARY_FLAGS, how.mode);
  try {
    // The mode given to open is cut by the umask, and a file left by a crash has one of its own.
    fchmodSync(fd, how.mode);
    writeAll(fd, bytes);
    if (how.durability === "synced") fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(fd, bytes, written, bytes.length - written);
  }
}

function syncFolder(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function orMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
