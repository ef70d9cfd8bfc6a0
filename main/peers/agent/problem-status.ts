/** Problems in gRPC: the code as the status, the whole problem in a trailer. */
import { Metadata, type ServiceError, type StatusObject } from "@grpc/grpc-js";
import * as wire from "../../../protos/generated/tensordeck/agent.js";
import {
  asTensorFlowError,
  StatusCode,
  statusCodeName,
  TensorFlowError,
} from "../../../worker-runtime/protocol/status.js";
import type { Problem } from "../../api/problem.js";
import { ProblemError } from "../../api/wire.js";
import { log } from "../../shared/log/log.js";
import { messageOf, problem, problemOf } from "../../shared/problems.js";
import { problemFromMessage, problemToMessage } from "./messages/problem.js";

const PROBLEM_TRAILER = "tensordeck-problem-bin";
/** Trailers share the few kilobytes that a peer accepts as headers. */
const MAX_TEXT_CHARACTERS = 1500;

/**
 * The status of a failed call. An error that is not a problem is a bug of this program, and its stack is not
 * disclosed.
 */
export function statusOf(error: unknown): Pick<StatusObject, "code" | "details" | "metadata"> {
  const told = presentable(error);
  const shown: Problem = {
    ...told,
    message: shortened(told.message),
    ...(told.reason !== undefined && { reason: shortened(told.reason) }),
    ...(told.remedy !== undefined && { remedy: shortened(told.remedy) }),
    ...(told.details !== undefined && { details: shortened(told.details) }),
  };
  const metadata = new Metadata();
  metadata.set(PROBLEM_TRAILER, Buffer.from(wire.Problem.encode(problemToMessage(shown)).finish()));
  return { code: codeOfName(shown.code), details: shown.message, metadata };
}

function presentable(error: unknown): Problem {
  if (error instanceof ProblemError || error instanceof TensorFlowError) return problemOf(error);
  const { codeName } = asTensorFlowError(error, StatusCode.INTERNAL);
  if (codeName === "INTERNAL") log.error("A call of a paired machine failed:", error);
  return { code: codeName, message: messageOf(error) };
}

function codeOfName(name: string): StatusCode {
  const codes: Readonly<Record<string, StatusCode>> = StatusCode;
  return codes[name] ?? StatusCode.UNKNOWN;
}

function shortened(text: string): string {
  return text.length > MAX_TEXT_CHARACTERS ? `${text.slice(0, MAX_TEXT_CHARACTERS)} …` : text;
}

/**
 * A failed call as a problem: the one that the other side sent or, without one, what is known about the connection.
 *
 * @param machine the user's name for the other machine.
 * @param call "StartTask"
 */
export function problemOfCall(error: ServiceError, machine: string, call: string): ProblemError {
  const trailer = error.metadata?.get(PROBLEM_TRAILER)[0];
  if (trailer instanceof Uint8Array) {
    try {
      return new ProblemError(problemFromMessage(wire.Problem.decode(trailer)));
    } catch {
      // An unreadable trailer counts as none.
    }
  }
  const details = `${call}: ${error.details || messageOf(error)}`;
  const code = statusCodeName(error.code);
  switch (code) {
    case "CANCELLED":
      return problem(code, `The request to ${machine} was cancelled.`, { details });
    case "DEADLINE_EXCEEDED":
      return problem(code, `${machine} did not answer in time.`, {
        reason: "It probably sleeps, is very busy, or the network in between fails.",
        remedy: "Try again; check whether the machine is on.",
        details,
      });
    case "UNAVAILABLE":
      return problem(code, `The connection to ${machine} was lost.`, {
        reason: "Tensordeck ended there, or the network in between failed.",
        remedy: "It is redialled automatically; try again when it is online.",
        details,
      });
    case "UNIMPLEMENTED":
      return problem(code, `${machine} cannot do that.`, {
        reason: "Another version of Tensordeck runs there.",
        remedy: "Install the same version on both machines.",
        details,
      });
    default:
      return problem(code, `${machine} could not carry out the request.`, { details });
  }
}
