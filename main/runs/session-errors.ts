/** The state of a session, as the error of a step in it tells. */
import { StatusCode, TensorFlowError } from "../../worker-runtime/protocol/status.js";
import { ProblemError } from "../api/wire.js";
import { lostTask } from "./lost-tasks.js";

/** Whether a restored variable has lost its value because its task was cleared. */
export function isUninitialised(error: unknown): boolean {
  return (
    error instanceof TensorFlowError &&
    (error.code === StatusCode.FAILED_PRECONDITION || error.code === StatusCode.NOT_FOUND) &&
    /uninitialized|not initialized|reading resource variable|Could not find/i.test(error.message)
  );
}

/** Whether a step ended because its result is no longer awaited here. */
export function endsFromHere(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || (error instanceof TensorFlowError && error.code === StatusCode.DEADLINE_EXCEEDED);
}

/** Whether later runs would fail in the session for the same reason. */
export function isSessionLost(error: unknown): boolean {
  if (error instanceof ProblemError) return lostTask(error);
  return (
    error instanceof Error &&
    "codeName" in error &&
    (error.codeName === "ABORTED" || error.codeName === "UNAVAILABLE")
  );
}
