import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ClusterSpec,
  Graph,
  ops,
  replicaDeviceSetter,
  Session,
  taskText,
} from "../../worker-runtime/index.js";
import { peerMissing } from "../support/peers.js";
import { freeCluster, type StockServers, startStockServers } from "./peers/stock-servers.js";

const missing = peerMissing("tensorflow");

let servers: StockServers;
let cluster: Record<string, string[]>;

beforeAll(async () => {
  cluster = await freeCluster({ worker: 2, ps: 1 });
  servers = await startStockServers(cluster, ["worker/0", "worker/1", "ps/0"]);
});

afterAll(async () => {
  await servers?.process.stop();
});

test.skipIf(missing)(
  "a graph of the library, grown between runs, is fed and fetched by its own tensors",
  async () => {
    const graph = new Graph();
    const numbers = ops.placeholder(graph, "int32", [-1]);
    const parts = graph.withDevice(taskText({ job: "worker", index: 1 }), () => ops.square(numbers));
    await using session = new Session(servers.target("worker/0"), { graph, cluster });
    const first = await session.run([parts], { feeds: [[numbers, [1, 2, 3]]] });
    expect(first.values[0]?.toArray()).toEqual([1, 4, 9]);
    const negated = ops.negative(parts);
    const second = await session.run([negated, numbers], { feeds: [[numbers, [4]]] });
    expect(second.values.map((value) => value.toArray())).toEqual([[-16], [4]]);
  },
);

test.skipIf(missing)("what is fed in one step is computed in the next, and fed again", async () => {
  const graph = new Graph();
  // The master sorts names: "Neg:0" is before "Square:0", as what is fed is before what is fetched.
  const x = ops.negative(ops.constant(graph, 3));
  const z = ops.square(x);
  await using session = new Session(servers.target("worker/0"), { graph, cluster });
  const computed = await session.run([x, z]);
  expect(computed.values.map((value) => value.item())).toEqual([-3, 9]);
  const fed = await session.run([z], { feeds: [[x, 4]] });
  expect(fed.values[0]?.item()).toBe(16);
  const again = await session.run([x, z]);
  expect(again.values.map((value) => value.item())).toEqual([-3, 9]);
});

test.skipIf(missing)("replicaDeviceSetter is a device function of the library", async () => {
  const graph = new Graph();
  const setter = replicaDeviceSetter({
    cluster: ClusterSpec.from(cluster),
    workerDevice: "/job:worker/task:1",
  });
  const sum = graph.withDevice(setter, () => ops.add(ops.constant(graph, 1), ops.constant(graph, 2)));
  await using session = new Session(servers.target("worker/0"), { graph, cluster });
  expect(sum.op.device).toBe("/job:worker/task:1");
  expect((await session.run([sum])).values[0]?.item()).toBe(3);
});
