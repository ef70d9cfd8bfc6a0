/** A connection opens, but not to the intended agent. */
import type { LayerResult } from "../../../api/reachability.js";
import { defined } from "../../../shared/problems.js";
import { layerOf } from "../layers/result.js";
import type { Explanation, RouteFacts } from "./route-facts.js";

/** @param failure The layer that failed, if one did. */
export function explainAgent(facts: RouteFacts, failure: LayerResult | undefined): Explanation | undefined {
  const { from, to, address } = facts;
  if (failure === undefined) return anotherInstallation(facts);
  const details = failure.detail === undefined ? undefined : `${from.name} → ${address}: ${failure.detail}`;
  const silent = failure.cause === "timed-out";
  const closed = failure.cause === "closed" || failure.cause === "reset";
  return {
    problem: defined({
      code: "UNAVAILABLE",
      message: silent
        ? `The agent of ${to.name} accepts connections, but does not answer ${from.name}.`
        : closed
          ? `The agent of ${to.name} ends the connection of ${from.name} at once.`
          : `A program other than Tensordeck answers at ${address}.`,
      reason: silent
        ? `Tensordeck probably hangs on ${to.name}.`
        : closed
          ? "It is probably about to end, or its certificate does not match."
          : "It does not speak TLS as an agent does.",
      remedy:
        silent || closed ? `Restart Tensordeck on ${to.name}.` : `Correct the port of ${to.name}'s agent.`,
      details,
    }),
  };
}

/** The address now belongs to another machine, as happens with DHCP. */
function anotherInstallation(facts: RouteFacts): Explanation | undefined {
  const shown = layerOf(facts.layers, "tls")?.detail;
  if (facts.deviceId === undefined || shown === undefined || shown === facts.deviceId) return undefined;
  return {
    problem: {
      code: "FAILED_PRECONDITION",
      message: `An installation other than ${facts.to.name} answers ${facts.from.name} at ${facts.address}.`,
      reason:
        "Its certificate is a different one: the address was given to another machine, or Tensordeck was reinstalled there.",
      remedy: `Correct the address of ${facts.to.name}, or pair with it again.`,
      details: `expected ${facts.deviceId}, found ${shown}`,
    },
  };
}
