/** Why a pairing failed, in words for the user. */
import type { Problem } from "../../api/problem.js";
import type { ProblemError } from "../../api/wire.js";
import { problem } from "../../shared/problems.js";
import type { MessageOf } from "./pairing-messages.js";

/** Both sides name the machine at the other end. */
export type PairingFailure =
  | { readonly kind: "bye"; readonly bye: MessageOf<"bye"> }
  /** The user of this machine cancelled it. */
  | { readonly kind: "closed" }
  | { readonly kind: "expired" }
  | { readonly kind: "tries" }
  /** Another machine is served instead. */
  | { readonly kind: "displaced" }
  | { readonly kind: "lost" }
  | { readonly kind: "garbage"; readonly details: string }
  /** The other side took part in the proof, but does not know the code. */
  | { readonly kind: "unproved" };

/** @param name The other machine. */
export function pairingProblem(failure: PairingFailure, name: string): Problem {
  return made(failure, name).problem;
}

function made(failure: PairingFailure, name: string): ProblemError {
  switch (failure.kind) {
    case "bye":
      return byeProblem(failure.bye, name);
    case "closed":
      return problem("CANCELLED", `The pairing with ${name} was ended here.`);
    case "expired":
      return problem("DEADLINE_EXCEEDED", `The pairing with ${name} expired.`, {
        reason: "A code is valid for two minutes.",
        remedy: "Pair again; a new code is shown.",
      });
    case "tries":
      return problem("PERMISSION_DENIED", `The pairing with ${name} ended after too many wrong codes.`, {
        reason: "The code was mistyped, or somebody in between tried to guess it.",
        remedy: "Wait half a minute and pair again. Each try shows a new code; only the latest is valid.",
      });
    case "displaced":
      return problem("UNAVAILABLE", `The pairing with ${name} was replaced by one with another machine.`, {
        reason: "No code was typed for half a minute, and another machine asked.",
        remedy: "Pair again when that is over.",
      });
    case "lost":
      return problem("UNAVAILABLE", `The connection to ${name} was lost during the pairing.`, {
        reason: `${name} went off or to sleep, Tensordeck was closed there, or the network broke.`,
        remedy: "Pair again.",
      });
    case "garbage":
      return problem("UNAUTHENTICATED", `${name} did not follow the pairing protocol.`, {
        reason: "Another program answers there, or a version of Tensordeck that this one does not know.",
        remedy: "Use the same version on both machines.",
        details: failure.details,
      });
    case "unproved":
      return problem("UNAUTHENTICATED", `${name} did not prove that it knows the code.`, {
        reason: "Somebody is probably impersonating that machine.",
        remedy: "Do not pair over this network until you know who answers there. Compare the device IDs.",
      });
  }
}

function byeProblem({ reason, waitMillis }: MessageOf<"bye">, name: string): ProblemError {
  switch (reason) {
    case "busy":
      return problem("UNAVAILABLE", `${name} is currently pairing with another machine.`, {
        remedy: `Try again in half a minute. If ${name} shows a pairing that nobody wants, close it there.`,
      });
    case "pause":
      return problem("RESOURCE_EXHAUSTED", `${name} accepts no pairing from this machine at the moment.`, {
        reason: "Too many attempts from its address failed. The pause prevents codes from being guessed.",
        remedy: `Try again in ${durationText(waitMillis ?? 0)}, or begin the pairing on ${name}.`,
      });
    case "crowd":
      return problem("RESOURCE_EXHAUSTED", `${name} accepts only one pairing a minute at the moment.`, {
        reason: "Other machines failed to pair with it too often; this one did nothing wrong.",
        remedy: `Try again in ${durationText(waitMillis ?? 0)}, or begin the pairing on ${name}.`,
      });
    case "version":
      return problem(
        "FAILED_PRECONDITION",
        `${name} runs a version of Tensordeck that pairs in another way.`,
        {
          remedy: "Use the same version on both machines.",
        },
      );
    case "refused":
      return problem("PERMISSION_DENIED", `${name} refused the pairing.`, {
        reason: `It was closed on ${name}.`,
      });
    case "cancelled":
      return problem("CANCELLED", `${name} cancelled the pairing.`, { reason: `It was closed on ${name}.` });
    case "expired":
      return made({ kind: "expired" }, name);
    case "tries":
      return made({ kind: "tries" }, name);
  }
}

const SECOND_MILLIS = 1000;
const MINUTE_MILLIS = 60_000;

function durationText(millis: number): string {
  if (millis < MINUTE_MILLIS) return `${Math.max(1, Math.ceil(millis / SECOND_MILLIS))} s`;
  const minutes = Math.ceil(millis / MINUTE_MILLIS);
  return minutes === 1 ? "one minute" : `${minutes} minutes`;
}
