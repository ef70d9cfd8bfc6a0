import { describe, expect, it } from "vitest";
import { NO_TUNNELS, tunnelledTasks, tunnelTable } from "../../../main/cluster/tunnel-table.js";

function machine(id: string, dials = false) {
  return { id, addresses: [`${id}.local`], agentPort: 2220, dials };
}

describe("the tunnels of a secure cluster", () => {
  it("lead from every machine with tasks, and the window's, to the tasks of all others", () => {
    const table = tunnelTable(
      [machine("window", true), machine("a"), machine("b"), machine("idle")],
      [
        { machineId: "a", port: 2222 },
        { machineId: "b", port: 2223 },
        { machineId: "b", port: 2224 },
      ],
    );
    const to = (deviceId: string, port: number) => ({
      port,
      deviceId,
      agentAddresses: [`${deviceId}.local:2220`],
    });
    expect(table.get("window")).toEqual({
      tunnels: [to("a", 2222), to("b", 2223), to("b", 2224)],
      admissions: [],
    });
    expect(table.get("a")).toEqual({
      tunnels: [to("b", 2223), to("b", 2224)],
      admissions: [
        { deviceId: "window", port: 2222 },
        { deviceId: "b", port: 2222 },
      ],
    });
    expect(table.get("b")?.tunnels).toEqual([to("a", 2222)]);
    expect(table.get("b")?.admissions.length).toBe(4);
    expect(table.get("idle")).toBe(NO_TUNNELS);
  });

  it("pass over ports that are not chosen, and never end at a port of a machine's own", () => {
    const table = tunnelTable(
      [machine("a", true), machine("b")],
      [
        { machineId: "a", port: 2222 },
        { machineId: "b", port: 2222 },
        { machineId: "b", port: 0 },
      ],
    );
    expect(table.get("a")?.tunnels).toEqual([]);
    expect(table.get("b")?.tunnels).toEqual([]);
  });

  it("know IPv6, and machines of which no address is known", () => {
    const table = tunnelTable(
      [
        machine("a", true),
        { id: "b", addresses: ["fd00::2"], agentPort: 2221, dials: false },
        { id: "c", addresses: ["10.0.0.3"], agentPort: undefined, dials: false },
      ],
      [
        { machineId: "b", port: 2222 },
        { machineId: "c", port: 2223 },
      ],
    );
    expect(table.get("a")?.tunnels.map(({ agentAddresses }) => agentAddresses)).toEqual([
      ["[fd00::2]:2221"],
      [],
    ]);
  });

  it("lead to tasks that are named on the loopback interface, and to no others", () => {
    expect(
      tunnelledTasks([
        { machineId: "a", address: "localhost:2222" },
        { machineId: "a", address: "127.0.0.1:2223" },
        { machineId: "foreign:nas", address: "nas:2222" },
        { machineId: "a", address: "" },
      ]),
    ).toEqual([
      { machineId: "a", port: 2222 },
      { machineId: "a", port: 2223 },
    ]);
  });
});
