import { describe, expect, it } from "vitest";
import type { Route } from "../../../main/api/reachability.js";
import { blockedRoutes, failedText, linkKey, linksOf } from "../../../renderer/cluster/routes.js";

const route = (from: string, to: string, more: Partial<Route> = {}): Route => ({
  from,
  to,
  address: `${to}:2220`,
  via: "direct",
  outcome: "ok",
  layers: [],
  ...more,
});

describe("linksOf", () => {
  it("is as good as the worst route, as quick as the quickest", () => {
    const links = linksOf([
      route("a", "b", { roundTripMillis: 3 }),
      route("a", "b", { address: "b:2222", roundTripMillis: 0.6 }),
      route("b", "a", { roundTripMillis: 0.5 }),
      route("b", "a", { address: "a:2222", outcome: "failed", firewallOf: "a" }),
    ]);
    expect(links.get(linkKey("a", "b"))).toMatchObject({ outcome: "ok", roundTripMillis: 0.6 });
    expect(links.get(linkKey("b", "a"))).toMatchObject({ outcome: "failed", firewallOf: "a" });
  });

  it("knows nothing of what was not tested, and nothing of a machine with itself", () => {
    const links = linksOf([route("a", "b", { outcome: "unknown" }), route("a", "a")]);
    expect([...links.keys()]).toEqual([linkKey("a", "b")]);
    expect(links.get(linkKey("a", "b"))?.outcome).toBe("unknown");
  });
});

describe("blockedRoutes", () => {
  it("names one firewall in the way of one machine once, however many ports it blocks", () => {
    const failed = { outcome: "failed", firewallOf: "a" } as const;
    const routes = [
      route("b", "a", { ...failed, address: "a:2222" }),
      route("b", "a", { ...failed, address: "a:2223" }),
      route("c", "a", { ...failed, address: "a:2222" }),
      route("b", "a", { outcome: "failed", address: "a:2224" }),
      route("a", "b"),
    ];
    expect(failedText(routes)).toBe("3 failing routes");
    expect(failedText(routes.slice(0, 2))).toBe("1 blocked route");
    expect(failedText([route("a", "b")])).toBeUndefined();
    expect(blockedRoutes(routes).map(({ from, address }) => `${from} ${address}`)).toEqual([
      "b a:2222",
      "c a:2222",
      "b a:2224",
    ]);
  });
});
