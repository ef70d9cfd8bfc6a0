import { describe, expect, it } from "vitest";
import { machineCommands } from "../../../renderer/commands/machine-commands.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { clusterOf, machineOf } from "../support/cluster-states.js";

describe("machineCommands", () => {
  it("offers what can be done with each machine, by its name", () => {
    receiveCluster(
      clusterOf([
        machineOf("gpu-pc"),
        machineOf("pi", { kind: "paired", role: "run" }),
        machineOf("box", { kind: "paired", role: "manage" }),
        machineOf("away", { kind: "paired", role: "manage", presence: "offline" }),
        machineOf("new", { kind: "discovered" }),
      ]),
    );
    const commands = machineCommands();
    expect(commands.map(({ label }) => label)).toEqual([
      "Details of gpu-pc…",
      "Add worker on pi",
      "Firewall of pi…",
      "Details of pi…",
      "Add worker on box",
      "Firewall of box…",
      "Open the window of box",
      "Details of box…",
      "Details of away…",
      "Pair with new…",
      "Details of new…",
    ]);
    expect(new Set(commands.map(({ id }) => id)).size).toBe(commands.length);
  });
});
