/** Summaries of the tested routes between machines. Pure. */
import type { Route } from "../../main/api/reachability.js";
import { texts } from "../texts/texts.js";

const words = texts.cluster.routes;

/** The key of the link from one machine to another. */
export function linkKey(from: string, to: string): string {
  return `${from} ${to}`;
}

/** The summary of one machine's connections to another. */
export interface Link {
  readonly from: string;
  readonly to: string;
  /** failed: at least one address cannot be reached. unknown: nothing was tested, or not to the end. */
  readonly outcome: "ok" | "failed" | "unknown";
  /** The quickest of its routes. */
  readonly roundTripMillis: number | undefined;
  /** One of its routes could be fixed by the firewall wizard, on this machine's firewall. */
  readonly firewallOf: string | undefined;
  readonly routes: readonly Route[];
}

/** The links of all pairs of machines that were tested, by `linkKey`. */
export function linksOf(routes: readonly Route[]): ReadonlyMap<string, Link> {
  const grouped = new Map<string, Route[]>();
  for (const route of routes) {
    if (route.from === route.to) continue;
    const key = linkKey(route.from, route.to);
    const group = grouped.get(key);
    if (group) group.push(route);
    else grouped.set(key, [route]);
  }
  return new Map([...grouped].map(([key, group]) => [key, linkOf(group)]));
}

function linkOf(routes: readonly Route[]): Link {
  const [{ from, to } = { from: "", to: "" }] = routes;
  const failed = routes.some(({ outcome }) => outcome === "failed");
  const known = routes.some(({ outcome }) => outcome === "ok");
  const times = routes.flatMap(({ roundTripMillis }) => roundTripMillis ?? []);
  return {
    from,
    to,
    outcome: failed ? "failed" : known ? "ok" : "unknown",
    roundTripMillis: times.length > 0 ? Math.min(...times) : undefined,
    firewallOf: routes.find(({ firewallOf }) => firewallOf !== undefined)?.firewallOf,
    routes,
  };
}

/** "1 blocked route", "3 failing routes" if not all of them are blocked by a firewall; undefined if all work. */
export function failedText(routes: readonly Route[]): string | undefined {
  const failed = blockedRoutes(routes);
  if (failed.length === 0) return undefined;
  const firewalls = failed.every(({ firewallOf }) => firewallOf !== undefined);
  return (firewalls ? words.blocked : words.failing)({ count: failed.length });
}

/**
 * Routes that do not work, one for each link and firewall, so that ten blocked ports are one problem to fix.
 */
export function blockedRoutes(routes: readonly Route[]): readonly Route[] {
  const seen = new Set<string>();
  return routes.filter(({ from, to, outcome, firewallOf }) => {
    if (outcome !== "failed") return false;
    const key = `${linkKey(from, to)} ${firewallOf ?? ""}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
