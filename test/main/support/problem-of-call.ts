import type { Problem } from "../../../main/api/problem.js";
import { ProblemError } from "../../../main/api/wire.js";

/** The problem that a call fails with. @throws Error when it does not fail, or with something else. */
export async function problemOfCall(promise: Promise<unknown>): Promise<Problem> {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (error instanceof ProblemError) return error.problem;
  throw new Error(`not a ProblemError: ${String(error)}`);
}
