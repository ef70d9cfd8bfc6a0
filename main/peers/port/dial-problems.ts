/** Why another machine's agent could not be reached, in words. */
import type { ProblemError } from "../../api/wire.js";
import { shortDeviceId } from "../../machine/device-id.js";
import { errnoOf, messageOf, problem } from "../../shared/problems.js";

/** Another machine has the address now, or it is impersonating the intended one. */
export function wrongMachine(address: string, expected: string, actual: string): ProblemError {
  return problem(
    "UNAUTHENTICATED",
    `Another machine answers at ${address}: ${shortDeviceId(actual)} instead of ${shortDeviceId(expected)}.`,
    {
      reason:
        "Its address was probably given to another machine, or Tensordeck was reinstalled there and has a new device ID.",
      remedy: "If it is the same machine, pair with it again. Otherwise look for its new address.",
      details: `Expected device ID ${expected}, found ${actual}.`,
    },
  );
}

/** The other side ended the connection once it had identified the caller. */
export function notAdmitted(name: string): ProblemError {
  return problem("PERMISSION_DENIED", `${name} does not let this machine in.`, {
    reason: `${name} has forgotten this machine: it was removed there, or its data folder was replaced.`,
    remedy: `Pair the two machines again. If you did not expect this, ask the user of ${name}.`,
  });
}

/** The same for a pairing, which is open to machines that are not paired. */
export function notPairingNow(name: string): ProblemError {
  return problem("RESOURCE_EXHAUSTED", `${name} accepts no pairing from this machine now.`, {
    reason: "Too many connections are open there, from this machine's address or from those of others.",
    remedy: `Wait a minute, then try again, or begin the pairing on ${name}.`,
  });
}

/**
 * Nothing answers at an address: not in time, or the network says that the address leads to no machine. Which of both
 * a machine that is off causes depends on chance, and on the address.
 */
export class Silence extends Error {
  constructor(
    readonly address: string,
    what: string,
  ) {
    super(`${address}: ${what}`);
  }
}

const SILENT = new Set([
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "ETIMEDOUT",
  "EADDRNOTAVAIL",
]);

const reasons = new Map([
  ["ECONNREFUSED", "The machine answers, but no Tensordeck listens at that port."],
  ["ENOTFOUND", "This machine cannot resolve the name."],
  ["EAI_AGAIN", "The name service did not answer."],
  ["ECONNRESET", "The other side ended the connection during the handshake."],
]);

/** The failure of a connection to one address. */
export function dialFailure(name: string, address: string, error: unknown): ProblemError | Silence {
  const errno = errnoOf(error);
  if (errno !== undefined && SILENT.has(errno)) return new Silence(address, messageOf(error));
  return problem("UNAVAILABLE", `${name} could not be reached at ${address}.`, {
    reason: (errno && reasons.get(errno)) ?? undefined,
    details: messageOf(error),
  });
}

/** The problem for a machine that answers nowhere; the same words at every attempt, whatever its addresses do. */
export function noAnswer(name: string, silences: readonly Silence[]): ProblemError {
  const [first, ...others] = silences;
  const isOne = first !== undefined && others.length === 0;
  const message = isOne
    ? `${name} did not answer at ${first.address}.`
    : `${name} did not answer at any of its addresses.`;
  return problem("UNAVAILABLE", message, {
    reason: "It is off, asleep or in another network, or a firewall drops the packets sent to it.",
    remedy: "Links, at the bottom of the cluster panel, shows which layer fails.",
    details: silences
      .map(({ message: text }) => text)
      .toSorted()
      .join("\n"),
  });
}
