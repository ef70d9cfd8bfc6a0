import { beforeEach, describe, expect, it } from "vitest";
import type { Machine } from "../../../main/api/cluster.js";
import { routeCommands } from "../../../renderer/commands/cluster-commands.js";
import { machineCommands } from "../../../renderer/commands/machine-commands.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { clusterOf, machineOf } from "../support/cluster-states.js";

const machines: readonly Machine[] = [
  machineOf("gpu-pc"),
  machineOf("pi", { kind: "paired", role: "run" }),
  machineOf("box", { kind: "paired", role: "manage" }),
  machineOf("away", { kind: "paired", role: "manage", presence: "offline" }),
  machineOf("new", { kind: "discovered" }),
];

beforeEach(() => {
  useApp.setState({ connection: "connected" });
  receiveCluster(clusterOf(machines));
});

describe("the commands of machines", () => {
  it("stand once for each machine that they mean something for, with its name and, where disabled, the reason", () => {
    const { addWorker, pair, openWindow, forget } = machineCommands;
    const offered = [addWorker, pair, openWindow, forget].flatMap((command) =>
      command.all().map(({ named, reason }) => [named, reason]),
    );
    expect(offered).toEqual([
      ["Add worker on gpu-pc", undefined],
      ["Add worker on pi", undefined],
      ["Add worker on box", undefined],
      ["Add worker on away", "away is not connected."],
      ["Pair with new…", undefined],
      ["Open the window of pi", "It takes the role Manage on pi."],
      ["Open the window of box", undefined],
      ["Open the window of away", "away is not connected."],
      ["Unpair pi…", undefined],
      ["Unpair box…", undefined],
      ["Unpair away…", undefined],
      ["Forget new", undefined],
    ]);
  });

  it("reach the firewall of this machine and of those that let it be managed", () => {
    const reasons = machineCommands.firewall.all().map(({ reason }) => reason);
    expect(reasons).toEqual([
      undefined,
      "It takes the role Manage on pi.",
      undefined,
      "away is not connected.",
    ]);
    const fix = (name: string) => routeCommands.fix.on({ machineId: machineOf(name).id }).reason;
    expect(["gpu-pc", "pi", "box"].map(fix)).toEqual([
      undefined,
      "It takes the role Manage on pi.",
      undefined,
    ]);
  });

  it("mean this machine where none is chosen", () => {
    expect(machineCommands.addWorker.now().named).toBe("Add worker on gpu-pc");
    receiveCluster(clusterOf([]));
    expect(machineCommands.addWorker.now().reason).toBe("The cluster is not known yet.");
  });
});
