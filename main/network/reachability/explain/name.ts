import { formatHostPort } from "../../../../worker-runtime/cluster/address.js";
import { isLoopback } from "../../../../worker-runtime/cluster/host.js";
import type { LayerResult } from "../../../api/reachability.js";
import { defined } from "../../../shared/problems.js";
import { hostOf, portOf } from "../hosts.js";
import { addressesOfName } from "../layers/name.js";
import { layerOf } from "../layers/result.js";
import type { Explanation, RouteFacts } from "./route-facts.js";

/** A name that does not resolve, or resolves to the wrong machine even if something answers there. */
export function explainName(facts: RouteFacts): Explanation | undefined {
  const name = layerOf(facts.layers, "name");
  if (name?.outcome === "failed") return unknownName(facts, name);
  // An agent is identified by its certificate, wherever the name leads.
  if (facts.kind === "agent" || facts.via === "tunnel" || facts.from.id === facts.to.id) return undefined;
  return leadsHome(facts);
}

function unknownName(facts: RouteFacts, name: LayerResult): Explanation {
  const { from, address, task } = facts;
  const host = hostOf(address);
  const silent = name.cause === "no-name-server" || name.cause === "timed-out";
  return {
    problem: defined({
      code: silent ? "UNAVAILABLE" : "NOT_FOUND",
      message: silent
        ? `${from.name} cannot resolve ${host}: its name service does not answer.`
        : `${from.name} does not know the name ${host}.`,
      reason: silent
        ? undefined
        : "Neither its hosts file nor its name service has it; names that work on one machine need not work on another.",
      remedy: `Use ${instead(facts)}, or add ${host} to the hosts file of ${from.name}.`,
      details: name.detail,
      task: task?.name,
    }),
  };
}

/** localhost, or a name that Debian's hosts file maps to 127.0.1.1: the dialling machine meets itself. */
function leadsHome(facts: RouteFacts): Explanation | undefined {
  const { from, to, address, task } = facts;
  const host = hostOf(address);
  const found = addressesOfName(facts.layers);
  const addresses = found.length === 0 ? [host] : found;
  if (!addresses.every(isLoopback)) return undefined;
  // Two installations on one computer do share its loopback addresses.
  if (facts.otherHosts?.includes(host)) return undefined;
  const [first = host] = addresses;
  return {
    problem: defined({
      code: "INVALID_ARGUMENT",
      message: isLoopback(host)
        ? `On ${from.name}, ${address} is ${from.name} itself and not ${to.name}.`
        : `On ${from.name}, the name ${host} leads to ${from.name} itself (${first}) and not to ${to.name}.`,
      reason: isLoopback(host)
        ? "On each machine this address means the machine itself."
        : "Probably its hosts file maps the name to the loopback interface.",
      remedy: `Use ${instead(facts)} in the cluster.`,
      task: task?.name,
    }),
  };
}

/** "192.168.1.20:2222 instead", as far as another address is known. */
function instead({ to, address, otherHosts = [] }: RouteFacts): string {
  const host = otherHosts.find((other) => other !== hostOf(address) && !isLoopback(other));
  if (host === undefined) return `a numeric address of ${to.name}`;
  const port = portOf(address);
  return `${port === undefined ? host : formatHostPort({ host, port })} instead`;
}
