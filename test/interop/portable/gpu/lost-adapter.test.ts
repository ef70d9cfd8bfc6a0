/** A task whose adapter is lost while it serves: from the client, with the whole engine. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { Server } from "../../../../worker-runtime/engines/server.js";
import { Graph } from "../../../../worker-runtime/graph/graph.js";
import * as ops from "../../../../worker-runtime/graph/ops/index.js";
import { StatusCode } from "../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../../worker-runtime/session/session.js";
import { peerMissing, repositoryRoot, vulkanEnvironment } from "../../../support/peers.js";

const GPU = "/job:localhost/replica:0/task:0/device:GPU:0";

/** Trains y = x·w on the GPU, with w at first the matrix [[1, 2], [3, 4]] and x the unit matrix: each step takes half of w. */
function program() {
  const graph = new Graph();
  const start = Tensor.of([1, 2, 3, 4], "float32", [2, 2]);
  const x = ops.placeholder(graph, "float32");
  return graph.withDevice("/gpu:0", () => {
    const w = ops.variable(graph, start, { kind: "resource", name: "w" });
    const train = ops.applyGradientDescent(w, 0.5, ops.matMul(x, w.value), { name: "train" });
    const square = ops.matMul(x, x, { name: "square" });
    return { graph, x, w, train, square };
  });
}

describe.skipIf(peerMissing("vulkan"))("a task whose adapter is lost", () => {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-lost-adapter-"));
  const lost = join(folder, "lost");
  const preloaded = join(repositoryRoot, "test", "interop", "portable", "gpu", "lose-adapter.mjs");
  const servers: Server[] = [];
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  async function startTask(): Promise<{ readonly server: Server; readonly said: string[] }> {
    const said: string[] = [];
    const server = await Server.start({
      engine: "portable",
      gpu: "0",
      env: {
        ...vulkanEnvironment(),
        NODE_OPTIONS: `--import=${pathToFileURL(preloaded)}`,
        TENSORDECK_TEST_LOST_ADAPTER: lost,
      },
      onLog: ({ text }) => said.push(text),
    });
    servers.push(server);
    return { server, said };
  }

  test("goes on with kernels, has lost the variables that were on it, and has the GPU again after a restart", async () => {
    const { server, said } = await startTask();
    const { graph, x, w, train, square } = program();
    const unit = Tensor.of([1, 0, 0, 1], "float32", [2, 2]);
    const twos = Tensor.of([2, 2, 2, 2], "float32", [2, 2]);
    const session = new Session(server.target, { graph });
    const step = () => session.run([], { feeds: [[x, unit]], targets: [train] });
    const value = async () => (await session.run([w.value])).values[0]?.toArray();
    const squared = async () => (await session.run([square], { feeds: [[x, twos]] })).values[0]?.toArray();
    const losses = () => said.filter((line) => line.includes("was lost")).length;
    try {
      await session.run([], { targets: [w.initializer] });
      for (let count = 0; count < 3; count += 1) await step();
      expect(await value()).toEqual([
        [0.125, 0.25],
        [0.375, 0.5],
      ]);
      await step();
      expect(await squared()).toEqual([
        [8, 8],
        [8, 8],
      ]);

      writeFileSync(lost, "");
      // A region that was on the GPU.
      expect(await squared()).toEqual([
        [8, 8],
        [8, 8],
      ]);
      const unavailable = {
        code: StatusCode.UNAVAILABLE,
        message: expect.stringMatching(/on \/device:GPU:0 was lost: .*Restart the task to use the GPU again/),
      };
      await expect(value()).rejects.toMatchObject(unavailable);
      await expect(step()).rejects.toMatchObject(unavailable);
      expect(losses()).toBe(1);
      await session.run([], { targets: [w.initializer] });
      await step();
      await step();
      expect(await value()).toEqual([
        [0.25, 0.5],
        [0.75, 1],
      ]);
      expect(losses()).toBe(1);
    } finally {
      await session.close();
    }

    await server.stop();
    rmSync(lost);
    const restarted = await startTask();
    const after = new Session(restarted.server.target, { graph });
    try {
      await after.run([], { targets: [w.initializer] });
      const trained = () => after.run([], { feeds: [[x, unit]], targets: [train], options: { trace: true } });
      await trained();
      const { metadata } = await trained();
      const onGpu = metadata?.stepStats?.devStats.find(({ device }) => device === GPU)?.nodeStats ?? [];
      expect(onGpu.find(({ nodeName }) => nodeName === "train")?.timelineLabel).toMatch(/in a region of/);
      expect(restarted.said.filter((line) => line.includes("was lost"))).toEqual([]);
    } finally {
      await after.close();
    }
  });
});
