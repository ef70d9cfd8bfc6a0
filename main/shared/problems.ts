/** Creates problems: what happened, why, and what to do. */
import { shortTaskText, taskOfDevice } from "../../worker-runtime/cluster/device-name.js";
import { messageWithoutTask, TensorFlowError } from "../../worker-runtime/protocol/status.js";
import type { Problem } from "../api/problem.js";
import { ProblemError, toProblem } from "../api/wire.js";

/** An object without its undefined properties, as required by the contract's optional properties. */
export function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept = Object.entries(value).filter(([, property]) => property !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** An error that can be shown to the user as it is. */
export function problem(
  code: string,
  message: string,
  more: { [K in Exclude<keyof Problem, "code" | "message">]?: string | undefined } = {},
): ProblemError {
  return new ProblemError({ code, message, ...defined(more) });
}

/** Anything that was thrown, as a problem that can be shown; errors of TensorFlow keep their code. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof TensorFlowError)) return toProblem(error);
  const message = messageWithoutTask(error.message);
  return defined({
    code: error.codeName,
    message: message.length > 400 ? `${message.slice(0, 400)} …` : message,
    details: message.length > 400 ? message : undefined,
    task: error.task === undefined ? undefined : shortTaskName(error.task),
  });
}

/** "worker/1" for "/job:worker/replica:0/task:1"; other names are returned unchanged. */
export function shortTaskName(device: string): string {
  const task = taskOfDevice(device);
  return task === undefined ? device : shortTaskText(task);
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of Node's own ("ENOENT"), if it has one. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

interface FileFailure {
  readonly code: string;
  readonly reason: string;
  readonly remedy: string;
}

const fileFailures = new Map<string, FileFailure>([
  ["ENOENT", { code: "NOT_FOUND", reason: "It does not exist.", remedy: "Check the path." }],
  ["ENOTDIR", { code: "NOT_FOUND", reason: "Part of the path is not a folder.", remedy: "Check the path." }],
  [
    "EACCES",
    {
      code: "PERMISSION_DENIED",
      reason: "This account has no permission for that.",
      remedy: "Choose another place, or change the permissions.",
    },
  ],
  [
    "EPERM",
    {
      code: "PERMISSION_DENIED",
      reason: "The system does not permit it.",
      remedy: "Choose another place, or change the permissions.",
    },
  ],
  ["EISDIR", { code: "INVALID_ARGUMENT", reason: "It is a folder or a device.", remedy: "Choose a file." }],
  ["ENOSPC", { code: "RESOURCE_EXHAUSTED", reason: "The disk is full.", remedy: "Free some space." }],
  ["EROFS", { code: "PERMISSION_DENIED", reason: "The disk is read-only.", remedy: "Choose another place." }],
  [
    "ENAMETOOLONG",
    { code: "INVALID_ARGUMENT", reason: "The name is too long.", remedy: "Use a shorter one." },
  ],
  ["ELOOP", { code: "INVALID_ARGUMENT", reason: "Its links form a loop.", remedy: "Check the path." }],
  ["EMFILE", { code: "RESOURCE_EXHAUSTED", reason: "Too many files are open.", remedy: "Try again." }],
]);

/** The problem for a machine that a window still shows, but that is no longer known. */
export function noSuchMachine(machineId: string): ProblemError {
  return problem("NOT_FOUND", "This machine is no longer there.", {
    remedy: "It was forgotten, perhaps in another window. Add it again to use it.",
    details: `machine ${machineId}`,
  });
}

/** The problem for a request that this host does not support. @param reason As a sentence. */
export function notOnThisHost(what: string, reason: string): ProblemError {
  return problem("UNIMPLEMENTED", `${what} is not available here.`, { reason });
}

/** A failure of the file system as a problem; `what` describes the attempt: "notes.pbtxt could not be read". */
export function fileProblem(what: string, error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const errno = errnoOf(error);
  const known = errno === undefined ? undefined : fileFailures.get(errno);
  return problem(known?.code ?? "UNKNOWN", `${what}.`, {
    reason: known?.reason,
    remedy: known?.remedy,
    details: messageOf(error),
  });
}
