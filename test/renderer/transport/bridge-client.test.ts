import { describe, expect, it } from "vitest";
import type { Bridge } from "../../../main/api/bridge.js";
import { BridgeClient } from "../../../renderer/transport/bridge-client.js";

type Listener = Parameters<Bridge["onEvent"]>[0];

function bridge(request: Bridge["request"]): { readonly of: Bridge; send: Listener } {
  const listeners = new Set<Listener>();
  return {
    of: {
      request,
      onEvent: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    send: (event) => {
      for (const listener of listeners) listener(event);
    },
  };
}

describe("BridgeClient", () => {
  it("passes calls and their parameters, and answers their results", async () => {
    const { of } = bridge(async (method, params) => ({ ok: true, result: [method, params] }));
    const result: unknown = await new BridgeClient(of).call("cluster.addTasks", { job: "ps", count: 2 });
    expect(result).toEqual(["cluster.addTasks", { job: "ps", count: 2 }]);
  });

  it("rejects with the problem that crossed the bridge as a value", async () => {
    const problem = { code: "UNAVAILABLE", message: "worker/0 is gone." };
    const { of } = bridge(async () => ({ ok: false, problem }));
    await expect(new BridgeClient(of).call("settings.get")).rejects.toMatchObject({ problem });
  });

  it("is connected from the start and forwards events", () => {
    const { of, send } = bridge(async () => ({ ok: true }));
    const client = new BridgeClient(of);
    const heard: unknown[] = [];
    client.onConnection((connected) => heard.push(connected));
    client.on("settings", (settings) => heard.push(settings.theme));
    send({ event: "settings", sequence: 1, data: { theme: "light", recentDocuments: [] } });
    send({ event: "unheard", sequence: 2 });
    expect(heard).toEqual([true, "light"]);
  });
});
