import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { StatusCode } from "../../worker-runtime/protocol/status.js";
import { Session, type SessionOptions } from "../../worker-runtime/session/session.js";
import { freePort, ownTensorflowPython, peerMissing } from "../support/peers.js";
import { blockingGraph } from "./peers/blocking-graph.js";
import { freeCluster, type StockServers, startStockServers } from "./peers/stock-servers.js";

const missing = peerMissing("tensorflow");

const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) {
    await end();
  }
});

async function start(cluster: Record<string, string[]>, ...tasks: string[]): Promise<StockServers> {
  const servers = await startStockServers(cluster, tasks);
  cleanUp.push(() => servers.process.stop("SIGKILL"));
  return servers;
}

function sessionOn(target: string, options: SessionOptions): Session {
  const session = new Session(target, options);
  cleanUp.push(() => session.close());
  return session;
}

const blocking = blockingGraph("blocking", "/job:worker/task:1");

/** A step that waits on task 1, for ever; resolves when it runs there, with its end. */
async function beginStep(session: Session): Promise<{ readonly end: Promise<unknown> }> {
  const end = session.run(["d"], { targets: ["begin"] });
  await Promise.race([session.run(["begun"]), end]);
  return { end };
}

describe.skipIf(missing)("a server that is killed while a step runs", () => {
  test("the master: UNAVAILABLE at once", async () => {
    const cluster = await freeCluster({ worker: 2 });
    const other = await start(cluster, "worker/1");
    const master = await start(cluster, "worker/0");
    const session = sessionOn(master.target("worker/0"), { graph: blocking, cluster });
    const step = await beginStep(session);
    void master.process.stop("SIGKILL");
    await expect(step.end).rejects.toMatchObject({
      codeName: "UNAVAILABLE",
      task: "/job:worker/replica:0/task:0",
      message: expect.stringContaining(cluster.worker?.[0] ?? "?"),
    });
    await session.close();
    await other.process.stop("SIGKILL");
  });

  test("another task: the step ends and names it; a new session on the restarted task runs", async () => {
    const cluster = await freeCluster({ worker: 2 });
    const [master, other] = await Promise.all([start(cluster, "worker/0"), start(cluster, "worker/1")]);
    const session = sessionOn(master.target("worker/0"), { graph: blocking, cluster });
    const step = await beginStep(session);
    void other.process.stop("SIGKILL");
    await expect(step.end).rejects.toMatchObject({ codeName: "UNAVAILABLE" });

    // The master answers a session whose worker has another incarnation with ABORTED or UNAVAILABLE; a new one works.
    await other.process.exited;
    await start(cluster, "worker/1");
    await expect(session.run(["c"])).rejects.toSatisfy(
      (error: { code: number }) => error.code === StatusCode.ABORTED || error.code === StatusCode.UNAVAILABLE,
    );
    const next = sessionOn(master.target("worker/0"), { graph: blocking, cluster });
    expect((await next.run(["c"])).values[0]?.item()).toBe(1);
  });

  test("a task that hangs without closing its connections is noticed by its silence", async () => {
    const cluster = await freeCluster({ worker: 2 });
    const master = await start(cluster, "worker/0");
    const other = await startStockServers(cluster, ["worker/1"], ownTensorflowPython());
    cleanUp.push(() => other.process.stop("SIGKILL"));
    const session = sessionOn(master.target("worker/0"), { graph: blocking, cluster });
    const step = await beginStep(session);
    other.process.child.kill("SIGSTOP");
    await expect(step.end).rejects.toMatchObject({
      codeName: "UNAVAILABLE",
      task: "/job:worker/replica:0/task:1",
      message: expect.stringContaining("/job:worker/task:1"),
    });
    other.process.child.kill("SIGCONT");
  });
});

describe.skipIf(missing)("a session whose tasks are not all there", () => {
  test("a missing task is named, waited for with progress, and joins when it comes", {
    timeout: 600_000,
  }, async () => {
    const cluster = await freeCluster({ worker: 2 });
    const master = await start(cluster, "worker/0");
    const impatient = sessionOn(master.target("worker/0"), { graph: blocking, cluster, taskWaitMillis: 500 });
    await expect(impatient.run(["c"])).rejects.toMatchObject({
      codeName: "UNAVAILABLE",
      task: "/job:worker/replica:0/task:1",
      message: expect.stringContaining("no answer from /job:worker/task:1"),
    });

    const heard: string[] = [];
    const patient = sessionOn(master.target("worker/0"), {
      graph: blocking,
      cluster,
      taskWaitMillis: 120_000,
      onProgress: (line) => heard.push(line),
    });
    const step = patient.run(["c"]);
    await start(cluster, "worker/1");
    expect((await step).values[0]?.item()).toBe(1);
    expect(heard).toEqual([
      `Waiting for /job:worker/task:1 (${cluster.worker?.[1]})`,
      "Creating the session",
    ]);
  });

  test("where the cluster is not known, a master that waits for a task is left after the deadline", async () => {
    const cluster = await freeCluster({ worker: 2 });
    const master = await start(cluster, "worker/0");
    const session = sessionOn(master.target("worker/0"), { graph: blocking, createTimeoutMillis: 1000 });
    await expect(session.run(["c"])).rejects.toMatchObject({
      codeName: "DEADLINE_EXCEEDED",
      message: expect.stringMatching(/did not create the session within 1 s.*A task that is not known here/),
    });
  });

  test("waiting can be cancelled", async () => {
    const cluster = await freeCluster({ worker: 2 });
    const master = await start(cluster, "worker/0");
    const controller = new AbortController();
    const session = sessionOn(master.target("worker/0"), {
      graph: blocking,
      cluster,
      onProgress: () => controller.abort(),
    });
    await expect(session.run(["c"], { signal: controller.signal })).rejects.toMatchObject({
      codeName: "CANCELLED",
    });
  });
});

describe("a target that is no server", () => {
  test("nothing listens on the target: UNAVAILABLE in plain words, without waiting for it", async () => {
    const port = await freePort();
    const session = sessionOn(`grpc://127.0.0.1:${port}`, { graph: blocking });
    await expect(session.run(["c"])).rejects.toMatchObject({
      codeName: "UNAVAILABLE",
      message: expect.stringMatching(new RegExp(`nothing listens on 127.0.0.1:${port}`)),
    });
  });

  test("something that is no gRPC server on the target is told apart", async () => {
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => {
      sockets.add(socket);
      socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
      socket.on("error", () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanUp.push(async () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    });
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const session = sessionOn(`grpc://127.0.0.1:${port}`, { graph: blocking });
    await expect(session.run(["c"])).rejects.toMatchObject({
      codeName: "UNAVAILABLE",
      message: expect.stringContaining("does not speak gRPC"),
    });
  });
});
