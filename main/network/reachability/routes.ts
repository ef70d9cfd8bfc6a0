/** Tested routes as the window shows them: each is explained with the help of the others. */
import type { Machine } from "../../api/cluster.js";
import type { FirewallFacts } from "../../api/firewall.js";
import type { LayerResult, Route } from "../../api/reachability.js";
import { defined } from "../../shared/problems.js";
import { machinesMeet } from "./explain/evidence.js";
import type { RouteFacts } from "./explain/route-facts.js";
import { explainRoute } from "./explain.js";
import type { PlannedRoute } from "./plan.js";
import { type TestedRoute, works } from "./route-tests.js";

/** The firewall of a machine, as far as it is known. */
export type KnownFirewall = (machineId: string) => FirewallFacts | undefined;

/**
 * @param tested The result of a route by its key, if it is there.
 * @param callsHere Whether a machine has a connection to this one now.
 */
export function describeRoutes(
  plans: readonly PlannedRoute[],
  tested: (key: string) => TestedRoute | undefined,
  firewallOf: KnownFirewall,
  callsHere: (machineId: string) => boolean = () => false,
): Route[] {
  const reach = new Reach(plans, tested, callsHere);
  return plans.map((plan) => {
    const result = tested(plan.key);
    return result ? describe(result, reach, firewallOf) : untested(plan);
  });
}

/** Facts that the results reveal about each other. */
class Reach {
  /** Names of the machines that reach an address, by address. */
  readonly #reachedBy = new Map<string, string[]>();
  /** "from to" of pairs of which one reaches the other's agent. */
  readonly #agents = new Set<string>();

  readonly #callsHere: (machineId: string) => boolean;

  constructor(
    plans: readonly PlannedRoute[],
    tested: (key: string) => TestedRoute | undefined,
    callsHere: (machineId: string) => boolean,
  ) {
    this.#callsHere = callsHere;
    for (const { key, from, to, kind, via } of plans) {
      const result = tested(key);
      if (!result || !works(result.layers)) continue;
      if (kind === "agent") this.#agents.add(`${from.id} ${to.id}`);
      if (via === "tunnel") continue;
      const names = this.#reachedBy.get(result.address) ?? [];
      names.push(from.name);
      this.#reachedBy.set(result.address, names);
    }
  }

  /** Whether a machine reaches another one's agent. */
  agent(from: string, to: Machine): boolean {
    return this.#agents.has(`${from} ${to.id}`) || (to.kind === "this" && this.#callsHere(from));
  }

  others(address: string, than: string): string[] {
    return (this.#reachedBy.get(address) ?? []).filter((name) => name !== than);
  }
}

function untested({ from, to, addresses, via, task }: PlannedRoute): Route {
  return defined({
    from: from.id,
    to: to.id,
    address: addresses[0],
    taskId: task?.id,
    via,
    outcome: "unknown" as const,
    layers: [],
  });
}

function describe(
  { plan, address, layers, problem }: TestedRoute,
  reach: Reach,
  firewallOf: KnownFirewall,
): Route {
  const { from, to, via, task } = plan;
  const facts = factsOf(plan, address, layers, reach, firewallOf);
  const explanation = layers.length === 0 ? undefined : explainRoute(facts);
  const outcome =
    layers.length === 0 || isNoNews(facts) ? "unknown" : works(layers) && !explanation ? "ok" : "failed";
  return defined({
    from: from.id,
    to: to.id,
    address,
    taskId: task?.id,
    via,
    outcome,
    roundTripMillis: outcome === "ok" ? roundTrip(layers, via) : undefined,
    layers: [...layers],
    problem: explanation?.problem ?? problem,
    firewallOf: explanation?.firewallOf,
  });
}

function factsOf(
  { from, to, kind, via, task, deviceId }: PlannedRoute,
  address: string,
  layers: readonly LayerResult[],
  reach: Reach,
  firewallOf: KnownFirewall,
): RouteFacts {
  const away = to.presence !== "online";
  return defined({
    from,
    to,
    address,
    kind,
    via,
    layers,
    task:
      task && defined({ name: `${task.job}/${task.index}`, state: task.foreign ? undefined : task.state }),
    // A machine that is online is connected here through its agent, which reports its running tasks.
    listening:
      (kind === "agent" && (!away || reach.agent(to.id, from))) || (task !== undefined && !task.foreign)
        ? true
        : undefined,
    otherPortAnswers: kind === "task" && reach.agent(from.id, to) ? true : undefined,
    othersReach: reach.others(address, from.name),
    reverseWorks: reach.agent(to.id, from) ? true : undefined,
    firewall: firewallOf(to.id),
    wizard: !away && (to.kind === "this" || to.kind === "paired"),
    away: away || undefined,
    deviceId,
    otherHosts: to.addresses,
  });
}

/** A machine that is off fails every test; that does not indicate a problem with the route. */
function isNoNews(facts: RouteFacts): boolean {
  const cause = facts.layers.find(({ layer }) => layer === "tcp")?.cause;
  const isSilent = cause === "timed-out" || cause === "host-unreachable" || cause === "no-route";
  return facts.away === true && isSilent && !machinesMeet(facts);
}

function roundTrip(layers: readonly LayerResult[], via: Route["via"]): number | undefined {
  const millis = (name: LayerResult["layer"]) =>
    layers.find(({ layer, outcome }) => layer === name && outcome === "ok")?.millis;
  return via === "tunnel" ? millis("http2") : (millis("ping") ?? millis("tcp"));
}
