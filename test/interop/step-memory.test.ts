import { expect, onTestFinished, test } from "vitest";
import { Graph } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { readStepStats, summariseNodes } from "../../worker-runtime/session/trace/step-stats.js";
import { unoptimizedConfig } from "../../worker-runtime/session/trace/unoptimized-config.js";
import { peerMissing } from "../support/peers.js";
import { startWorker } from "./worker-peers.js";

const SIZE = 500;
/** The size of a matrix of the graph. */
const BYTES = SIZE * SIZE * 4;

/** The memory that a traced step of two products, one of the other, reports. */
async function memoryOn(engine: string) {
  const worker = await startWorker(["--engine", engine]);
  onTestFinished(async () => void (await worker.stop()));
  const graph = new Graph();
  const x = ops.placeholder(graph, "float32", [SIZE, SIZE], { name: "x" });
  const first = ops.matMul(x, x, { name: "first" });
  const second = ops.matMul(x, first, { name: "second" });
  const sum = ops.reduceSum(second, undefined, { name: "sum" });
  const session = new Session(worker.target, { graph, config: unoptimizedConfig() });
  try {
    const { metadata } = await session.run([sum], {
      feeds: { "x:0": new Tensor("float32", [SIZE, SIZE], new Float32Array(SIZE * SIZE).fill(1)) },
      options: { trace: true },
    });
    if (!metadata?.stepStats) throw new Error("The step was not traced.");
    const trace = readStepStats(metadata.stepStats, graph.toGraphDef());
    const nodes = new Map(summariseNodes(trace).map((node) => [node.node, node]));
    return { memory: trace.memory, nodes };
  } finally {
    await session.close();
  }
}

test.skipIf(peerMissing("tensorflow"))(
  "both engines report what a step held, and what each node put out",
  async () => {
    for (const engine of ["tensorflow", "portable"]) {
      const { memory, nodes } = await memoryOn(engine);
      expect(memory, engine).toHaveLength(1);
      const [cpu] = memory;
      expect(cpu?.device).toMatch(/CPU:0$/);
      // The first product lives until the second is done, which is another matrix; the sum is a few bytes.
      expect(cpu?.peakBytes, engine).toBeGreaterThanOrEqual(2 * BYTES);
      expect(cpu?.peakBytes, engine).toBeLessThan(2.1 * BYTES);
      expect(cpu?.points.at(-1)?.bytes, engine).toBeLessThan(BYTES);
      for (const name of ["first", "second"])
        expect(nodes.get(name), engine).toMatchObject({ outputBytes: BYTES, peakBytes: BYTES });
      expect(nodes.get("sum"), engine).toMatchObject({ outputBytes: 4 });
    }
  },
);
