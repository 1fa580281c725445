// All agents, by name.

import type { AgentName, StreamFormat } from "../../core/schema/config.ts";
import type { OutputReader } from "../host/supervise.ts";
import type { AgentAdapter } from "./adapter.ts";
import { claude } from "./claude/claude.ts";
import { ClaudeReader } from "./claude/claude-reader.ts";
import { command } from "./command/command.ts";
import { NotesReader } from "./notes-reader.ts";
import { scripted } from "./scripted/scripted.ts";
import { TextReader } from "./text-reader.ts";

export const adapters: Readonly<Record<AgentName, AgentAdapter>> = { claude, command, scripted };

const readers: Readonly<Record<StreamFormat, () => OutputReader>> = {
  text: () => new TextReader(),
  claude: () => new ClaudeReader(),
  notes: () => new NotesReader(),
};

export function newReader(format: StreamFormat): OutputReader {
  return readers[format]();
}
