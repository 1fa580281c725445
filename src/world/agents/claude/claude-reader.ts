// Claude Code's event stream as notes. What is not understood is passed over: new versions add events all the time.

import type { Note, Tokens } from "../../../core/schema/note.ts";
import { printableLine } from "../../../std/printable.ts";
import { LineSplitter } from "../../../std/line-splitter.ts";
import type { OutputReader } from "../../host/supervise.ts";
import { isRecord, parseLine } from "../json-lines.ts";

const LINE_BYTES_MAX = 8 * 1024 * 1024;
/** The tool with which it puts a question to a person. */
const ASK_TOOL = "AskUserQuestion";
const SHOWN_MAX = 200;

type Json = Record<string, unknown>;

/** Reads `--output-format stream-json`. */
export class ClaudeReader implements OutputReader {
  #notes: Note[] = [];
  readonly #lines = new LineSplitter((line) => {
    const { objects, garbled } = parseLine(line.bytes.toString("utf8"));
    for (const object of objects) this.#notes.push(...notesOf(object));
    if (garbled || line.cut) {
      const shown = printableLine(line.bytes.toString("utf8", 0, SHOWN_MAX), SHOWN_MAX);
      this.#notes.push({ type: "garbled", text: shown });
    }
  }, LINE_BYTES_MAX);

  push(chunk: Buffer): readonly Note[] {
    this.#lines.push(chunk);
    return this.#take();
  }

  end(): readonly Note[] {
    this.#lines.end();
    return this.#take();
  }

  #take(): readonly Note[] {
    const notes = this.#notes;
    this.#notes = [];
    // Part of a line is a sign of life, too.
    return notes.length === 0 ? [{ type: "activity", text: "" }] : notes;
  }
}

function notesOf(event: Json): Note[] {
  switch (event["type"]) {
    case "system":
      return systemNotes(event);
    case "assistant":
      return assistantNotes(event);
    case "user":
      return blocksOf(event).flatMap((block) => toolEnded(block));
    case "rate_limit_event":
      return limitNotes(event);
    case "result":
      return isResult(event) ? [...deniedNotes(event), resultNote(event)] : [];
    case "tool_progress":
      return [{ type: "activity", text: "" }];
    default:
      return [];
  }
}

/** An object inside a cut event may look like a result; a real one names its session. */
function isResult(event: Json): boolean {
  return typeof event["session_id"] === "string" && typeof event["is_error"] === "boolean";
}

function systemNotes(event: Json): Note[] {
  if (event["subtype"] === "init") {
    const model = text(event["model"]);
    const version = text(event["claude_code_version"]);
    return [
      {
        type: "started",
        ...(model === "" ? {} : { model }),
        ...(version === "" ? {} : { version }),
      },
    ];
  }
  const shown =
    event["subtype"] === "api_retry"
      ? `retrying after ${text(event["error"]) || "an API error"}`
      : "";
  return [{ type: "activity", text: shown }];
}

function assistantNotes(event: Json): Note[] {
  const message = isRecord(event["message"]) ? event["message"] : {};
  const notes = blocksOf(event).flatMap((block) => blockNotes(block));
  // A sub-agent's tokens come with its parent's result.
  const usage = event["parent_tool_use_id"] === null ? tokensOf(message["usage"]) : undefined;
  return usage === undefined ? notes : [...notes, { type: "tokens", tokens: usage }];
}

function blockNotes(block: Json): Note[] {
  if (block["type"] === "text") {
    return [{ type: "activity", text: printableLine(text(block["text"]), SHOWN_MAX) }];
  }
  if (block["type"] !== "tool_use") return [];
  const tool = text(block["name"]);
  const input = isRecord(block["input"]) ? block["input"] : {};
  const argument = ["command", "file_path", "path", "pattern", "url", "description"].find(
    (key) => typeof input[key] === "string",
  );
  const shown = argument === undefined ? "" : text(input[argument]);
  const started: Note = {
    type: "tool-started",
    id: text(block["id"]),
    tool,
    text: printableLine(`${tool} ${shown}`, SHOWN_MAX),
  };
  return tool === ASK_TOOL ? [started, { type: "asked", question: questionIn(input) }] : [started];
}

/** One call may hold several questions. */
function questionIn(input: Json): string {
  const questions = Array.isArray(input["questions"]) ? input["questions"].filter(isRecord) : [];
  const asked = questions.map((one) => text(one["question"])).filter((one) => one !== "");
  return asked.join(" ") || text(input["question"]);
}

function toolEnded(block: Json): Note[] {
  if (block["type"] !== "tool_result") return [];
  return [{ type: "tool-ended", id: text(block["tool_use_id"]) }];
}

function limitNotes(event: Json): Note[] {
  const info = isRecord(event["rate_limit_info"]) ? event["rate_limit_info"] : {};
  // Every other status is only news about how much is left.
  if (info["status"] !== "rejected") return [];
  const resetsAt = number(info["resetsAt"]);
  return [
    {
      type: "limit",
      kind: "usage",
      ...(resetsAt === undefined ? {} : { resetsAt: resetsAt * 1000 }),
      text: `usage limit reached (${text(info["rateLimitType"]) || "unknown kind"})`,
    },
  ];
}

function deniedNotes(event: Json): Note[] {
  const denials = Array.isArray(event["permission_denials"]) ? event["permission_denials"] : [];
  return denials.filter(isRecord).map((denial) => ({
    type: "denied",
    tool: text(denial["tool_name"]),
    input: printableLine(JSON.stringify(denial["tool_input"] ?? {}), 300),
  }));
}

function resultNote(event: Json): Note {
  const errors = Array.isArray(event["errors"])
    ? event["errors"].filter((e) => typeof e === "string").join("; ")
    : "";
  const said = text(event["result"]);
  const httpStatus = number(event["api_error_status"]);
  const costUsd = number(event["total_cost_usd"]);
  const turns = number(event["num_turns"]);
  const tokens = tokensOf(event["usage"]);
  return {
    type: "result",
    // `subtype` says "success" for API errors as well; only is_error tells.
    good: event["is_error"] === false,
    text: said === "" ? errors : said,
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(turns === undefined ? {} : { turns }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

function tokensOf(usage: unknown): Tokens | undefined {
  if (!isRecord(usage)) return undefined;
  const input = number(usage["input_tokens"]);
  const output = number(usage["output_tokens"]);
  const cached = number(usage["cache_read_input_tokens"]);
  return {
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(cached === undefined ? {} : { cached }),
  };
}

function blocksOf(event: Json): Json[] {
  const message = isRecord(event["message"]) ? event["message"] : {};
  return Array.isArray(message["content"]) ? message["content"].filter(isRecord) : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
