/** How both hosts handle a request, independent of the transport. */
import type { BridgeAnswer } from "../../api/bridge.js";
import { requestSchema, type WireMessage, type WireRequest } from "../../api/wire.js";
import type { Application } from "../../application.js";
import type { Caller } from "../../shared/caller.js";
import { log } from "../../shared/log/log.js";
import { problemOf } from "../../shared/problems.js";

/** The part of the application that a host hands requests to. */
export type RequestHandler = Pick<Application, "handle">;

/** Runs one method. Never rejects: a failure is an answer, too. */
export async function answerCall(
  application: RequestHandler,
  method: string,
  params: unknown,
  caller: Caller,
): Promise<BridgeAnswer> {
  try {
    const result = await application.handle(method, params, caller);
    return result === undefined ? { ok: true } : { ok: true, result };
  } catch (error) {
    const problem = problemOf(error);
    // Logged so that the cause of the user's error can be found; other codes explain themselves.
    if (problem.code === "INTERNAL" || problem.code === "UNKNOWN") log.warning(`${method} failed:`, error);
    return { ok: false, problem };
  }
}

/** A decoded frame as a request, or undefined for an invalid one. */
export function parseRequest(frame: unknown): WireRequest | undefined {
  const parsed = requestSchema.safeParse(frame);
  return parsed.success ? parsed.data : undefined;
}

/** Answers one request. Never rejects. */
export async function answerRequest(
  application: RequestHandler,
  request: WireRequest,
  caller: Caller,
): Promise<WireMessage> {
  const answer = await answerCall(application, request.method, request.params ?? undefined, caller);
  return { id: request.id, ...answer };
}
