/** Answers of an API server that are errors, and the lack of a connection, as problems. */
import { z } from "zod";
import type { ProblemError } from "../api/wire.js";
import { errnoOf, messageOf, problem } from "../shared/problems.js";

/** Kubernetes' Status, as far as it is used. */
const statusSchema = z.object({ message: z.string().optional(), reason: z.string().optional() });

interface Cause {
  readonly code: string;
  readonly remedy?: string;
}

const CAUSES: ReadonlyMap<number, Cause> = new Map([
  [400, { code: "INVALID_ARGUMENT" }],
  [401, { code: "UNAUTHENTICATED", remedy: "Sign in again, as kubectl does, or choose another context." }],
  [
    403,
    { code: "PERMISSION_DENIED", remedy: "Ask who runs the cluster for these rights in this namespace." },
  ],
  [404, { code: "NOT_FOUND" }],
  [
    409,
    { code: "ABORTED", remedy: "Another program manages these fields. Deploy with force to take them over." },
  ],
  [410, { code: "OUT_OF_RANGE" }],
  [422, { code: "INVALID_ARGUMENT" }],
  [429, { code: "RESOURCE_EXHAUSTED", remedy: "The API server is busy. Try again." }],
]);

/** @param what in one sentence's beginning: "StatefulSet lab-worker cannot be applied" */
export function apiProblem(what: string, statusCode: number, body: string): ProblemError {
  const { code, remedy } = CAUSES.get(statusCode) ?? {
    code: statusCode >= 500 ? "UNAVAILABLE" : "UNKNOWN",
  };
  return problem(code, `${what}.`, {
    reason: statusMessage(body) ?? `The API server answers ${statusCode}.`,
    remedy,
  });
}

/** The message of a Status; undefined if the text is none. */
export function statusMessage(body: string): string | undefined {
  try {
    const { message, reason } = statusSchema.parse(JSON.parse(body));
    return message || reason;
  } catch {
    return body.trim() === "" ? undefined : body.trim().slice(0, 400);
  }
}

const NETWORK_CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Nothing listens there.",
  ENOTFOUND: "Its name is not known.",
  EHOSTUNREACH: "There is no route to it.",
  ETIMEDOUT: "It does not answer.",
  ECONNRESET: "It ended the connection.",
};

/** An error of a connection that got no answer. */
export function connectionProblem(server: string, error: unknown): ProblemError {
  const code = errnoOf(error) ?? "";
  const isCertificate = /CERT|SIGNED|ALTNAME|TLS|SSL/.test(code);
  return problem("UNAVAILABLE", `The API server ${server} cannot be reached.`, {
    reason: NETWORK_CAUSES[code] ?? messageOf(error),
    remedy: isCertificate
      ? "Its certificate is not one that the kubeconfig trusts. Check certificate-authority-data."
      : "Check that the cluster runs and that this machine reaches it, for example with kubectl version.",
  });
}

/** Why nothing can be done in Kubernetes before a context was chosen. */
export function notConnected() {
  return problem("FAILED_PRECONDITION", "There is no connection to Kubernetes.", {
    remedy: "Choose a context of your kubeconfig first.",
  });
}
