import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";
import { Session, type SessionOptions } from "../../worker-runtime/session/session.js";
import { peerMissing } from "../support/peers.js";
import { constant, graphOf, shape, type, typed } from "./peers/nodes.js";
import { freeCluster, type StockServers, startStockServers } from "./peers/stock-servers.js";

/** Two servers that know nothing of each other, each the only member of a job of its own. */
let addresses: string[];
let servers: StockServers[];
const sessions: Session[] = [];

beforeAll(async () => {
  const { free = [] } = await freeCluster({ free: 2 });
  addresses = free;
  servers = await Promise.all(
    free.map((address) => startStockServers({ free_task: [address] }, ["free_task/0"])),
  );
});

afterAll(async () => {
  await Promise.all(sessions.map((session) => session.close()));
  await Promise.all((servers ?? []).map((server) => server.process.stop()));
});

function propagating(master: number, tasks: readonly number[], options: SessionOptions = {}): Session {
  const worker = tasks.map((task) => addresses[task] ?? "");
  const session = new Session(`grpc://${addresses[master]}`, {
    ...options,
    config: {
      clusterDef: ClusterSpec.from({ worker }).asClusterDef(),
      experimental: { shareSessionStateInClusterspecPropagation: true },
    },
  });
  sessions.push(session);
  return session;
}

function variable(device: string) {
  return [
    { name: "v", op: "VariableV2", device, attr: { dtype: type("float32"), shape: shape() } },
    { ...constant("ten", 10), device },
    typed("init", "Assign", ["v", "ten"], "float32", device),
    typed("read", "Identity", ["v"], "float32", device),
  ];
}

describe.skipIf(peerMissing("tensorflow"))("a session that brings its own ClusterSpec", () => {
  test("runs over servers that were started alone", async () => {
    const graph = graphOf(
      constant("a", 3),
      typed("x", "Square", ["a"], "float32", "/job:worker/task:0"),
      typed("y", "Neg", ["x"], "float32", "/job:worker/task:1"),
    );
    const session = propagating(0, [0, 1], { graph });
    const { values, metadata } = await session.run(["y"], { options: { trace: true } });
    expect(values[0]?.item()).toBe(-9);
    expect(metadata?.stepStats?.devStats.map((dev) => dev.device)).toEqual(
      expect.arrayContaining([
        "/job:worker/replica:0/task:0/device:CPU:0",
        "/job:worker/replica:0/task:1/device:CPU:0",
      ]),
    );
  });

  test("shares variables with later ones, over more tasks and on another master", async () => {
    const device = "/job:worker/task:0";
    const first = propagating(0, [0], { graph: graphOf(...variable(device)) });
    await first.run([], { targets: ["init"] });
    const grown = propagating(1, [0, 1], {
      graph: graphOf(...variable(device), typed("there", "Neg", ["v"], "float32", "/job:worker/task:1")),
    });
    expect((await grown.run(["there"])).values[0]?.item()).toBe(-10);
  });

  test("must have its master in the ClusterSpec, or say which task it is", async () => {
    expect(() => propagating(0, [1])).toThrow(/no task at 127.0.0.1:\d+, the address of its master/);
    const session = new Session(`grpc://localhost:${addresses[0]?.split(":")[1]}`, {
      graph: graphOf(constant("c", 1)),
      config: { clusterDef: ClusterSpec.from({ worker: addresses }).asClusterDef() },
      masterTask: { job: "worker", index: 0 },
    });
    sessions.push(session);
    expect((await session.run(["c"])).values[0]?.item()).toBe(1);
  });
});
