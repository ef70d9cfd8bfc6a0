/**
 * The one logger of the application. Errors go to standard error, as with any program, and with secrets redacted to
 * the log file once that is open; other events go to the file only.
 *
 * It takes texts and errors, no objects, so that the content of a request or a connection cannot get into it by
 * accident. A library (pino, winston) would add transports, levels and formats that are not needed here, but
 * neither the redaction nor files that several processes share.
 */
import { join } from "node:path";
import { ProblemError } from "../../api/wire.js";
import { LogFile } from "./log-file.js";
import { redacted } from "./redact.js";

type Level = "info" | "warning" | "error";

/** How many causes of an error are followed. */
const MAX_CAUSES = 3;

let file: LogFile | undefined;

/** Writes to a file of the data folder from now on. Called once by each program, before anything else may fail. */
export function openLog(dataDir: string): LogFile {
  file = new LogFile(join(dataDir, "logs", "tensordeck.log"));
  return file;
}

/** The file of the log; undefined before it is open. */
export function logFile(): LogFile | undefined {
  return file;
}

export const log = {
  /** Logs an event, which may help to find out what preceded a failure. */
  info(text: string): void {
    write("info", text);
  },

  /** Logs a failure despite which the application continues. */
  warning(text: string, error?: unknown): void {
    tell(text, error);
    write("warning", text, error);
  },

  /** Logs a failure that should not happen. */
  error(text: string, error?: unknown): void {
    tell(text, error);
    write("error", text, error);
  },
};

function tell(text: string, error: unknown): void {
  if (error === undefined) console.error(text);
  else console.error(text, error);
}

function write(level: Level, text: string, error?: unknown): void {
  const entry = error === undefined ? text : `${text} ${textOf(error)}`;
  file?.append(`${new Date().toISOString()} ${level} [${process.pid}] ${redacted(entry)}`);
}

/** An error's own text and stack, and those of its causes; no other properties, which may be anything. */
function textOf(error: unknown, causes = 0): string {
  if (!(error instanceof Error))
    return typeof error === "string" ? error : Object.prototype.toString.call(error);
  const { problem } = error instanceof ProblemError ? error : {};
  const details = problem ? [problem.code, problem.reason, problem.details].filter(Boolean).join("; ") : "";
  const own = `${error.stack ?? `${error.name}: ${error.message}`}${details === "" ? "" : ` (${details})`}`;
  if (error.cause === undefined || causes === MAX_CAUSES) return own;
  return `${own}\ncaused by ${textOf(error.cause, causes + 1)}`;
}
