import { createServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { ConfigProto } from "../../../../protos/generated/tensorflow/config.js";
import type { ServerDef } from "../../../../protos/generated/tensorflow/tensorflow_server.js";
import { makeServerDef } from "../../../../worker-runtime/cluster/server-def.js";
import {
  PortableServer,
  type PortableServerOptions,
} from "../../../../worker-runtime/engines/portable/portable-server.js";
import { Graph } from "../../../../worker-runtime/graph/graph.js";
import * as ops from "../../../../worker-runtime/graph/ops/index.js";
import { StatusCode } from "../../../../worker-runtime/protocol/status.js";
import { Session } from "../../../../worker-runtime/session/session.js";
import { freePort } from "../../../support/peers.js";

const started: PortableServer[] = [];
const sessions: Session[] = [];
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

async function start(
  serverDef: ServerDef,
  more: Partial<PortableServerOptions> = {},
): Promise<PortableServer> {
  const server = await PortableServer.start({ serverDef, log: () => undefined, ...more });
  started.push(server);
  return server;
}

function open(target: string, graph: Graph): Session {
  const session = new Session(target, { graph });
  sessions.push(session);
  return session;
}

const local = (): ServerDef => makeServerDef({ cluster: { localhost: ["localhost:0"] } });

/** Two tasks of a cluster on loopback. */
async function startTwo(): Promise<readonly PortableServer[]> {
  const [first, second] = [await freePort(), await freePort()];
  const cluster = { worker: [`localhost:${first}`, `localhost:${second}`] };
  return await Promise.all(
    [0, 1].map((taskIndex) => start(makeServerDef({ cluster, jobName: "worker", taskIndex }))),
  );
}

describe("a portable server", () => {
  test("on loopback listens there alone, and says which port it chose", async () => {
    const server = await start(local());
    const port = Number(server.target.split(":").at(-1));
    expect(server.target).toBe(`grpc://localhost:${port}`);
    expect(port).toBeGreaterThan(0);
    expect(server.serverDef.cluster?.job[0]?.tasks.get(0)).toBe(`localhost:${port}`);
    expect(server.addresses).toContain("127.0.0.1");
    expect(server.addresses.filter((address) => !["127.0.0.1", "::1"].includes(address))).toEqual([]);
    expect(server.isOpen).toBe(false);
  });

  test("runs a graph", async () => {
    const server = await start(local());
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32");
    const y = ops.negative(x);
    const session = open(server.target, graph);
    const { values } = await session.run([y], { feeds: [[x, [1, 2]]] });
    expect(values[0]?.toArray()).toEqual([-1, -2]);
  });

  test("a port in use has TensorFlow's code, and names who has it", async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, "127.0.0.1", () => {
        const address = other.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
    try {
      await expect(
        start(makeServerDef({ cluster: { worker: [`localhost:${port}`] } })),
      ).rejects.toMatchObject({
        code: StatusCode.UNKNOWN,
        message: expect.stringContaining(`Could not start gRPC server: port ${port} is in use`),
      });
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  test("has as many CPU devices as its config says, within reason", async () => {
    const def = local();
    const withCount = (count: number): ServerDef =>
      makeServerDef({
        cluster: { localhost: ["localhost:0"] },
        config: ConfigProto.fromPartial({ deviceCount: new Map([["CPU", count]]) }),
      });
    expect((await start(def)).worker.devices()).toHaveLength(1);
    expect((await start(withCount(3))).worker.devices().map(({ name }) => name.slice(-5))).toEqual([
      "CPU:0",
      "CPU:1",
      "CPU:2",
    ]);
    await expect(start(withCount(1e6))).rejects.toMatchObject({ code: StatusCode.INVALID_ARGUMENT });
  });

  test("an address without port, and a task that is not there", async () => {
    const def = local();
    await expect(start({ ...def, taskIndex: 3 })).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
    });
    await expect(start({ ...def, jobName: "other" })).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
    });
  });

  test("steps go over two tasks, and leave nothing behind", async () => {
    const [first, second] = await startTwo();
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32");
    const y = graph.withDevice("/job:worker/task:1", () => ops.negative(x));
    const z = graph.withDevice("/job:worker/task:0", () => ops.square(y));
    const session = open(first?.target ?? "", graph);
    for (let step = 0; step < 50; step += 1) {
      const { values } = await session.run([z], { feeds: [[x, step]] });
      expect(values[0]?.item()).toBe(step * step);
    }
    await expect.poll(() => [first?.worker.heldSteps, second?.worker.heldSteps]).toEqual([0, 0]);
  });

  test("stops at once, and may be stopped again", async () => {
    const server = await start(local());
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32");
    const session = open(server.target, graph);
    const y = ops.negative(x);
    await session.run([y], { feeds: [[x, 1]] });
    await server.stop();
    await server.stop();
    await expect(session.run([y], { feeds: [[x, 1]] })).rejects.toBeDefined();
  });
});
