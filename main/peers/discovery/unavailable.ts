/** Why machines cannot be found, in the user's words. */
import type { Problem } from "../../api/problem.js";
import { defined, errnoOf } from "../../shared/problems.js";

/** The state of the networks of a machine when none of them finds others. */
export interface NoDiscovery {
  /** Names of all interfaces that are up. */
  readonly interfaces: readonly string[];
  /** Those that do not support multicast according to the system. */
  readonly withoutMulticast: readonly string[];
  /** Those on which sent packets did not come back. */
  readonly silent: readonly string[];
  /** The error of a socket. */
  readonly error: Error | undefined;
}

const ADD_BY_ADDRESS = "Add the other machine by its address; everything else works the same.";

const reasons = new Map([
  [
    "EADDRINUSE",
    {
      reason: "Another program on this machine keeps the mDNS port, UDP 5353, to itself.",
      remedy: `End that program, or let it share the port. Or: ${ADD_BY_ADDRESS}`,
    },
  ],
  [
    "EACCES",
    {
      reason: "The system does not let this program use the mDNS port, UDP 5353.",
      remedy: `Allow it in the system's firewall or privacy settings. Or: ${ADD_BY_ADDRESS}`,
    },
  ],
  [
    "EPERM",
    {
      reason: "A firewall on this machine does not let mDNS out (UDP 5353).",
      remedy: `Allow UDP 5353 in it. Or: ${ADD_BY_ADDRESS}`,
    },
  ],
]);

export function discoveryProblem(found: NoDiscovery): Problem {
  const message = "Other machines cannot be found automatically.";
  if (found.interfaces.length === 0) {
    return {
      code: "UNAVAILABLE",
      message,
      reason: "This machine is not connected to a network.",
      remedy: "Connect it by cable or Wi-Fi. This is noticed automatically.",
    };
  }
  if (found.silent.length > 0) {
    return {
      code: "UNAVAILABLE",
      message,
      reason: `No multicast packet (UDP 5353) sent on ${list(found.silent)} comes back: a firewall on this machine probably drops them, or the network does not carry multicast.`,
      remedy: `Allow UDP 5353 in this machine's firewall. Or: ${ADD_BY_ADDRESS}`,
    };
  }
  if (found.error !== undefined) {
    const known = reasons.get(errnoOf(found.error) ?? "");
    return defined({
      code: "UNAVAILABLE",
      message,
      reason: known?.reason ?? "The system does not let this program send multicast packets.",
      remedy: known?.remedy ?? ADD_BY_ADDRESS,
      details: found.error.message,
    });
  }
  return {
    code: "UNAVAILABLE",
    message,
    reason: `The network ${list(found.withoutMulticast)} does not carry multicast, like many VPNs and virtual networks.`,
    remedy: ADD_BY_ADDRESS,
  };
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
