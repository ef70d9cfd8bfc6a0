/** Tasks with a GPU, from the client to the adapter and back: SwiftShader computes Vulkan on the processor. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunMetadata } from "../../../../protos/generated/tensorflow/config.js";
import { Server, type ServerOptions } from "../../../../worker-runtime/engines/server.js";
import { Graph, type Output } from "../../../../worker-runtime/graph/graph.js";
import * as ops from "../../../../worker-runtime/graph/ops/index.js";
import { StatusCode } from "../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../../worker-runtime/session/session.js";
import { peerMissing, vulkanEnvironment } from "../../../support/peers.js";

const GPU = "/job:localhost/replica:0/task:0/device:GPU:0";
const CPU = "/job:localhost/replica:0/task:0/device:CPU:0";

const logs = new WeakMap<Server, string[]>();

async function startTask(options: ServerOptions = {}): Promise<Server> {
  const lines: string[] = [];
  const server = await Server.start({
    engine: "portable",
    gpu: "0",
    env: vulkanEnvironment(),
    onLog: ({ text }) => lines.push(text),
    ...options,
  });
  logs.set(server, lines);
  return server;
}

async function withSession<T>(
  server: Server,
  graph: Graph,
  use: (session: Session) => Promise<T>,
  config: NonNullable<ConstructorParameters<typeof Session>[1]>["config"] = {},
): Promise<T> {
  const session = new Session(server.target, { graph, config });
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}

/** The names of the nodes that ran on each device of a traced step. */
function traced(metadata: RunMetadata | undefined): Map<string, string[]> {
  const devices = metadata?.stepStats?.devStats ?? [];
  return new Map(devices.map(({ device, nodeStats }) => [device, nodeStats.map(({ nodeName }) => nodeName)]));
}

/** How a traced step describes a node. */
function labelOf(metadata: RunMetadata | undefined, name: string): string | undefined {
  const nodes = metadata?.stepStats?.devStats.flatMap(({ nodeStats }) => nodeStats) ?? [];
  return nodes.find(({ nodeName }) => nodeName === name)?.timelineLabel;
}

/** The inputs of an optimizer's op: the handles of its variables, its scalars and the gradient. */
type Inputs = (handles: readonly Output[], gradient: Output) => readonly (Output | number)[];

/** Numbers that are not round and not all alike. */
function matrix(rows: number, columns: number, seed: number): Tensor {
  const data = Float32Array.from({ length: rows * columns }, (_, i) => Math.sin(seed + i * 0.7));
  return new Tensor("float32", [rows, columns], data);
}

/** 1 on the diagonal. */
function unit(size: number): Tensor {
  const data = Float32Array.from({ length: size * size }, (_, at) => Number(at % (size + 1) === 0));
  return new Tensor("float32", [size, size], data);
}

function product(a: Tensor, b: Tensor): number[] {
  const [rows = 0, inner = 0] = a.shape;
  const [, columns = 0] = b.shape;
  const [left, right] = [a.data as Float32Array, b.data as Float32Array];
  return Array.from({ length: rows * columns }, (_, at) => {
    let sum = 0;
    for (let i = 0; i < inner; i += 1) {
      sum += (left[Math.floor(at / columns) * inner + i] ?? 0) * (right[i * columns + (at % columns)] ?? 0);
    }
    return sum;
  });
}

function expectClose(actual: Tensor | undefined, expected: ArrayLike<number>): void {
  const values = Array.from(actual?.data as Float32Array);
  expect(values).toHaveLength(expected.length);
  const worst = Math.max(...values.map((value, i) => Math.abs(value - (expected[i] ?? Number.NaN))));
  expect(worst).toBeLessThan(1e-4);
}

describe.skipIf(peerMissing("vulkan"))("a task with a GPU", () => {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-gpu-test-"));
  let server: Server;
  beforeAll(async () => {
    server = await startTask({ files: [folder] });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("lists it with its name and its memory", async () => {
    const devices = await withSession(server, new Graph(), (session) => session.listDevices());
    expect(devices.map(({ name, deviceType }) => [name, deviceType])).toEqual([
      [CPU, "CPU"],
      [GPU, "GPU"],
    ]);
    const gpu = devices[1];
    expect(gpu?.physicalDeviceDesc).toMatch(
      /^device: 0, name: SwiftShader .*, ONNX Runtime provider: webgpu$/,
    );
    expect(gpu?.memoryLimit).toBeGreaterThan(2n ** 28n);
    expect(gpu?.incarnation).not.toBe(devices[0]?.incarnation);
  });

  test("computes unpinned nodes on it, and says in a trace what ran where and what was copied", async () => {
    const graph = new Graph();
    const [a, b] = [matrix(20, 30, 1), matrix(30, 10, 2)];
    const x = ops.placeholder(graph, "float32");
    const y = ops.matMul(x, ops.constant(graph, b), { name: "y" });
    const traces = await withSession(server, graph, async (session) => {
      const { values } = await session.run([y], { feeds: [[x, a]] });
      expectClose(values[0], product(a, b));
      const again = await session.run([y], { feeds: [[x, a]], options: { trace: true } });
      expectClose(again.values[0], product(a, b));
      return traced(again.metadata);
    });
    expect(traces.get(GPU)).toContain("y");
    expect(traces.get(`${GPU}/memcpy`)).toEqual(["MEMCPYHtoD", "MEMCPYDtoH"]);
  });

  test.each(["reference", "resource"] as const)(
    "keeps %s variables there from step to step, and trains them",
    async (kind) => {
      const graph = new Graph();
      const [start, a] = [matrix(8, 4, 3), matrix(16, 8, 4)];
      const w = ops.variable(graph, start, { kind, name: "w" });
      const x = ops.placeholder(graph, "float32");
      // The gradient of sum((x·w)²) / 2 is xᵀ·(x·w).
      const gradient = ops.matMul(x, ops.matMul(x, w.value, { name: "forward" }), { transposeA: true });
      const train = ops.applyGradientDescent(w, 0.01, gradient, { name: "train" });
      const expected = Float64Array.from(start.data as Float32Array);
      const host = () => new Tensor("float32", start.shape, Float32Array.from(expected));
      const descend = () => {
        const forward = new Tensor("float32", [16, 4], Float32Array.from(product(a, host())));
        const turned = new Tensor("float32", [8, 16], transposed(a));
        for (const [i, change] of product(turned, forward).entries()) {
          expected[i] = (expected[i] ?? 0) - 0.01 * change;
        }
      };
      await withSession(server, graph, async (session) => {
        await session.run([], { targets: [w.initializer] });
        // Kernels show the shapes; from then on the variable is on the GPU.
        for (let step = 0; step < 4; step += 1) {
          await session.run([], { feeds: [[x, a]], targets: [train] });
          descend();
        }
        const { metadata } = await session.run([], {
          feeds: [[x, a]],
          targets: [train],
          options: { trace: true },
        });
        descend();
        expect(traced(metadata).get(`${GPU}/memcpy`) ?? []).not.toContain("MEMCPYDtoH");
        expect(labelOf(metadata, "train")).toMatch(/ in a region of [34] nodes$/);
        // A region or an update that a kernel runs instead says so.
        expect(logs.get(server)?.filter((line) => /is run by/.test(line))).toEqual([]);
        const { values } = await session.run([w.value]);
        expectClose(values[0], expected);
      });
    },
  );

  test.each([
    ["ResourceApplyMomentum", 1, (slots, gradient) => [...slots, 0.1, gradient, 0.9]],
    ["ResourceApplyAdam", 2, (slots, gradient) => [...slots, 0.9, 0.99, 0.1, 0.9, 0.99, 1e-3, gradient]],
    ["ResourceApplyRMSProp", 2, (slots, gradient) => [...slots, 0.1, 0.9, 0.5, 1e-3, gradient]],
    ["ResourceApplyFtrl", 2, (slots, gradient) => [...slots, gradient, 0.1, 0.01, 0.01, -0.5]],
  ] satisfies readonly (readonly [string, number, Inputs])[])(
    "%s gives what it gives on the processor, and each new value stays there",
    async (op, slotCount, inputsOf) => {
      const graph = new Graph();
      const x = ops.placeholder(graph, "float32");
      const [cpu, gpu] = ["/cpu:0", "/gpu:0"].map((device) =>
        graph.withDevice(device, () => {
          const variables = Array.from({ length: slotCount + 1 }, (_, slot) =>
            ops.variable(graph, slot === 0 ? matrix(4, 4, 8) : Tensor.of(0.1, "float32", [4, 4]), {
              kind: "resource",
              name: `${op}${device}/${slot}`.replaceAll(/[/:]/g, "_"),
            }),
          );
          const [w] = variables;
          if (w === undefined) throw new Error("There is no variable.");
          const handles = variables.map(({ handle }) => handle);
          const train = graph.op(op, [...inputsOf(handles, ops.matMul(x, w.value))], { T: "float32" });
          return { w, train, initializers: variables.map(({ initializer }) => initializer) };
        }),
      );
      if (cpu === undefined || gpu === undefined) throw new Error("A device is missing.");
      await withSession(server, graph, async (session) => {
        await session.run([], { targets: [...cpu.initializers, ...gpu.initializers] });
        const run = (trace = false) =>
          session.run([], {
            feeds: [[x, matrix(4, 4, 9)]],
            targets: [cpu.train, gpu.train],
            options: { trace },
          });
        for (let step = 0; step < 3; step += 1) {
          await run();
        }
        const { metadata } = await run(true);
        expect(labelOf(metadata, gpu.train.name)).toContain("in a region of 2 nodes");
        expect(traced(metadata).get(`${GPU}/memcpy`)).not.toContain("MEMCPYDtoH");
        const { values } = await session.run([gpu.w.value, cpu.w.value]);
        expectClose(values[0], values[1]?.data as Float32Array);
      });
    },
  );

  test("variables outlive the client that has trained them, and get new values from the next", async () => {
    const graph = new Graph();
    const start = matrix(32, 32, 7);
    const w = ops.variable(graph, start, { kind: "reference", name: "outlives" });
    const x = ops.placeholder(graph, "float32");
    const train = ops.applyGradientDescent(w, 0.01, ops.matMul(x, w.value), { name: "trains" });
    for (let client = 0; client < 5; client += 1) {
      await withSession(server, graph, async (session) => {
        await session.run([], { targets: [w.initializer] });
        for (let step = 0; step < 3; step += 1) {
          await session.run([], { feeds: [[x, start]], targets: [train] });
        }
        await session.run([], { targets: [w.initializer] });
        expectClose((await session.run([w.value])).values[0], start.data as Float32Array);
        await session.run([], { feeds: [[x, start]], targets: [train] });
      });
    }
  });

  test("a node that has no kernel there is refused, and goes to the CPU where placement is soft", async () => {
    const graph = new Graph();
    const text = ops.placeholder(graph, "string");
    const n = graph.withDevice("/gpu:0", () => graph.op("StringToNumber", [text], {}, "n").output);
    const twice = ops.add(n, n, { name: "twice" });
    const feeds = [[text, "2.5"]] as const;
    await expect(
      withSession(server, graph, (session) => session.run([twice], { feeds })),
    ).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: expect.stringContaining("no supported kernel for GPU devices is available"),
    });
    const run = (session: Session) => session.run([twice], { feeds, options: { trace: true } });
    const { values, metadata } = await withSession(server, graph, run, { allowSoftPlacement: true });
    expect(values[0]?.item()).toBe(5);
    expect(traced(metadata).get(CPU)).toContain("n");
    expect(traced(metadata).get(GPU)).toContain("twice");
  });

  test("a checkpoint holds what is on the GPU, and brings it back", async () => {
    const graph = new Graph();
    const file = join(folder, "checkpoint");
    const value = matrix(6, 6, 5);
    const w = ops.variable(graph, ops.zeros(graph, [6, 6]), { kind: "resource", name: "kept" });
    const x = ops.placeholder(graph, "float32");
    const assign = graph.op("AssignVariableOp", [w.handle, ops.matMul(x, x)], { dtype: "float32" }, "assign");
    const onCpu = <T>(build: () => T): T => graph.withDevice("/cpu:0", build);
    const names = ops.constant(graph, ["kept"], { dtype: "string" });
    const slices = ops.constant(graph, [""], { dtype: "string" });
    const prefix = ops.constant(graph, file);
    const save = onCpu(() =>
      graph.op("SaveV2", [prefix, names, slices, [w.value]], { dtypes: ["float32"] }, "save"),
    );
    const restored = onCpu(
      () => graph.op("RestoreV2", [prefix, names, slices], { dtypes: ["float32"] }, "restore").output,
    );
    await withSession(server, graph, async (session) => {
      await session.run([], { targets: [w.initializer] });
      await session.run([], { feeds: [[x, value]], targets: [assign] });
      await session.run([], { feeds: [[x, value]], targets: [assign] });
      await session.run([], { targets: [save] });
      const { values } = await session.run([restored]);
      expectClose(values[0], product(value, value));
    });
  });
});

describe.skipIf(peerMissing("vulkan"))("a GPU whose memory is full", () => {
  test("ends the step with RESOURCE_EXHAUSTED; the task lives, and what was let go is free", async () => {
    // Some 200 KB of 2 GiB.
    const server = await startTask({ config: { gpuOptions: { perProcessGpuMemoryFraction: 0.0001 } } });
    try {
      const graph = new Graph();
      const x = ops.placeholder(graph, "float32");
      const y = ops.matMul(x, x, { name: "y" });
      await withSession(server, graph, async (session) => {
        const run = (size: number) => session.run([y], { feeds: [[x, matrix(size, size, 6)]] });
        await expect(run(300)).rejects.toMatchObject({
          code: StatusCode.RESOURCE_EXHAUSTED,
          message: expect.stringMatching(
            /OOM when allocating tensor with shape\[300,300\] and type float on \/device:GPU:0/,
          ),
        });
        // Each of these takes half of the memory.
        for (let round = 0; round < 4; round += 1) {
          const { values } = await run(150);
          expectClose(values[0], product(matrix(150, 150, 6), matrix(150, 150, 6)));
        }
      });
    } finally {
      await server.stop();
    }
  });
});

describe.skipIf(peerMissing("vulkan"))("the values between regions", () => {
  // Some 200 KB of 2 GiB: five of these matrices.
  const SIZE = 100;
  const matrixOf = (seed: number) => matrix(SIZE, SIZE, seed);
  let server: Server;
  beforeAll(async () => {
    server = await startTask({ config: { gpuOptions: { perProcessGpuMemoryFraction: 0.0001 } } });
  });
  afterAll(() => server?.stop());

  /** x·w, twenty times, with a loop of the graph: each iteration is a region's run. */
  function loop(graph: Graph, x: Output): Output {
    const w = ops.constant(graph, unit(SIZE));
    const [, product = x] = ops.whileLoop(
      graph,
      (count) => ops.less(count, ops.constant(graph, 20, { dtype: "int32" })),
      (count, value) => [ops.add(count, ops.constant(graph, 1, { dtype: "int32" })), ops.matMul(value, w)],
      [ops.constant(graph, 0, { dtype: "int32" }), x],
    );
    return product;
  }

  test("stay on the GPU and are freed after their last use", async () => {
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32");
    const y = loop(graph, x);
    await withSession(server, graph, async (session) => {
      for (let step = 0; step < 2; step += 1) {
        const { values } = await session.run([y], { feeds: [[x, matrixOf(1)]] });
        expectClose(values[0], matrixOf(1).data as Float32Array);
      }
      const { metadata } = await session.run([y], { feeds: [[x, matrixOf(1)]], options: { trace: true } });
      const copies = traced(metadata).get(`${GPU}/memcpy`) ?? [];
      // Only the fetched value.
      expect(copies.filter((name) => name === "MEMCPYDtoH")).toHaveLength(1);
    });
  });

  test("end the step with RESOURCE_EXHAUSTED if they do not fit together; the task lives", async () => {
    const graph = new Graph();
    const x = ops.placeholder(graph, "float32");
    const products = [1, 2, 3, 4, 5, 6].map((seed) => ops.matMul(x, ops.constant(graph, matrixOf(seed))));
    const all = graph.withDevice("/cpu:0", () => products.map((one) => graph.op("Lgamma", [one])));
    const y = loop(graph, x);
    await withSession(server, graph, async (session) => {
      const feeds = [[x, matrixOf(1)]] as const;
      await expect(session.run([], { feeds, targets: all })).rejects.toMatchObject({
        code: StatusCode.RESOURCE_EXHAUSTED,
      });
      for (let step = 0; step < 2; step += 1) {
        const { values } = await session.run([y], { feeds });
        expectClose(values[0], matrixOf(1).data as Float32Array);
      }
    });
  });
});

describe.skipIf(peerMissing("vulkan"))("the choice of GPUs", () => {
  test("is none for a parameter server and for a program that computes on the processor, unless asked", async () => {
    for (const options of [
      { gpu: "auto", cluster: { ps: ["localhost:0"] }, jobName: "ps" },
      { gpu: "auto" },
    ]) {
      const server = await startTask(options);
      try {
        const devices = await withSession(server, new Graph(), (session) => session.listDevices());
        expect(devices.map(({ deviceType }) => deviceType)).toEqual(["CPU"]);
      } finally {
        await server.stop();
      }
    }
  });

  test("of a number that the machine does not have keeps the task from starting", async () => {
    await expect(startTask({ gpu: "3" })).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: expect.stringMatching(/This machine has no GPU 3\. Choose from 0 \(SwiftShader/),
    });
  });
});

function transposed({ shape: [rows = 0, columns = 0], data }: Tensor): Float32Array {
  return Float32Array.from(
    { length: rows * columns },
    (_, at) => (data as Float32Array)[(at % rows) * columns + Math.floor(at / rows)] ?? 0,
  );
}
