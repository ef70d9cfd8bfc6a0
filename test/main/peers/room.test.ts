import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createMachine, type MachineRoom } from "../../../main/machine/room.js";
import type { FirewallTool } from "../../../main/network/firewall/tool.js";
import { loadCredentials } from "../../../main/peers/credentials.js";
import { type LocalCluster, noCluster } from "../../../main/peers/local-cluster.js";
import { createPeers, type PeersRoom } from "../../../main/peers/room.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";
import { Watchers } from "../../../main/shared/watchers.js";
import { MemoryHost } from "../support/memory-host.js";
import { TestSettings } from "../support/settings-port.js";
import { toldEvents } from "../support/told-events.js";

let dataDir: string;
let settings: TestSettings;
let machine: MachineRoom;
let room: PeersRoom;
let watchers: Watchers;
let looks: number;

const noFirewall = {} as FirewallTool;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tensordeck-peers-"));
  settings = new TestSettings();
  machine = createMachine({ settings, listGpus: async () => [] });
  watchers = new Watchers();
  looks = 0;
  room = createPeers({
    credentials: await loadCredentials(dataDir),
    settings,
    machine,
    tasks: {
      host: new MemoryHost(),
      lookForRuntime: async () => {
        looks++;
      },
    },
    scripts: { run: async () => undefined, serve: () => undefined, admits: () => false, scriptsOf: () => [] },
    firewall: noFirewall,
    watchers,
    emit: toldEvents().emit,
    dataDir,
    machinesFile: join(dataDir, "machines.json"),
    scope: "loopback",
    port: 0,
  });
});
afterEach(async () => {
  await room.dispose();
  await machine.dispose();
  await rm(dataDir, { recursive: true });
});

/** Whether anything listens at a port of this machine. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

it("this machine is reached while it is visible, and not once the room has ended", async () => {
  const identity = () => room.handlers["machines.identity"](undefined, THIS_PROGRAM);
  expect(await identity()).toMatchObject({ deviceId: room.ownId });
  expect(machine.description().agentPort).toBeUndefined();
  await room.show();
  const port = machine.description().agentPort ?? 0;
  expect(await identity()).toMatchObject({ agentPort: port });
  expect([await answers(port), looks]).toEqual([true, 1]);
  await settings.set({ visible: false });
  expect([await answers(port), machine.description().agentPort]).toEqual([false, undefined]);
  await settings.set({ visible: true });
  const again = machine.description().agentPort ?? 0;
  expect(await answers(again)).toBe(true);
  await room.dispose();
  expect([await answers(again), settings.listeners.size]).toEqual([false, 1]);
});

it("a machine that is not visible to others does not detect engines", async () => {
  await settings.set({ visible: false });
  await room.show();
  expect(looks).toBe(0);
});

it("what concerns the cluster goes to the one that is attached", async () => {
  const forgotten: string[] = [];
  const owners: string[] = [];
  const cluster: LocalCluster = {
    ...noCluster,
    setTunnels: async (owner) => {
      owners.push(owner);
      return [];
    },
    forgetHost: async (machineId) => {
      forgotten.push(machineId);
    },
  };
  const [own] = room.machines.list();
  const nothing = { tunnels: [], admissions: [] };
  await expect(own?.tunnels?.setTunnels(nothing)).rejects.toThrow("no cluster yet");
  room.attachCluster(cluster);
  await own?.tunnels?.setTunnels(nothing);
  await room.handlers["machines.forget"]({ machineId: "foreign:tf-host" }, THIS_PROGRAM);
  expect([owners, forgotten]).toEqual([[room.ownId], ["foreign:tf-host"]]);
});

it("says of machines that are not paired that they are not", async () => {
  await expect(async () =>
    room.handlers["machines.openWindow"]({ machineId: "gone" }, THIS_PROGRAM),
  ).rejects.toThrow("not paired");
  await expect(
    room.handlers["pairing.start"]({ machineId: "gone", grantedRole: "view" }, THIS_PROGRAM),
  ).rejects.toThrow("no longer there");
  expect(room.proberOf("gone")).toBeUndefined();
  expect(room.knownPeers()).toEqual({ clones: {}, callers: [] });
});

it("the load of this machine is measured while windows show it", async () => {
  const stop = watchers.add();
  const measured = await new Promise<string>((resolve) => {
    room.machines.onSample((machineId) => resolve(machineId));
  });
  expect(measured).toBe(room.ownId);
  stop();
});
