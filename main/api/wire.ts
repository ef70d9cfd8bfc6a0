import { z } from "zod";
import { numberedEventSchema } from "./missed-events.js";
import { type Problem, problemSchema } from "./problem.js";

/**
 * The frames that cross a transport in both directions: encoded as MessagePack on a WebSocket, cloned by Electron's
 * IPC.
 */
export const requestSchema = z.object({
  id: z.number().int().nonnegative(),
  method: z.string(),
  params: z.unknown().optional(),
});
export type WireRequest = z.infer<typeof requestSchema>;

export const messageSchema = z.union([
  z.object({ id: z.number(), ok: z.literal(true), result: z.unknown().optional() }),
  z.object({ id: z.number(), ok: z.literal(false), problem: problemSchema }),
  numberedEventSchema,
]);
export type WireMessage = z.infer<typeof messageSchema>;

/** An error that can be shown to the user as it is. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

/** Any thrown value as a problem that can be shown. */
export function toProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && error.stack) return { code: "INTERNAL", message, details: error.stack };
  return { code: "INTERNAL", message };
}
