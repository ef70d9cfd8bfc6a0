/** The programs of graph-programs.py, built with Tensordeck's own functions. */
import { replicaDeviceSetter } from "../../worker-runtime/cluster/replica-device-setter.js";
import type { Graph } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";

const CLUSTER = { ps: ["ps0:2222", "ps1:2222"], worker: ["w0:2222", "w1:2222"] };

function s1(g: Graph): void {
  const a = ops.constant(g, 3, { name: "a" });
  const b = ops.constant(g, 2, { name: "b" });
  const [x, y] = g.withDevice("/job:worker/task:0", () => [
    ops.add(a, b, { name: "x" }),
    ops.multiply(a, b, { name: "y" }),
  ]);
  g.withDevice("/job:worker/task:1", () => ops.add(x ?? a, y ?? b, { name: "z" }));
}

function s2(g: Graph): void {
  g.withDevice("/job:ps/task:1", () => ops.variable(g, [1, 2], { name: "pinned" }));
  g.withDevice(replicaDeviceSetter({ cluster: CLUSTER }), () => {
    const column = ops.placeholder(g, "int32", [-1], { name: "input" });
    ops.variable(g, 0, { dtype: "int32", name: "first" });
    ops.variable(g, ops.zeros(g, [2]), { name: "second" });
    const sums = ops
      .split(column, 2, 0, { name: "split" })
      .map((part, i) =>
        g.withDevice(`/job:worker/task:${i}`, () =>
          ops.reduceSum(ops.printValues(part, [part], { message: "portion is " })),
        ),
      );
    ops.reduceSum(ops.stack(sums), undefined, { name: "total" });
  });
  g.withDevice("/cpu:0", () => {
    g.withDevice(undefined, () => ops.constant(g, "free"));
    g.withDevice("/job:worker", () => ops.constant(g, "both"));
  });
  ops.globalVariablesInitializer(g);
}

function s3(g: Graph): void {
  const x = ops.placeholder(g, "float32", [-1, 4], { name: "x" });
  const [w1, b1] = g.withDevice(
    "/job:ps/task:0",
    () =>
      [
        ops.variable(g, ops.randomNormal(g, [4, 8], { seed: 1 }), { name: "w1" }),
        ops.variable(g, ops.zeros(g, [8]), { name: "b1" }),
      ] as const,
  );
  const [w2, b2] = g.withDevice(
    "/job:ps/task:1",
    () =>
      [
        ops.variable(g, ops.truncatedNormal(g, [8, 2], { stddev: 0.1 }), { name: "w2" }),
        ops.variable(g, ops.zeros(g, [2]), { name: "b2" }),
      ] as const,
  );
  g.withDevice("/job:worker/task:0", () =>
    g.withNameScope("model", () => {
      const layer1 = ops.relu(ops.add(ops.matMul(x, w1.value), b1.value));
      const logits = g.withNameScope("top", () => ops.relu(ops.add(ops.matMul(layer1, w2.value), b2.value)));
      ops.softmax(logits, { name: "probabilities" });
      ops.argMax(logits, 1);
    }),
  );
  ops.globalVariablesInitializer(g);
}

function s4(g: Graph): void {
  const v = ops.variable(g, 0, { name: "var" });
  ops.assignAdd(v, 1);
  ops.assign(v, 2);
  ops.assignSub(v, v.value, { name: "down" });
  g.withDevice("/job:local/task:1", () => {
    const second = ops.variable(g, [[1, 2]], { name: "var2", kind: "resource" });
    ops.assignAdd(second, [[1, 1]]);
    ops.assign(second, [[2, 2]]);
  });
  ops.applyGradientDescent(v, 0.1, v.value);
  ops.globalVariablesInitializer(g);
}

function names(g: Graph): void {
  g.withNameScope("scope", () => {
    ops.constant(g, 1);
    ops.constant(g, 1);
    ops.constant(g, 1, { name: "Const_2" });
    ops.constant(g, 1, { name: "const" });
  });
  const again = g.withNameScope("scope", (scope) => {
    ops.constant(g, 1, { name: "a" });
    g.withNameScope("", () => ops.constant(g, 1, { name: "a" }));
    return scope;
  });
  g.withNameScope(again, () => ops.constant(g, 1, { name: "a" }));
  ops.constant(g, 1, { name: "Scope" });
}

function control(g: Graph): void {
  const a = ops.constant(g, 1, { name: "b_first" });
  const b = ops.constant(g, 2, { name: "a_second" });
  g.withControlDependencies([a, b], () => {
    const c = ops.constant(g, 3, { name: "c" });
    ops.add(a, c, { name: "dominated" });
    ops.add(a, a, { name: "partly" });
    g.withControlDependencies([c], () => {
      ops.noOp(g, { name: "nested" });
      g.withControlDependencies(undefined, () => ops.noOp(g, { name: "free" }));
    });
  });
  const d = g.withDevice("/job:worker/task:1", () => ops.noOp(g, { name: "elsewhere" }));
  ops.group(g, [a, d]);
  g.withColocation(d, () => ops.constant(g, 1, { name: "colocated" }));
}

function arrays(g: Graph): void {
  const p = ops.placeholder(g, "int32", [-1], { name: "p" });
  const q = ops.placeholder(g, "float32", undefined, { name: "q" });
  const half = ops.floorDivide(ops.size(p), 2);
  const halves = ops.split(p, ops.stack([half, ops.subtract(ops.size(p), half)]));
  const [first] = halves;
  if (!first) return;
  ops.reduceSum(first);
  ops.reduceSum(q);
  ops.reduceMean(q, 1);
  ops.reduceMax(p, [0], { keepDims: true });
  ops.concat(halves, 0);
  ops.reshape(p, [2, -1]);
  ops.cast(p, "float32");
  ops.identity(p);
  ops.square(q);
  ops.argMax(q, 1);
  ops.equal(p, p);
  ops.expandDims(p, 0);
  ops.transpose(ops.zeros(g, [2, 3]));
  ops.unstack(ops.ones(g, [2, 3]));
  ops.shape(p);
  ops.zeros(g, [2000]);
  ops.divide(q, 2);
  ops.negative(q);
  ops.constant(g, [true, false]);
  ops.constant(g, [[5, 6]], { dtype: "int64" });
  ops.constant(g, [1, 2], { dtype: "float16" });
  ops.constant(g, 1.5, { dtype: "bfloat16" });
  ops.constant(g, ["a", "b\u00ff"]);
  ops.constant(g, { re: 1, im: 2 }, { dtype: "complex64" });
  ops.constant(g, [1, 2], { dtype: "uint8" });
  ops.constant(g, [7], { dtype: "uint32" });
  ops.fill(g, [2, 2], 1);
  ops.biasAdd(ops.zeros(g, [2, 3]), [1, 2, 3]);
}

function random(g: Graph): void {
  ops.randomNormal(g, [2, 3]);
  ops.randomUniform(g, [2], { max: 10, seed: 3 });
  ops.randomUniform(g, [2], { min: -1, max: 1 });
  ops.truncatedNormal(g, [2], { stddev: 0.1 });
  ops.randomUniform(g, [2], { max: 5, dtype: "int32" });
}

function queues(g: Graph): void {
  const queue = ops.fifoQueue(g, 10, ["float32", "int32"], { shapes: [[], [2]], name: "q" });
  ops.enqueue(queue, [1, [1, 2]]);
  ops.dequeue(queue);
  ops.enqueueMany(queue, [[1], [[1, 2]]]);
  ops.dequeueMany(queue, 3);
  ops.queueSize(queue);
  ops.closeQueue(queue);
  ops.enqueue(ops.fifoQueue(g, 3, ["string"], { sharedName: "shared" }), ["a"]);
  ops.print("hello", [ops.constant(g, [1, 2], { dtype: "int32" })]);
}

function loop(g: Graph): void {
  ops.whileLoop(
    g,
    (i) => ops.less(i, 10),
    (i) => [ops.add(i, 1)],
    [ops.constant(g, 0, { dtype: "int32" })],
  );
}

export const programs: Readonly<Record<string, (graph: Graph) => void>> = {
  s1,
  s2,
  s3,
  s4,
  names,
  control,
  arrays,
  random,
  queues,
  loop,
};
