import { expect, test } from "vitest";
import { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import { DataType } from "../../../../../protos/generated/tensorflow/types.js";
import { runGraph } from "../../../../../worker-runtime/engines/portable/executor/executor.js";
import { StepStatsCollector } from "../../../../../worker-runtime/engines/portable/executor/step-stats.js";
import { binary, constant, DEVICE, environment, node, ret, text, type } from "./graph-fixture.js";

test("each device shows _SOURCE and the nodes that ran there, with labels, times and outputs as in TensorFlow", async () => {
  const env = environment();
  const before = BigInt(Date.now()) * 1000n;
  const second = DEVICE.replace("CPU:0", "CPU:1");
  const graph = env.compile([
    constant("p", false, "bool"),
    constant("x", 3, "float32"),
    node("Switch", "s", ["x", "p"], { T: type("float32") }),
    { ...binary("AddV2", "z", "x", "s", "float32", "^p"), device: second },
    node("Identity", "dead", ["s:1"], { T: type("float32") }),
    node("_Send", "sent", ["z"], {
      T: type("float32"),
      tensor_name: text("t"),
      send_device: text(second),
      send_device_incarnation: { $case: "i", value: 1n },
      recv_device: text(DEVICE),
    }),
    ret("z", 0, "float32"),
  ]);
  const stats = new StepStatsCollector();
  await runGraph(graph, { step: env.step, stats });
  const { devStats } = stats.toProto();
  const named = devStats.map(({ device, nodeStats }) => [
    device,
    nodeStats.map((each) => each.nodeName).sort(),
  ]);
  expect(named).toEqual([
    [DEVICE, ["_SOURCE", "p", "ret0", "s", "x"]],
    [second, ["_SOURCE", "z"]],
  ]);
  const all = new Map(devStats.flatMap(({ nodeStats }) => nodeStats.map((each) => [each.nodeName, each])));
  expect(all.get("_SOURCE")?.timelineLabel).toBe("_SOURCE = NoOp()");
  const z = all.get("z");
  expect(z?.timelineLabel).toBe("z = AddV2(x, s, ^p)");
  expect(z?.output).toMatchObject([
    {
      slot: 0,
      tensorDescription: {
        dtype: DataType.DT_FLOAT,
        shape: { dim: [] },
        allocationDescription: { requestedBytes: 4n },
      },
    },
  ]);
  // Only the output of a Switch that is live.
  expect(all.get("s")?.output.map(({ slot }) => slot)).toEqual([0]);
  expect(z?.allStartMicros).toBeGreaterThanOrEqual(before - 1_000_000n);
  expect(z?.allStartNanos).toBeGreaterThanOrEqual(z?.allStartMicros ?? 0n);
  expect(z?.allEndRelNanos).toBeGreaterThanOrEqual(0n);
});

test("the nodes of a function are among those of the step that calls it", async () => {
  const library = FunctionDefLibrary.fromPartial({
    function: [
      {
        signature: { name: "f", outputArg: [{ name: "y", type: DataType.DT_FLOAT }] },
        nodeDef: [constant("inside", 3, "float32")],
        ret: new Map([["y", "inside:output:0"]]),
      },
    ],
  });
  const env = environment({ library });
  const stats = new StepStatsCollector();
  await runGraph(env.compile([node("f", "call"), ret("call", 0, "float32")]), { step: env.step, stats });
  const names = stats.toProto().devStats[0]?.nodeStats.map(({ nodeName }) => nodeName);
  expect(names?.toSorted()).toEqual(["_SOURCE", "_SOURCE", "call", "inside", "ret0", "y_RetVal_0"]);
});

/** The records of the nodes of one device. */
function recordsOf(stats: StepStatsCollector) {
  return stats.toProto().devStats.flatMap(({ nodeStats }) => nodeStats);
}

test("nodes that ran as one have shares that add up to their time, which begins after they waited", () => {
  const { nodes } = environment().compile([
    constant("a", 1, "float32"),
    binary("AddV2", "x", "a", "a", "float32"),
    binary("AddV2", "y", "x", "x", "float32"),
  ]);
  const stats = new StepStatsCollector();
  const weights = [0, 3, 1];
  const parts = nodes.map((own, index) => ({ node: own, weight: weights[index] ?? 0, shapes: [[5, 2]] }));
  const readyMillis = performance.now();
  stats.ranTogether(parts, readyMillis - 10, readyMillis - 4);
  const records = recordsOf(stats);
  const [first, second, third] = records.map(({ allEndRelNanos }) => Number(allEndRelNanos));
  expect(first).toBe(0);
  expect((second ?? 0) / (third ?? 0)).toBeCloseTo(3, 3);
  for (const { scheduledNanos } of records) {
    expect(Number((records[0]?.allStartNanos ?? 0n) - scheduledNanos) / 1e6).toBeCloseTo(6, 3);
  }
  expect(Number((records[1]?.allStartNanos ?? 0n) - (records[0]?.allStartNanos ?? 0n))).toBe(0);
  expect(records[2]?.output).toMatchObject([
    {
      slot: 0,
      tensorDescription: { dtype: DataType.DT_FLOAT, allocationDescription: { requestedBytes: 40n } },
    },
  ]);
});

test("the wait for a compute thread is no part of a node's time", async () => {
  const env = environment({
    compute: {
      parallelism: 1,
      run: async (_own, _deviceType, inputs, _signal, onRan) => {
        const askedMillis = performance.now();
        await expect.poll(() => performance.now()).toBeGreaterThan(askedMillis + 1);
        onRan?.(0.25);
        return inputs;
      },
    },
    kernels: [{ kind: "pure", types: {}, op: "Neg", create: () => (inputs) => inputs, cost: () => 30e6 }],
  });
  const stats = new StepStatsCollector();
  const nodes = [
    constant("c", 1, "float32"),
    node("Neg", "n", ["c"], { T: type("float32") }),
    ret("n", 0, "float32"),
  ];
  await runGraph(env.compile(nodes), { step: env.step, stats });
  const negated = recordsOf(stats).find(({ nodeName }) => nodeName === "n");
  expect((negated?.allStartNanos ?? 0n) - (negated?.scheduledNanos ?? 0n)).toBeGreaterThan(500_000n);
});
