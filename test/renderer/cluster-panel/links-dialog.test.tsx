// @vitest-environment happy-dom
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import type { LayerResult, Reachability, Route } from "../../../main/api/reachability.js";
import { LinksDialog } from "../../../renderer/cluster-panel/links-dialog.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { useReachability } from "../../../renderer/stores/reachability-store.js";
import { clusterOf, machineOf } from "../support/cluster-states.js";
import { calls, connect, expectAccessible, focusOn, show } from "../support/components.js";

const cell = (name: RegExp) => screen.getByRole("button", { name });

function routeOf(from: string, to: string, more: Partial<Route> = {}): Route {
  const layers: LayerResult[] = [{ layer: "tcp", outcome: "ok", millis: 0.4 }];
  return { from, to, address: `${to}:7370`, via: "direct", outcome: "ok", layers, ...more };
}

const receive = (state: Partial<Reachability>) =>
  act(() => useReachability.setState({ state: { state: "done", routes: [], diagnoses: [], ...state } }));

beforeEach(() => {
  connect();
  receiveCluster(
    clusterOf([
      machineOf("laptop"),
      machineOf("desktop", { kind: "paired", role: "run" }),
      machineOf("pi", { kind: "paired", role: "run", presence: "offline" }),
    ]),
  );
});

describe("the links between machines", () => {
  it("says that there is no other machine", async () => {
    receiveCluster(clusterOf([machineOf("laptop")]));
    show(<LinksDialog />);
    expect(screen.getByText("There is no other machine yet.")).toBeDefined();
    await expectAccessible();
  });

  it("says each link's state in words, and when it was checked", async () => {
    show(<LinksDialog />);
    expect(screen.getByText("Not checked yet")).toBeDefined();
    receive({ state: "checking" });
    expect(screen.getByText("Checking every route…")).toBeDefined();
    receive({
      checkedAt: new Date(2030, 0, 2, 9, 5).getTime(),
      routes: [
        routeOf("laptop", "desktop", { roundTripMillis: 0.4 }),
        routeOf("desktop", "laptop", { outcome: "failed", firewallOf: "laptop" }),
        routeOf("pi", "laptop", { outcome: "unknown" }),
      ],
    });
    expect(screen.getByText(/^Checked at /)).toBeDefined();
    expect(cell(/^laptop to desktop: round trip 0\.4 milliseconds/)).toBeDefined();
    expect(cell(/^desktop to laptop: blocked/)).toBeDefined();
    expect(cell(/^pi to laptop: pi is offline/)).toBeDefined();
    await expectAccessible();
  });

  it("shows a link's layers, and what stands in the way with its remedy, by keyboard", async () => {
    const problem = { code: "UNAVAILABLE", message: "laptop's firewall blocks port 7370." };
    const { user } = show(<LinksDialog />);
    receive({
      routes: [
        routeOf("desktop", "laptop", {
          outcome: "failed",
          firewallOf: "laptop",
          problem,
          layers: [
            { layer: "ping", outcome: "ok", millis: 0.3 },
            { layer: "tcp", outcome: "failed", cause: "timed-out", detail: "timed out after 3.0 s" },
            { layer: "tls", outcome: "skipped" },
          ],
        }),
      ],
    });
    await expectAccessible();
    focusOn(cell(/^desktop to laptop: blocked/));
    await user.keyboard("{Enter}");
    const said = within(screen.getByRole("dialog", { name: "Link from desktop to laptop" }));
    expect(said.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
      "Ping0.30 ms",
      "TCPtimed out after 3.0 s",
    ]);
    expect(said.getByText("laptop's firewall blocks port 7370.")).toBeDefined();
    await expectAccessible();
    await user.keyboard("{Escape}");
    expect(document.activeElement).toBe(cell(/^desktop to laptop: blocked/));
  });

  it("measures a link's speed when asked", async () => {
    const { user } = show(<LinksDialog />);
    connect({
      "reachability.measureThroughput": {
        megabytesPerSecond: 117,
        bytes: 64e6,
        seconds: 0.55,
        roundTripMillis: 0.4,
      },
    });
    receive({ routes: [routeOf("laptop", "desktop", { roundTripMillis: 0.4 })] });
    await user.click(cell(/^laptop to desktop/));
    await user.click(screen.getByRole("button", { name: "Measure" }));
    expect(calls.at(-1)?.params).toMatchObject({ from: "laptop", to: "desktop" });
    expect(await screen.findByText("117 MB/s")).toBeDefined();
  });

  it("shows known problems with their remedy", async () => {
    show(<LinksDialog />);
    receive({
      diagnoses: [
        {
          id: "mixed-versions",
          severity: "warning",
          problem: { code: "OK", message: "pi has an older version.", remedy: "Update it." },
        },
      ],
    });
    expect(screen.getByText(/pi has an older version\./)).toBeDefined();
    expect(screen.getByText(/Update it\./)).toBeDefined();
    await expectAccessible();
  });
});
