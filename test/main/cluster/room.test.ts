import { mkdtemp, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { ClusterState } from "../../../main/api/cluster.js";
import { createCluster } from "../../../main/cluster/room.js";
import { type LocalCluster, noCluster } from "../../../main/peers/local-cluster.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";
import { isPortFree } from "../../../main/tasks/ports.js";
import { freePort } from "../../support/processes.js";
import { MachineList, machineFacts } from "../support/machines.js";
import { MemoryHost } from "../support/memory-host.js";
import { TestSettings } from "../support/settings-port.js";
import { toldEvents } from "../support/told-events.js";
import { until } from "../support/until.js";

/** A machine that says what can compute there when it is asked, and knows less before. */
class LookingHost extends MemoryHost {
  looks = 0;

  async engines() {
    this.looks++;
    return [{ engine: "tensorflow" as const, version: "2.21.0", gpu: false }];
  }
}

async function make() {
  const folder = await mkdtemp(join(tmpdir(), "tensordeck-cluster-"));
  const own = new LookingHost();
  const other = new LookingHost();
  const portable = { engines: [{ engine: "portable" as const, version: "0.1.0", gpu: false }] };
  const machines = new MachineList([
    { facts: machineFacts("here", { kind: "this", ...portable }), tasks: own, tunnels: own },
    { facts: machineFacts("pi", portable), tasks: other, tunnels: other },
  ]);
  const { emit, told } = toldEvents();
  const attached: { cluster: LocalCluster; carry: (port: number, client: Socket) => boolean } = {
    cluster: noCluster,
    carry: () => false,
  };
  const discoveryListeners = new Set<() => void>();
  const room = createCluster({
    peers: {
      ownId: "here",
      machines,
      discovery: {
        state: () => ({ state: "on" }),
        onChange: (listener) => {
          discoveryListeners.add(listener);
          return () => discoveryListeners.delete(listener);
        },
      },
      trust: { get: () => undefined, onChange: () => () => {} },
      dialTunnel: () => Promise.reject(new Error("nobody answers")),
      attachCluster: (cluster) => {
        attached.cluster = cluster;
      },
    },
    tasks: {
      host: own,
      isolation: {
        connectTask: () => Promise.reject(new Error("no task")),
        setTunnelPorts: async () => {},
        reach: async () => () => {},
      },
      attachTunnels: (carry) => {
        attached.carry = carry;
      },
    },
    openProbe: () => ({ check: () => Promise.reject(new Error("nothing there")), close: () => {} }),
    settings: new TestSettings(),
    emit,
    file: join(folder, "cluster.json"),
  });
  onTestFinished(async () => {
    await room.dispose();
    await rm(folder, { recursive: true });
  });
  return { room, own, other, told, attached, discoveryListeners };
}

it("the machine that gets a task looks for what can compute there, and no other does", async () => {
  const { room, own, other } = await make();
  await room.handlers["cluster.addTasks"]({ machineId: "pi", job: "worker", count: 1 }, THIS_PROGRAM);
  expect([own.looks, other.looks]).toEqual([0, 1]);
  expect(other.orders.map(({ engine }) => engine)).toEqual(["tensorflow"]);
  await room.handlers["cluster.addTasks"]({ job: "worker", count: 1 }, THIS_PROGRAM);
  expect([own.looks, other.looks]).toEqual([1, 1]);
  await room.handlers["cluster.addTasks"](
    { machineId: "pi", job: "worker", count: 1, engine: "portable" },
    THIS_PROGRAM,
  );
  expect([own.looks, other.looks]).toEqual([1, 1]);
});

it("the state is told when it is another one, and only then", async () => {
  const { room, told } = await make();
  const states = () => told.flatMap(({ event, data }) => (event === "cluster" ? [data as ClusterState] : []));
  const names = (state: ClusterState | undefined) =>
    state?.machines.flatMap(({ tasks }) => tasks.map(({ job }) => job));
  await room.handlers["cluster.addTasks"]({ job: "worker", count: 1 }, THIS_PROGRAM);
  await until("it is told", () => names(states().at(-1))?.includes("worker") === true);
  for (const [i, state] of states().entries()) expect(state).not.toEqual(states()[i - 1]);
});

it("opens tunnels for this machine's cluster, and ends them and all that it listens to", async () => {
  const { room, attached, discoveryListeners } = await make();
  const port = await freeTaskPort();
  const tunnel = { port, deviceId: "pi", agentAddresses: [`127.0.0.1:${await freePort()}`] };
  expect(await attached.cluster.setTunnels("here", { tunnels: [tunnel], admissions: [] })).toEqual([]);
  expect(attached.cluster.usesPort(port)).toBe(true);
  expect([attached.cluster.admitsPeer({ deviceId: "pi" }), discoveryListeners.size]).toEqual([false, 1]);
  await room.dispose();
  expect([attached.cluster.usesPort(port), discoveryListeners.size]).toEqual([false, 0]);
  const client = { destroy: () => {} } as Socket;
  expect(attached.carry(port, client)).toBe(false);
});

/** Tunnels listen at the ports of tasks only. */
async function freeTaskPort(): Promise<number> {
  for (let port = 2990; port > 2222; port--) if (await isPortFree(port)) return port;
  throw new Error("no port is free");
}
