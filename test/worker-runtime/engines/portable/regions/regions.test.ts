import { describe, expect, it } from "vitest";
import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import { StepStatsCollector } from "../../../../../worker-runtime/engines/portable/executor/step-stats.js";
import { createLoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import type { Lowering } from "../../../../../worker-runtime/engines/portable/lowering/lowering.js";
import { LoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/registry.js";
import { MAX_PLANS } from "../../../../../worker-runtime/engines/portable/regions/region-plans.js";
import { cancelled } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { readStepStats } from "../../../../../worker-runtime/session/trace/step-stats.js";
import {
  arg,
  binary,
  bool,
  constant,
  DEVICE,
  func,
  int,
  node,
  ret,
  text,
  type,
  typeList,
} from "../executor/graph-fixture.js";
import { floats, numbers, type RegisteredGraph, startTask } from "./regions-fixture.js";

const T = type("float32");

/** relu(x · w + b), and its sum over all. */
const layer = [
  arg("x", 0, "float32"),
  arg("w", 1, "float32"),
  constant("b", [1, -100], "float32"),
  node("MatMul", "product", ["x", "w"], { T, transpose_a: bool(false), transpose_b: bool(false) }),
  node("BiasAdd", "sum", ["product", "b"], { T }),
  node("Relu", "relu", ["sum"], { T }),
  ret("relu", 0, "float32"),
];
const x = floats([
  [1, 2],
  [3, 4],
]);
const w = floats([
  [1, 2],
  [3, 4],
]);
const expected = [8, 0, 16, 0];

/** All lowerings but those of an op, for which there is this one. */
function withLowering(own: Lowering): LoweringRegistry {
  const all = createLoweringRegistry();
  const registry = new LoweringRegistry();
  for (const op of all.ops()) {
    registry.add(...(op === own.op ? [own] : all.of(op)));
  }
  return registry;
}

describe("inputs that decide shapes", () => {
  const halves = [
    arg("x", 0, "float32"),
    arg("axis", 1, "int32"),
    node("Neg", "negative", ["x"], { T }),
    node("Split", "halves", ["axis", "negative"], { T, num_split: int(2) }),
    ret("halves", 0, "float32"),
  ];
  const axis = (value: number) => Tensor.of(value, "int32");

  /** The step's result, and which of the nodes ran in a session. */
  async function run(graph: RegisteredGraph, rows: number, at: number) {
    const stats = new StepStatsCollector();
    // Another tensor each time: one that stays becomes a constant of one more session.
    const given = new Tensor(
      "float32",
      [rows, 2],
      Float32Array.from({ length: 2 * rows }, (_, i) => i + 1),
    );
    const [result] = await graph.run({ args: [given, axis(at)], stats });
    const nodes = stats.toProto().devStats.flatMap(({ nodeStats }) => nodeStats);
    const inSession = nodes.flatMap(({ nodeName, timelineLabel }) =>
      timelineLabel.includes(" in a region of ") ? [nodeName] : [],
    );
    return { result: numbers(result), inSession: inSession.sort() };
  }

  it("are constants of a session as long as they stay the same, and are given up once they change", async () => {
    const task = startTask();
    const graph = task.register(halves);
    expect((await run(graph, 2, 0)).result).toEqual([-1, -2]);
    expect(await run(graph, 2, 0)).toEqual({ result: [-1, -2], inSession: ["halves", "negative"] });
    expect((await run(graph, 2, 1)).result).toEqual([-1, -3]);
    expect(await run(graph, 2, 0)).toEqual({ result: [-1, -2], inSession: ["negative"] });
    for (const at of [1, 0, 1]) await run(graph, 2, at);
    // The one that knew the axis has been released.
    expect(task.regions.sessions).toBe(1);
    expect(task.log).toEqual([]);
  });

  it("are given up for all shapes, and their plans no longer count", async () => {
    const task = startTask();
    const graph = task.register(halves);
    const shapes = Array.from({ length: MAX_PLANS }, (_, index) => 2 * index + 2);
    for (const rows of shapes) {
      expect((await run(graph, rows, 0)).inSession).toEqual(["halves", "negative"]);
    }
    for (const rows of shapes) {
      expect((await run(graph, rows, 1)).inSession).toEqual(["negative"]);
    }
    expect(task.regions.sessions).toBe(1);
    expect(task.log).toEqual([]);
  });

  it("are given up by one step while others run", async () => {
    const task = startTask();
    const graph = task.register(halves);
    const results = async (...axes: number[]) =>
      (await Promise.all(axes.map((at) => run(graph, 2, at)))).map(({ result }) => result);
    await run(graph, 2, 0);
    expect(await results(0, 1, 0)).toEqual([
      [-1, -2],
      [-1, -3],
      [-1, -2],
    ]);
    expect(await results(1, 0)).toEqual([
      [-1, -3],
      [-1, -2],
    ]);
    expect(task.regions.sessions).toBe(1);
    expect(task.log).toEqual([]);
  });
});

describe("nodes that are run as a region", () => {
  it("give what their kernels give, by one session for all sizes", async () => {
    const task = startTask();
    const graph = task.register(layer);
    expect(graph.regionCount).toBe(1);
    expect(numbers((await graph.run({ args: [x, w] }))[0])).toEqual(expected);
    expect(task.regions.sessions).toBe(1);
    expect(numbers((await graph.run({ args: [floats([[1, 2]]), w] }))[0])).toEqual([8, 0]);
    expect(task.regions.sessions).toBe(1);
    expect(task.log).toEqual([]);
  });

  it("share a session with regions that are written alike, and let it go with the last of them", async () => {
    const task = startTask();
    const [one, other] = [task.register(layer), task.register(layer)];
    await one.run({ args: [x, w] });
    await other.run({ args: [x, w] });
    expect(task.regions.sessions).toBe(1);
    one.release();
    expect(task.regions.sessions).toBe(1);
    expect(numbers((await other.run({ args: [x, w] }))[0])).toEqual(expected);
    other.release();
    expect(task.regions.sessions).toBe(0);
    expect(numbers((await other.run({ args: [x, w] }))[0])).toEqual(expected);
  });

  it("stay with the kernels where these take no time, and nothing is loaded", async () => {
    const task = startTask({ mode: "auto" });
    const graph = task.register(layer);
    for (let run = 0; run < 20; run += 1) {
      expect(numbers((await graph.run({ args: [x, w] }))[0])).toEqual(expected);
    }
    expect(task.regions.sessions).toBe(0);
    expect(task.regions.isRunning).toBe(false);
  });

  it("run by kernels where ONNX Runtime cannot be loaded, and the log says so once", async () => {
    const task = startTask({ runtime: "tensordeck-no-such-module" });
    const graph = task.register(layer);
    for (let run = 0; run < 3; run += 1) {
      expect(numbers((await graph.run({ args: [x, w] }))[0])).toEqual(expected);
    }
    expect(task.log).toHaveLength(1);
    expect(task.log[0]).toMatch(/ONNX Runtime cannot be used .* plain kernels: .*tensordeck-no-such-module/);
    expect(task.regions.isRunning).toBe(false);
  });

  it("run by kernels from then on where their model is refused, and the log says so once", async () => {
    const broken: Lowering = {
      op: "Relu",
      types: { T: ["float32"] },
      lower: (_, inputs, { model }) => [model.node("NoSuchOperator", inputs, "float32")],
    };
    const task = startTask({ lowerings: withLowering(broken) });
    const graph = task.register(layer);
    for (let run = 0; run < 3; run += 1) {
      expect(numbers((await graph.run({ args: [x, w] }))[0])).toEqual(expected);
    }
    expect(task.log).toHaveLength(1);
    expect(task.log[0]).toMatch(
      /region of 3 nodes from \{\{node product}} to \{\{node relu}} cannot be run .*NoSuchOperator/,
    );
  });

  it("run by kernels from then on where a session fails, and the log says so once", async () => {
    // Right for matrices of the first run alone, and not said to be so.
    const narrow: Lowering = {
      op: "Relu",
      types: { T: ["float32"] },
      lower: (_, [input], { model }) =>
        input && [
          model.node(
            "Add",
            [
              input,
              model.constant(
                floats([
                  [0, 0],
                  [0, 0],
                ]),
              ),
            ],
            "float32",
          ),
        ],
    };
    const task = startTask({ lowerings: withLowering(narrow) });
    const graph = task.register(layer);
    await graph.run({ args: [x, w] });
    const three = floats([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    for (let run = 0; run < 3; run += 1) {
      expect(numbers((await graph.run({ args: [three, w] }))[0])).toEqual([8, 0, 8, 0, 8, 0]);
    }
    expect(task.log).toHaveLength(1);
    expect(task.log[0]).toMatch(/failed to run in ONNX Runtime/);
  });

  it("fail with the error of the kernel, which names the node, where the inputs are wrong", async () => {
    const task = startTask();
    const graph = task.register(layer);
    await graph.run({ args: [x, w] });
    const wrong = floats([[1, 2, 3]]);
    await expect(graph.run({ args: [wrong, w] })).rejects.toThrow(/\{\{node product}}/);
    expect(numbers((await graph.run({ args: [x, w] }))[0])).toEqual(expected);
    expect(task.log).toEqual([]);
    expect(task.regions.sessions).toBe(1);
  });

  it("are grouped around those that a lowering declines", async () => {
    const declining: Lowering = { op: "Relu", types: { T: ["float32"] }, lower: () => undefined };
    const task = startTask({ lowerings: withLowering(declining) });
    const graph = task.register([
      ...layer.slice(0, -1),
      binary("Mul", "square", "relu", "relu", "float32"),
      binary("AddV2", "both", "square", "sum", "float32"),
      ret("both", 0, "float32"),
    ]);
    expect(graph.regionCount).toBe(1);
    const result = [8 * 9, -90, 16 * 17, -78];
    expect(numbers((await graph.run({ args: [x, w] }))[0])).toEqual(result);
    expect(task.regions.sessions).toBe(2);
    expect(numbers((await graph.run({ args: [x, w] }))[0])).toEqual(result);
    expect(task.log).toEqual([]);
  });
});

/** A Recv of a float32 tensor. */
const recv = (name: string, ...control: string[]) =>
  node("_Recv", name, control, {
    tensor_type: T,
    tensor_name: text(name),
    send_device: text("/job:worker/replica:0/task:1/device:CPU:0"),
    send_device_incarnation: int(1),
    recv_device: text(DEVICE),
    client_terminated: bool(false),
    // Both are waited for at once.
    _tensordeck_crossings: int(1),
  });

describe("a region", () => {
  it("of a branch that is not taken is dead, and that of the other runs", async () => {
    const task = startTask();
    const graph = task.register([
      arg("x", 0, "float32"),
      arg("takes", 1, "bool"),
      node("Switch", "choice", ["x", "takes"], { T }),
      binary("Mul", "yes", "choice:1", "choice:1", "float32"),
      node("Relu", "yes2", ["yes"], { T }),
      node("Neg", "no", ["choice"], { T }),
      node("Relu", "no2", ["no"], { T }),
      node("Merge", "merged", ["no2", "yes2"], { T, N: int(2) }),
      node("Neg", "after", ["merged"], { T }),
      ret("after", 0, "float32"),
    ]);
    expect(graph.regionCount).toBe(3);
    const values = floats([2, -3]);
    for (let run = 0; run < 2; run += 1) {
      expect(numbers((await graph.run({ args: [values, Tensor.of(true)] }))[0])).toEqual([-4, -9]);
      expect(numbers((await graph.run({ args: [values, Tensor.of(false)] }))[0])).toEqual([-0, -3]);
    }
    expect(task.regions.sessions).toBe(3);
    expect(task.log).toEqual([]);
  });

  it("with an input that turns out dead gives dead outputs for the nodes behind it, and values for the others", async () => {
    const task = startTask();
    const graph = task.register([
      recv("a"),
      recv("b"),
      node("Neg", "ofA", ["a"], { T }),
      node("Neg", "ofB", ["b", "^ofA"], { T }),
      binary("AddV2", "both", "ofA", "ofB", "float32"),
      node("Neg", "onlyA", ["ofA"], { T }),
      arg("instead", 0, "float32"),
      node("Merge", "merged", ["both", "instead"], { T, N: int(2) }),
      // Only of these do the ends count.
      node("Switch", "held", ["instead", "no", "^onlyA"], { T }),
      constant("no", false, "bool"),
      ret("onlyA", 0, "float32"),
      ret("merged", 1, "float32"),
      ret("held", 2, "float32"),
    ]);
    expect(graph.regionCount).toBe(1);
    const alive = (value: number) => ({ isDead: false as const, value: floats([value]) });
    const args = [floats([7])];
    for (let run = 0; run < 2; run += 1) {
      const [onlyA, merged, held] = await graph.run({ args, sent: { a: alive(1), b: { isDead: true } } });
      expect([onlyA, merged, held].map(numbers)).toEqual([[1], [7], [7]]);
    }
    // Neither the Switch nor its Retval run then.
    await expect(graph.run({ args, sent: { a: { isDead: true }, b: alive(1) } })).rejects.toThrow(
      "Retval[0] does not have value",
    );
    expect(task.log).toEqual([]);
  });

  it("waits for the control inputs of its nodes, and others for the ends of its nodes", async () => {
    const order: string[] = [];
    const task = startTask();
    const shape: AttrValue["value"] = { $case: "shape", value: { dim: [], unknownRank: true } };
    const shared = { dtype: T, shape, shared_name: text("v"), container: text("") };
    const graph = task.register([
      arg("x", 0, "float32"),
      node("VarHandleOp", "v", [], shared),
      node("AssignVariableOp", "first", ["v", "x"], { dtype: T }),
      node("ReadVariableOp", "read", ["v", "^first"], { dtype: T }),
      node("Neg", "negative", ["read"], { T }),
      node("Neg", "again", ["x", "^negative"], { T }),
      node("AssignVariableOp", "second", ["v", "negative", "^again"], { dtype: T }),
      node("ReadVariableOp", "last", ["v", "^second"], { dtype: T }),
      ret("last", 0, "float32"),
      ret("negative", 1, "float32"),
    ]);
    expect(graph.regionCount).toBe(1);
    for (let run = 0; run < 3; run += 1) {
      const results = await graph.run({ args: [floats([run])] });
      order.push(results.map(numbers).join(" "));
    }
    expect(order).toEqual(["0 0", "-1 -1", "-2 -2"]);
  });

  it("in a loop runs once an iteration", async () => {
    const frame = { T, frame_name: text("while"), parallel_iterations: int(1) };
    const task = startTask();
    const graph = task.register([
      arg("start", 0, "float32"),
      node("Enter", "enter", ["start"], frame),
      node("Merge", "merge", ["enter", "next"], { T, N: int(2) }),
      constant("limit", 100, "float32", ["^merge"]),
      binary("Less", "less", "merge", "limit", "float32"),
      node("LoopCond", "cond", ["less"]),
      node("Switch", "switch", ["merge", "cond"], { T }),
      binary("AddV2", "twice", "switch:1", "switch:1", "float32"),
      node("Relu", "body", ["twice"], { T }),
      node("NextIteration", "next", ["body"], { T }),
      node("Exit", "exit", ["switch"], { T }),
      ret("exit", 0, "float32"),
    ]);
    expect(graph.regionCount).toBe(2);
    expect(numbers((await graph.run({ args: [Tensor.of(3, "float32")] }))[0])).toEqual([192]);
    expect(numbers((await graph.run({ args: [Tensor.of(1, "float32")] }))[0])).toEqual([128]);
    expect(task.regions.sessions).toBe(2);
  });

  it("of a function's body runs where the function is called", async () => {
    const library = FunctionDefLibrary.fromPartial({
      function: [
        {
          signature: {
            name: "square_sum",
            inputArg: [{ name: "a", type: 1 }],
            outputArg: [{ name: "r", type: 1 }],
          },
          nodeDef: [
            node("Mul", "squared", ["a", "a"], { T }),
            node("AddV2", "sum", ["squared:z:0", "a"], { T }),
          ],
          ret: new Map([["r", "sum:z:0"]]),
        },
      ],
    });
    const task = startTask({ library });
    const graph = task.register([
      arg("x", 0, "float32"),
      node("PartitionedCall", "call", ["x"], {
        Tin: typeList("float32"),
        Tout: typeList("float32"),
        f: func("square_sum"),
      }),
      ret("call", 0, "float32"),
    ]);
    expect(graph.regionCount).toBe(0);
    expect(numbers((await graph.run({ args: [floats([2, 3])] }))[0])).toEqual([6, 12]);
    expect(task.regions.sessions).toBe(1);
    graph.release();
    expect(task.regions.sessions).toBe(0);
  });

  it("ends with its step, whose nodes are named", async () => {
    const task = startTask();
    const graph = task.register(layer);
    await graph.run({ args: [x, w] });
    const ended = new AbortController();
    const running = graph.run({ args: [x, w], signal: ended.signal });
    ended.abort(cancelled("the client has gone"));
    await expect(running).rejects.toThrow(/the client has gone/);
    expect(numbers((await graph.run({ args: [x, w] }))[0])).toEqual(expected);
    expect(task.log).toEqual([]);
  });

  it("runs by kernels where its thread ends, and by a new session from then on", async () => {
    const task = startTask();
    const graph = task.register(layer);
    await graph.run({ args: [x, w] });
    const running = graph.run({ args: [x, w] });
    await task.regions.restart();
    expect(numbers((await running)[0])).toEqual(expected);
    expect(numbers((await graph.run({ args: [x, w] }))[0])).toEqual(expected);
    expect(task.regions.isRunning).toBe(true);
    expect(task.log).toEqual([]);
  });

  it("lets its thread end after a rest and has its session made again", async () => {
    const task = startTask({ idleMillis: 1 });
    const graph = task.register(layer);
    await graph.run({ args: [x, w] });
    await expect.poll(() => task.regions.isRunning).toBe(false);
    expect(numbers((await graph.run({ args: [x, w] }))[0])).toEqual(expected);
    expect(task.log).toEqual([]);
  });

  it("shows each of its nodes in the step's statistics, with its output and its share of the time of all", async () => {
    const task = startTask();
    const graph = task.register(layer);
    await graph.run({ args: [x, w] });
    const stats = new StepStatsCollector();
    await graph.run({ args: [x, w], stats });
    const nodes = stats.toProto().devStats.flatMap(({ nodeStats }) => nodeStats);
    const together = nodes.filter(({ timelineLabel }) => timelineLabel.endsWith("in a region of 3 nodes"));
    expect(together.map(({ nodeName }) => nodeName)).toEqual(["product", "sum", "relu"]);
    let reached = together[0]?.allStartNanos ?? 0n;
    for (const { allStartNanos, allEndRelNanos } of together) {
      // Rounded to nanoseconds.
      expect(Math.abs(Number(allStartNanos - reached))).toBeLessThan(together.length);
      reached = allStartNanos + allEndRelNanos;
    }
    const sizes = readStepStats(stats.toProto()).nodes.map(({ node: name, outputBytes }) => [
      name,
      outputBytes,
    ]);
    expect(sizes).toEqual(expect.arrayContaining(["product", "sum", "relu"].map((name) => [name, 16])));
    expect(together[0]?.timelineLabel).toMatch(/^product = MatMul\(x, w\)/);
  });

  it("that takes long gets a session in the background, and answers by kernels until it is there", async () => {
    const task = startTask({ mode: "auto" });
    const size = 256;
    const graph = task.register([
      arg("a", 0, "float32"),
      node("MatMul", "product", ["a", "a"], { T, transpose_a: bool(false), transpose_b: bool(false) }),
      ret("product", 0, "float32"),
    ]);
    const a = Tensor.of(new Float32Array(size * size).fill(1), "float32", [size, size]);
    const first = numbers((await graph.run({ args: [a] }))[0]);
    await expect
      .poll(async () => {
        expect(numbers((await graph.run({ args: [a] }))[0])).toEqual(first);
        return task.regions.sessions;
      })
      .toBe(1);
    expect(first[0]).toBe(size);
  });
});
