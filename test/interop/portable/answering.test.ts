/** A task answers GetStatus whatever it computes: a master takes one that does not answer for lost. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Graph, type Output } from "../../../worker-runtime/graph/graph.js";
import * as ops from "../../../worker-runtime/graph/ops/index.js";
import type { OperationRef } from "../../../worker-runtime/session/references.js";
import { Session } from "../../../worker-runtime/session/session.js";
import { peerMissing, vulkanEnvironment } from "../../support/peers.js";
import { type StartedWorker, startWorker } from "../worker-peers.js";
import { askStatus, duringStep, type LongStep, matrix, products } from "./long-steps.js";

const SIZE = 4;

/** Some steps of another session, one after another, which take next to no time. */
async function smallSteps(
  target: string,
  count: number,
  compute: (graph: Graph, x: Output) => OperationRef,
): Promise<void> {
  const graph = new Graph();
  const x = ops.placeholder(graph, "float32");
  const small = compute(graph, x);
  const session = new Session(target, { graph });
  try {
    for (let step = 0; step < count; step += 1) {
      await session.run([], { feeds: [[x, matrix(SIZE)]], targets: [small] });
    }
  } finally {
    await session.close();
  }
}

/** A kernel that runs on one thread. */
const decomposition: LongStep = {
  compute: (graph, x) =>
    graph.op("Svd", [x], { T: "float32", compute_uv: true, full_matrices: false }).outputAt(0),
  value: matrix(1500),
};

describe.each([
  ["one kernel computes", "off", decomposition],
  ["many kernels compute", "off", products(400, 1024)],
  ["a region computes", "always", products(400, 1024)],
] as const)("while %s", (_, regions, step) => {
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startWorker(["--engine", "portable", `--regions=${regions}`]);
  });
  afterAll(() => worker?.stop());

  test("GetStatus is answered", async () => {
    expect(await duringStep(worker.target, step, () => askStatus(worker.target))).toBe("act");
  });
});

describe("while a region of one session computes", () => {
  // ONNX Runtime computes the last of these steps, after kernels have shown that it is worth it.
  const long = { ...products(400, 1024), first: Array.from({ length: 5 }, () => matrix(128)) };
  let worker: StartedWorker;
  beforeAll(async () => {
    worker = await startWorker(["--engine", "portable"]);
  });
  afterAll(() => worker?.stop());

  test.each([
    ["a kernel", (graph: Graph, x: Output) => graph.op("Lgamma", [x])],
    ["a region", (_: Graph, x: Output) => ops.negative(ops.matMul(x, x))],
  ] as const)("small steps of another end, with %s", async (_, compute) => {
    expect(await duringStep(worker.target, long, () => smallSteps(worker.target, 3, compute))).toBe("act");
  });
});

/** On the processor: kernels change it, too. */
function handleOf(graph: Graph): Output {
  const attrs = { dtype: "float32", shape: [SIZE, SIZE], shared_name: "waited for" } as const;
  return graph.withDevice("/cpu:0", () => graph.op("VarHandleOp", [], attrs).output);
}

/** Gives a variable a value that a GPU has computed. */
async function putOnGpu(target: string): Promise<void> {
  // Kernels show the shapes in the first step.
  await smallSteps(target, 2, (graph, x) =>
    graph.op("AssignVariableOp", [handleOf(graph), ops.matMul(x, x)], { dtype: "float32" }),
  );
}

type Reader = (graph: Graph, handle: Output) => OperationRef;

const readFrom = (graph: Graph, handle: Output): Output =>
  graph.op("ReadVariableOp", [handle], { dtype: "float32" }).output;

const readers: readonly (readonly [string, Reader])[] = [
  ["a region", (graph, handle) => ops.negative(readFrom(graph, handle))],
  ["a kernel", (graph, handle) => graph.op("Lgamma", [readFrom(graph, handle)])],
  [
    "an update",
    (graph, handle) => {
      const [index, row] = [ops.constant(graph, [0], { dtype: "int32" }), ops.zeros(graph, [1, SIZE])];
      const types = { dtype: "float32", Tindices: "int32" } as const;
      return graph.op("ResourceScatterAdd", [handle, index, row], types);
    },
  ],
];

describe.skipIf(peerMissing("vulkan"))("while a GPU computes", () => {
  // One for each test: a GPU ends what it has begun.
  let worker: StartedWorker;
  beforeEach(async () => {
    worker = await startWorker(["--engine", "portable", "--gpu", "0"], vulkanEnvironment());
  });
  afterEach(() => worker?.stop());

  test("GetStatus is answered", async () => {
    const step = products(400, 1024);
    expect(await duringStep(worker.target, step, () => askStatus(worker.target))).toBe("act");
  });

  test.each(readers)("GetStatus is answered although %s waits for a value that is there", async (_, read) => {
    await putOnGpu(worker.target);
    const waiting: LongStep = {
      value: matrix(SIZE),
      compute: (graph, x) => graph.withControlDependencies([x.op], () => read(graph, handleOf(graph))),
    };
    const ended = await duringStep(worker.target, products(400, 1024), async () => {
      expect(await duringStep(worker.target, waiting, () => askStatus(worker.target))).toBe("act");
    });
    expect(ended).toBe("act");
  });
});
