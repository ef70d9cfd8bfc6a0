/** Regions in the bodies of loops and in branches: of functions, and of Enter, Merge and Switch. */
import { describe, expect, it, test } from "vitest";
import { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import { StepStatsCollector } from "../../../../../worker-runtime/engines/portable/executor/step-stats.js";
import type { KernelDefinition } from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import { createLoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import type { Lowering } from "../../../../../worker-runtime/engines/portable/lowering/lowering.js";
import { LoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/registry.js";
import { addFunction, functionAttr } from "../../../../../worker-runtime/graph/functions/body-graph.js";
import { Graph, type Output } from "../../../../../worker-runtime/graph/graph.js";
import * as ops from "../../../../../worker-runtime/graph/ops/index.js";
import { cancelled } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { arg, bool, constant, int, node, ret, type } from "../executor/graph-fixture.js";
import { floats, numbers, startTask } from "./regions-fixture.js";

type Body = (graph: Graph, x: Output, w: Output) => Output;
type Form = "functions" | "frames";

const argument = (graph: Graph, dtype: "float32" | "int32", index: number) =>
  graph.op("_Arg", [], { T: dtype, index }, "argument").output;

/** Applies a body to its first argument; the second one is the number of iterations, the third one never changes. */
function loopOf(form: Form, body: Body): Graph {
  const graph = new Graph();
  const [x, limit, w] = [
    argument(graph, "float32", 0),
    argument(graph, "int32", 1),
    argument(graph, "float32", 2),
  ];
  const result = form === "frames" ? framed(graph, x, limit, w, body) : called(graph, x, limit, w, body);
  graph.op("_Retval", [result], { index: 0 }, "result");
  return graph;
}

function framed(graph: Graph, x: Output, limit: Output, w: Output, body: Body): Output {
  const [, result = x] = ops.whileLoop(
    graph,
    (i = limit) => graph.op("Less", [i, limit]).output,
    (i = limit, value = x) => [graph.op("AddV2", [i, 1]).output, body(graph, value, w)],
    [Tensor.of(0, "int32"), x],
  );
  return result;
}

function called(graph: Graph, x: Output, limit: Output, w: Output, body: Body): Output {
  const types = ["int32", "int32", "float32", "float32"] as const;
  const functionOf = (build: (inner: Graph, args: readonly Output[]) => readonly Output[]) => {
    const inner = new Graph({ registry: graph.registry, functions: graph.functions });
    const args = types.map((dtype) => inner.op("Placeholder", [], { dtype, shape: "unknown rank" }).output);
    const results = build(inner, args);
    return addFunction(graph, { name: "body", args, nodes: inner.operations, results });
  };
  const cond = functionOf((inner, [i = x, end = x]) => [inner.op("Less", [i, end]).output]);
  const next = functionOf((inner, [i = x, end = x, value = x, fixed = x]) => [
    inner.op("AddV2", [i, 1]).output,
    end,
    body(inner, value, fixed),
    fixed,
  ]);
  const first = ops.constant(graph, Tensor.of(0, "int32"));
  const attrs = { cond: functionAttr(cond), body: functionAttr(next) };
  return graph.op("While", [[first, limit, x, w]], attrs).outputAt(2);
}

/** relu(x · w) + x */
const layer: Body = (graph, x, w) => {
  const product = graph.op("MatMul", [x, w], {}, "product").output;
  return graph.op("AddV2", [graph.op("Relu", [product], {}, "relu").output, x], {}, "sum").output;
};

const x = floats([[1, -2]]);
const w = floats([
  [1, 2],
  [-1, 0.5],
]);
const times = (count: number) => Tensor.of(count, "int32");

/** The layer's output after some iterations. */
function expected(count: number): number[] {
  let [a, b] = [1, -2];
  for (let i = 0; i < count; i += 1) {
    [a, b] = [a + Math.max(0, a - b), b + Math.max(0, 2 * a + b / 2)];
  }
  return [a, b];
}

/** An op that hands its input on and calls a function before. */
function calling(act: () => void): KernelDefinition {
  return {
    kind: "stateful",
    op: "DebugIdentityV2",
    types: {},
    create:
      () =>
      ({ inputs }) => {
        act();
        return inputs;
      },
  };
}

const observed: Body = (graph, value, fixed) =>
  layer(graph, graph.op("DebugIdentityV2", [value]).output, fixed);

const libraryOf = (graph: Graph) => graph.functions.toProto() ?? FunctionDefLibrary.create();

function registered(task: ReturnType<typeof startTask>, graph: Graph) {
  return task.register(graph.toGraphDef().node);
}

describe.each<Form>(["functions", "frames"])("a body made of %s", (form) => {
  it("runs as a region in every iteration, or never", async () => {
    const graph = loopOf(form, layer);
    const task = startTask({ library: libraryOf(graph) });
    const loop = registered(task, graph);
    for (const count of [3, 0, 1, 7]) {
      const stats = new StepStatsCollector();
      const [result] = await loop.run({ args: [x, times(count), w], stats });
      expect(numbers(result)).toEqual(expected(count));
      const labels = stats.toProto().devStats.flatMap(({ nodeStats }) => nodeStats);
      const inRegions = labels.filter(
        ({ nodeName, timelineLabel }) =>
          /(?:^|\/)sum$/.test(nodeName) && / in a region of \d+ nodes$/.test(timelineLabel),
      );
      expect(inRegions).toHaveLength(count);
    }
    expect(task.log).toEqual([]);
  });

  it("names the node that fails in a later iteration", async () => {
    const doubling: Body = (inner, value, fixed) => {
      const sum = inner.op("AddV2", [value, fixed], {}, "sum").output;
      return inner.op("ConcatV2", [[sum, sum], 0]).output;
    };
    const graph = loopOf(form, doubling);
    const task = startTask({ library: libraryOf(graph) });
    const loop = registered(task, graph);
    for (let run = 0; run < 2; run += 1) {
      const [result] = await loop.run({ args: [x, times(1), w.reshape([2, 2])] });
      expect(numbers(result)).toHaveLength(8);
      await expect(loop.run({ args: [x, times(3), w] })).rejects.toThrow(/{{node (?:while\/)?sum}}/);
    }
    expect(numbers((await loop.run({ args: [x, times(1), w] }))[0])).toHaveLength(8);
  });

  it("ends in the middle if its step is cancelled", async () => {
    const ended = new AbortController();
    let calls = 0;
    const graph = loopOf(form, observed);
    const kernels = [
      calling(() => {
        calls += 1;
        if (calls === 20) {
          ended.abort(cancelled("the client has gone"));
        }
      }),
    ];
    const task = startTask({ library: libraryOf(graph), kernels });
    const loop = registered(task, graph);
    const endless = loop.run({ args: [x, times(1_000_000), w], signal: ended.signal });
    await expect(endless).rejects.toThrow(/the client has gone/);
    expect(calls).toBe(20);
    expect(numbers((await loop.run({ args: [x, times(3), w] }))[0])).toEqual(expected(3));
  });

  it("is run by kernels if its model is refused, which the log says once", async () => {
    const broken: Lowering = {
      op: "Relu",
      types: { T: ["float32"] },
      lower: (_, inputs, { model }) => [model.node("NoSuchOperator", inputs, "float32")],
    };
    const lowerings = new LoweringRegistry();
    const all = createLoweringRegistry();
    for (const op of all.ops()) {
      lowerings.add(...(op === broken.op ? [broken] : all.of(op)));
    }
    const graph = loopOf(form, layer);
    const task = startTask({ library: libraryOf(graph), lowerings });
    const loop = registered(task, graph);
    for (const count of [5, 2]) {
      expect(numbers((await loop.run({ args: [x, times(count), w] }))[0])).toEqual(expected(count));
    }
    expect(task.log).toHaveLength(1);
    expect(task.log[0]).toMatch(/{{node (?:while\/)?sum}} cannot be run in ONNX Runtime/);
  });

  it("goes on if ONNX Runtime's thread fails in the middle", async () => {
    let calls = 0;
    const restarted: Promise<void>[] = [];
    const graph = loopOf(form, observed);
    const kernels = [
      calling(() => {
        calls += 1;
        if (calls % 4 === 0) {
          restarted.push(task.regions.restart());
        }
      }),
    ];
    const task = startTask({ library: libraryOf(graph), kernels });
    const loop = registered(task, graph);
    expect(numbers((await loop.run({ args: [x, times(11), w] }))[0])).toEqual(expected(11));
    await Promise.all(restarted);
    expect(restarted.length).toBeGreaterThan(1);
  });

  it("is shared by two graphs, of which one is released in the middle of its loop", async () => {
    let release: () => void = () => undefined;
    let calls = 0;
    const graph = loopOf(form, observed);
    const kernels = [
      calling(() => {
        calls += 1;
        if (calls === 12) {
          release();
        }
      }),
    ];
    const task = startTask({ library: libraryOf(graph), kernels });
    const [one, other] = [registered(task, graph), registered(task, graph)];
    await one.run({ args: [x, times(1), w] });
    const ofOne = task.regions.sessions;
    await other.run({ args: [x, times(1), w] });
    expect(task.regions.sessions).toBe(ofOne);
    release = () => one.release();
    const both = await Promise.all([one, other].map((each) => each.run({ args: [x, times(9), w] })));
    expect(both.map(([result]) => numbers(result))).toEqual([expected(9), expected(9)]);
    expect(task.regions.sessions).toBeGreaterThanOrEqual(ofOne);
    other.release();
    expect(task.regions.sessions).toBe(0);
    expect(task.log).toEqual([]);
  });
});

test("constants that wait for branches are dead with them", async () => {
  const T = type("float32");
  const task = startTask();
  const branchOf = (name: string, predicate: string) => [
    node("Switch", `${name}/choice`, [predicate, predicate], { T: type("bool") }),
    node("Identity", `${name}/taken`, [`${name}/choice:1`], { T: type("bool") }),
    constant(`${name}/value`, [1, 2], "float32", [`^${name}/taken`]),
  ];
  const graph = task.register([
    ...[arg("p", 0, "bool"), arg("q", 1, "bool"), arg("x", 2, "float32")],
    ...[...branchOf("a", "p"), ...branchOf("b", "q")],
    node("AddV2", "added", ["a/value", "b/value"], { T }),
    node("Exp", "exp", ["added"], { T }),
    node("Switch", "parted", ["x", "p"], { T }),
    node("Neg", "otherwise", ["parted"], { T }),
    node("Merge", "merged", ["exp", "otherwise"], { T, N: int(2) }),
    ret("merged", 0, "float32"),
  ]);
  const bools = (...values: readonly boolean[]) => values.map((value) => Tensor.of(value, "bool"));
  for (let run = 0; run < 2; run += 1) {
    const [both] = await graph.run({ args: [...bools(true, true), floats([5, 6])] });
    expect(numbers(both)).toEqual([2, 4].map((value) => Math.fround(Math.exp(value))));
    const [one] = await graph.run({ args: [...bools(false, true), floats([5, 6])] });
    expect(numbers(one)).toEqual([-5, -6]);
  }
});

test("shapes behind a Concat hold for its axis alone", async () => {
  const task = startTask();
  const T = type("float32");
  const graph = task.register([
    arg("x", 0, "float32"),
    arg("axis", 1, "int32"),
    node("ConcatV2", "joined", ["x", "x", "axis"], { T, N: int(2), Tidx: type("int32") }),
    node("Shape", "sizes", ["joined"], { T, out_type: type("int32") }),
    node("Neg", "negative", ["joined"], { T }),
    node("MatrixDiagPart", "diagonal", ["negative"], { T }),
    constant("axes", [0], "int32"),
    node("Sum", "sums", ["negative", "axes"], { T, Tidx: type("int32"), keep_dims: bool(false) }),
    ret("sizes", 0, "int32"),
    ret("sums", 1, "float32"),
    ret("diagonal", 2, "float32"),
  ]);
  for (const axis of [0, 0, 1, 1, 0]) {
    const [sizes, sums, diagonal] = await graph.run({ args: [w, Tensor.of(axis, "int32")] });
    expect(numbers(sizes)).toEqual(axis === 0 ? [4, 2] : [2, 4]);
    expect(numbers(diagonal)).toEqual([-1, -0.5]);
    expect(numbers(sums)).toEqual(axis === 0 ? [0, -5] : [0, -2.5, 0, -2.5]);
  }
});
