// Finds the working tree and the common git directory around a folder by reading files: no git process needed.

import { dirname, join, resolve } from "node:path";
import type { Host } from "../host/host.ts";

/** A working tree and where its repository keeps what all its working trees share. */
export interface Repository {
  /** Absolute, links followed. */
  readonly tree: string;
  readonly gitFolder: string;
  readonly commonFolder: string;
}

const DEPTH_MAX = 100;

export function findRepository(host: Host, from: string): Repository | undefined {
  let folder = host.files.real(from) ?? from;
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    const gitFolder = gitFolderOf(host, folder);
    if (gitFolder !== undefined) {
      const common = host.files.readText(join(gitFolder, "commondir"))?.trim();
      const commonFolder = common === undefined ? gitFolder : resolve(gitFolder, common);
      return { tree: folder, gitFolder, commonFolder };
    }
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return undefined;
}

/** In a linked working tree `.git` is a file that names the folder. */
function gitFolderOf(host: Host, folder: string): string | undefined {
  const dotGit = join(folder, ".git");
  const kind = host.files.kind(dotGit);
  if (kind === "folder")
    return host.files.kind(join(dotGit, "HEAD")) === undefined ? undefined : dotGit;
  if (kind !== "file") return undefined;
  const named = /^gitdir: (.+)$/mu.exec(host.files.readText(dotGit) ?? "")?.[1];
  return named === undefined ? undefined : resolve(folder, named);
}
