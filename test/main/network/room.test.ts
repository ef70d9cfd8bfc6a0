import { expect, it, onTestFinished } from "vitest";
import type { ClusterState } from "../../../main/api/cluster.js";
import type { FirewallTool } from "../../../main/network/firewall/tool.js";
import { createNetwork } from "../../../main/network/room.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";
import { EventHub } from "../../../main/shared/events.js";
import { machineFacts } from "../support/machines.js";
import { until } from "../support/until.js";

/** A machine whose firewall lets everything in, and that says what it was asked. */
function firewallOf(name: string, asked: string[]): FirewallTool {
  return {
    inspect: async () => {
      asked.push(`inspect ${name}`);
      throw new Error("nothing to see");
    },
    plan: () => Promise.reject(new Error("no plan")),
    apply: () => {
      throw new Error("no change");
    },
    undo: () => {
      throw new Error("no change");
    },
  };
}

function make() {
  const asked: string[] = [];
  const events = new EventHub();
  const listening = new Set<() => void>();
  const state: ClusterState = {
    ...{ membership: "dynamic", access: "secure", exposures: [], discovery: { state: "off" } },
    machines: ["here", "pi"].map((id) => ({
      ...machineFacts(id, { kind: id === "here" ? "this" : "paired" }),
      tasks: [],
    })),
  };
  const room = createNetwork({
    peers: {
      ownId: "here",
      proberOf: (id) => async () => {
        asked.push(`probe from ${id}`);
        return [{ layer: "tcp", outcome: "ok" }];
      },
      firewallOf: (id) => firewallOf(id, asked),
      isCalledBy: () => false,
      measureThroughput: async (from, to) => {
        asked.push(`measure ${from} to ${to}`);
        return { megabytesPerSecond: 1, roundTripMillis: 1, bytes: 1, seconds: 1 };
      },
    },
    cluster: {
      state: () => state,
      tasks: () => [],
      samples: () => ({ machines: new Map(), tasks: new Map() }),
      onSamples: () => () => undefined,
      onChange: (listener) => {
        listening.add(listener);
        return () => listening.delete(listener);
      },
    },
    firewall: firewallOf("own", asked),
    events,
    emit: events.emit,
  });
  onTestFinished(() => room.dispose());
  return { room, asked, listening };
}

it("asks this machine's own firewall here, and the agent of another machine for its", async () => {
  const { room, asked } = make();
  room.handlers["firewall.open"]({ machineId: "here", ports: [2222] }, THIS_PROGRAM);
  await until("it was looked at", () => asked.includes("inspect own"));
  room.handlers["firewall.open"]({ machineId: "pi", ports: [2222] }, THIS_PROGRAM);
  await until("it was asked", () => asked.includes("inspect pi"));
});

it("measures between any two machines, and only those", async () => {
  const { room, asked } = make();
  await room.handlers["reachability.measureThroughput"]({ from: "pi", to: "here" }, THIS_PROGRAM);
  expect(asked).toContain("measure pi to here");
  await expect(
    room.handlers["reachability.measureThroughput"]({ from: "pi", to: "gone" }, THIS_PROGRAM),
  ).rejects.toThrow("no longer there");
});

it("follows the cluster no more once it has ended, and puts the wizard away", async () => {
  const { room, listening } = make();
  room.handlers["firewall.open"]({ machineId: "here", ports: [2222] }, THIS_PROGRAM);
  expect(listening.size).toBe(1);
  await room.dispose();
  expect(listening.size).toBe(0);
  expect(room.handlers["firewall.get"](undefined, THIS_PROGRAM)).toBeUndefined();
});
