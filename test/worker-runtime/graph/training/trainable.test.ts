import { describe, expect, test } from "vitest";
import { Graph } from "../../../../worker-runtime/graph/graph.js";
import { initialValues } from "../../../../worker-runtime/graph/layers/index.js";
import * as ops from "../../../../worker-runtime/graph/ops/index.js";
import {
  batchTensors,
  gradientStates,
  makeTrainable,
  OPTIMIZERS,
  type Scheme,
  variablesOfGraph,
  workerGraph,
} from "../../../../worker-runtime/graph/training/trainable/index.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { trainBetweenGraph, type WorkerStep } from "../../../../worker-runtime/training/between-graph.js";

const WORKERS = [
  { job: "worker", index: 0 },
  { job: "worker", index: 1 },
];

/** A straight line through points, drawn without any device. */
function line(rows = 4) {
  const graph = new Graph();
  const x = ops.constant(
    graph,
    Array.from({ length: rows }, (_, at) => [at]),
    { dtype: "float32", name: "x" },
  );
  const y = ops.constant(
    graph,
    Array.from({ length: rows }, (_, at) => [2 * at]),
    { dtype: "float32", name: "y" },
  );
  const w = ops.variable(graph, [[0.5]], { name: "w" });
  const b = ops.variable(graph, [0], { name: "b" });
  ops.variable(graph, Tensor.of(1n, "int64"), { name: "count" });
  ops.variable(graph, [1], { name: "apart" });
  const error = ops.subtract(ops.add(ops.matMul(x, w.value), b.value), y);
  ops.reduceMean(ops.square(error), undefined, { name: "loss" });
  ops.reduceSum(ops.square(error), undefined, { name: "sum" });
  ops.reduceMean(ops.cast(ops.cast(error, "int32"), "float32"), undefined, { name: "rounded" });
  return graph;
}

function made(scheme: Scheme, graph = line(), loss = "loss:0", batch = ["x:0", "y:0"]) {
  const optimizer = OPTIMIZERS.find(({ name }) => name === "Momentum");
  return makeTrainable(graph.toGraphDef(), {
    ...{ loss, variables: ["w", "b"], scheme, workers: WORKERS, batch },
    parameterServers: [{ job: "ps", index: 0 }],
    optimizer: () => {
      if (!optimizer) throw new Error("There is no Momentum.");
      return optimizer.make({ learningRate: 0.1, momentum: 0.9, nesterov: false });
    },
  });
}

describe("making a graph trainable", () => {
  test.each<Scheme>(["single", "in-graph", "async", "sync", "ring"])("adds nodes only: %s", (scheme) => {
    const graph = line();
    const before = JSON.stringify([...graph.toGraphDef().node.map(({ name }) => name)]);
    const { added, plan } = made(scheme, graph);
    expect(JSON.stringify([...graph.toGraphDef().node.map(({ name }) => name)])).toBe(before);
    const names = added.map(({ name }) => name);
    expect(names).toContain(plan.train);
    expect(names).toContain(plan.init);
    const others = names.filter((name) => !name.startsWith("train/"));
    // The counter, and the slots under TensorFlow's names, so that checkpoints are the same.
    expect(
      others.filter((name) => !/^(global_step|(w|b|train\/worker_1\/[wb])\/Momentum)(\/|$)/.test(name)),
    ).toEqual([]);
  });

  test("for one machine nothing of the graph changes", () => {
    expect(made("single").pinned.size).toBe(0);
  });

  test("variables without a device go to the parameter servers, of a ring to the first worker", () => {
    expect(made("sync").pinned.get("w")).toBe("/job:ps/task:0");
    expect(made("ring").pinned.get("w")).toBe("/job:worker/task:0");
  });

  test("replicas are on their workers", () => {
    const { added } = made("in-graph");
    const matMuls = added.filter(({ op, name }) => op === "MatMul" && /worker_\d\/MatMul$/.test(name));
    expect(matMuls.map(({ device }) => device)).toEqual(["/job:worker/task:0", "/job:worker/task:1"]);
  });

  test("the replicas' gradients of a sum are added, not averaged", () => {
    const divisions = (loss: string) =>
      made("in-graph", line(), loss).added.filter(
        ({ op, name }) => op === "RealDiv" && name.startsWith("train/mean"),
      ).length;
    expect(divisions("loss:0")).toBe(2);
    expect(divisions("sum:0")).toBe(0);
  });

  test("examples that cannot be divided evenly are refused", () => {
    expect(() => made("in-graph", line(3))).toThrow(
      "x:0 has 3 rows, which cannot be divided evenly among 2 workers.",
    );
    expect(() => made("ring", line(), "loss:0", [])).toThrow("Choose the tensors that hold the examples");
  });

  test("says which variables a loss trains, and why not the others", () => {
    const graphDef = line().toGraphDef();
    expect(Object.fromEntries(gradientStates(graphDef, "loss:0"))).toEqual({
      w: { kind: "ok" },
      b: { kind: "ok" },
      count: { kind: "not-float" },
      apart: { kind: "unused" },
    });
    expect(gradientStates(graphDef, "rounded:0").get("w")).toEqual({ kind: "no-path" });
  });

  test("finds the tensors that hold examples", () => {
    const graph = line();
    const { variables } = variablesOfGraph(graph);
    expect(
      batchTensors(graph.tensor("loss:0"), variables).map(({ tensor, rows, suggested }) => [
        tensor.name,
        rows,
        suggested,
      ]),
    ).toEqual([
      ["y:0", 4, true],
      ["x:0", 4, true],
    ]);
  });

  test("every optimizer is made with its first values", () => {
    for (const { name, fields, make } of OPTIMIZERS) {
      const values = initialValues({ name, description: "", fields, build: () => new Map() });
      expect(make(values).name).toBe(name);
    }
  });
});

test("the graph of a worker has its computation there, and variables where they were", () => {
  const graph = line();
  const { added, pinned, plan } = made("sync", graph);
  const source = graph.toGraphDef();
  const node = [...source.node, ...added].map((one) => ({
    ...one,
    device: pinned.get(one.name) ?? one.device,
  }));
  const devices = new Map(
    workerGraph({ ...source, node }, { job: "worker", index: 1 }, 1).node.map((one) => [
      one.name,
      one.device,
    ]),
  );
  expect(devices.get("MatMul")).toBe("/job:worker/task:1");
  expect(devices.get("w")).toBe("/job:ps/task:0");
  expect(devices.get("w/Momentum")).toBe("/job:ps/task:0");
  expect(devices.get(plan.train)).not.toContain("task:1");
});

describe("steps of between-graph replication", () => {
  const plan = made("async").plan;

  /** A worker whose step waits until it is told to end. */
  function worker() {
    const open: { resolve: () => void; reject: (error: Error) => void }[] = [];
    const begun: (() => void)[] = [];
    return {
      session: {
        run: (fetches: readonly unknown[]) =>
          new Promise<never>((resolve, reject) => {
            const values = fetches.map((_, at) => Tensor.of(BigInt(at), "int64"));
            open.push({ resolve: () => resolve({ values } as never), reject });
            begun.shift()?.();
          }),
      },
      /** Resolves once a step has begun. */
      async step() {
        while (open.length === 0) await new Promise<void>((resolve) => begun.push(resolve));
        const next = open.shift();
        if (!next) throw new Error("No step has begun.");
        return next;
      },
    };
  }

  test("a batch of a lost worker is taken by another", async () => {
    const [first, second] = [worker(), worker()];
    const steps: WorkerStep[] = [];
    const lost: number[] = [];
    const training = trainBetweenGraph({
      ...{ plan, sessions: [first.session, second.session], fetches: [], steps: 3 },
      onStep: (step) => void steps.push(step),
      goesOnWithout: async (number) => lost.push(number) > 0,
    });
    (await second.step()).reject(new Error("lost"));
    for (let number = 0; number < 3; number++) (await first.step()).resolve();
    await training;
    expect(lost).toEqual([1]);
    expect(steps.map(({ number }) => number).sort()).toEqual([1, 2, 3]);
  });

  test("the last worker's error ends the training", async () => {
    const only = worker();
    const training = trainBetweenGraph({
      ...{ plan, sessions: [only.session], fetches: [], steps: 3 },
      onStep: () => undefined,
      goesOnWithout: async () => true,
    });
    const ended = expect(training).rejects.toThrow("gone");
    (await only.step()).reject(new Error("gone"));
    await ended;
  });
});
