import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EngineName } from "../../worker-runtime/engines/server.js";
import { Server } from "../../worker-runtime/engines/server.js";
import { Graph, type Output } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import * as train from "../../worker-runtime/graph/training/index.js";
import type { Variable } from "../../worker-runtime/graph/variable.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";
import { type StartedCluster, startCluster } from "./portable/clusters.js";

const STEPS = 100;
const BATCH = 8;

interface Case {
  readonly name: string;
  /** The optimizer, with the counter of steps. */
  make(step: Variable): train.Optimizer;
  readonly python: string;
  readonly reference?: boolean;
}

const one = (name: string, python: string, make: Case["make"]): Case => ({ name, python, make });

const CASES: readonly Case[] = [
  one("gradient descent", "t.GradientDescentOptimizer(0.1)", () => new train.GradientDescentOptimizer(0.1)),
  one("momentum", "t.MomentumOptimizer(0.05, 0.9)", () => new train.MomentumOptimizer(0.05, 0.9)),
  one(
    "Nesterov's momentum",
    "t.MomentumOptimizer(0.05, 0.8, use_nesterov=True)",
    () => new train.MomentumOptimizer(0.05, 0.8, { useNesterov: true }),
  ),
  one("Adam", "t.AdamOptimizer(0.01)", () => new train.AdamOptimizer(0.01)),
  one(
    "AdamW",
    "AdamW(0.01, weight_decay=0.1, epsilon=1e-8)",
    () => new train.AdamWOptimizer(0.01, { weightDecay: 0.1 }),
  ),
  one("Adagrad", "t.AdagradOptimizer(0.1)", () => new train.AdagradOptimizer(0.1)),
  one(
    "RMSProp",
    "t.RMSPropOptimizer(0.005, momentum=0.5)",
    () => new train.RMSPropOptimizer(0.005, { momentum: 0.5 }),
  ),
  one(
    "centered RMSProp",
    "t.RMSPropOptimizer(0.005, centered=True)",
    () => new train.RMSPropOptimizer(0.005, { centered: true }),
  ),
  one(
    "Ftrl",
    "t.FtrlOptimizer(0.1, l1_regularization_strength=0.001, l2_regularization_strength=0.01)",
    () => new train.FtrlOptimizer(0.1, { l1RegularizationStrength: 0.001, l2RegularizationStrength: 0.01 }),
  ),
  one(
    "exponential decay",
    "t.GradientDescentOptimizer(t.exponential_decay(0.3, step, 7, 0.9, staircase=True))",
    (step) =>
      new train.GradientDescentOptimizer(train.exponentialDecay(0.3, step, 7, 0.9, { staircase: true })),
  ),
  one(
    "piecewise constant",
    "t.GradientDescentOptimizer(t.piecewise_constant(step, [10, 50], [0.3, 0.1, 0.02]))",
    (step) => new train.GradientDescentOptimizer(train.piecewiseConstant(step, [10, 50], [0.3, 0.1, 0.02])),
  ),
  // 32, because TensorFlow multiplies by the reciprocal of a constant, which is not exact of others.
  one(
    "polynomial decay in cycles",
    "t.GradientDescentOptimizer(t.polynomial_decay(0.3, step, 32, 0.01, power=2.0, cycle=True))",
    (step) =>
      new train.GradientDescentOptimizer(
        train.polynomialDecay(0.3, step, 32, { endLearningRate: 0.01, power: 2, cycle: true }),
      ),
  ),
  one(
    "cosine decay",
    "t.GradientDescentOptimizer(t.cosine_decay(0.3, step, 80, alpha=0.1))",
    (step) => new train.GradientDescentOptimizer(train.cosineDecay(0.3, step, 80, { alpha: 0.1 })),
  ),
  one(
    "inverse time decay",
    "t.GradientDescentOptimizer(t.inverse_time_decay(0.3, step, 8, 0.5))",
    (step) => new train.GradientDescentOptimizer(train.inverseTimeDecay(0.3, step, 8, 0.5)),
  ),
  one(
    "inverse time decay in stairs",
    "t.GradientDescentOptimizer(t.inverse_time_decay(0.3, step, 16, 0.5, staircase=True))",
    (step) =>
      new train.GradientDescentOptimizer(train.inverseTimeDecay(0.3, step, 16, 0.5, { staircase: true })),
  ),
  one(
    "natural exponential decay",
    "t.GradientDescentOptimizer(t.natural_exp_decay(0.3, step, 16, 0.2))",
    (step) => new train.GradientDescentOptimizer(train.naturalExpDecay(0.3, step, 16, 0.2)),
  ),
  one(
    "cosine decay with restarts",
    "t.GradientDescentOptimizer(t.cosine_decay_restarts(0.3, step, 16))",
    (step) => new train.GradientDescentOptimizer(train.cosineDecayRestarts(0.3, step, 16)),
  ),
  one(
    "cosine decay with lower restarts in even periods",
    "t.GradientDescentOptimizer(t.cosine_decay_restarts(0.3, step, 32, t_mul=1.0, m_mul=0.75, alpha=0.1))",
    (step) =>
      new train.GradientDescentOptimizer(
        train.cosineDecayRestarts(0.3, step, 32, { tMul: 1, mMul: 0.75, alpha: 0.1 }),
      ),
  ),
  one(
    "linear cosine decay",
    "t.GradientDescentOptimizer(t.linear_cosine_decay(0.3, step, 64, num_periods=1.5, alpha=0.1, beta=0.01))",
    (step) =>
      new train.GradientDescentOptimizer(
        train.linearCosineDecay(0.3, step, 64, { numPeriods: 1.5, alpha: 0.1, beta: 0.01 }),
      ),
  ),
  // Without noise, which differs from run to run.
  one(
    "noisy linear cosine decay",
    "t.GradientDescentOptimizer(t.noisy_linear_cosine_decay(0.3, step, 64, initial_variance=0.0))",
    (step) =>
      new train.GradientDescentOptimizer(train.noisyLinearCosineDecay(0.3, step, 64, { initialVariance: 0 })),
  ),
].flatMap((made) => [made, { ...made, name: `${made.name}, reference variables`, reference: true }]);

/** The same network, trained by stock Python. AdamW, which tf.compat.v1 lacks, is Adam behind the decay of Keras's. */
const PYTHON = `
import json, sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1
t = v1.train

class AdamW(t.AdamOptimizer):
    def __init__(self, rate, weight_decay, epsilon):
        super().__init__(rate, epsilon=epsilon, name="AdamW")
        self._share = rate * weight_decay
    def _after(self, gradient, var, apply):
        with tf.control_dependencies([gradient]):
            with tf.control_dependencies([v1.assign_sub(var, var * self._share)]):
                return apply()
    def _resource_apply_dense(self, gradient, var):
        return self._after(gradient, var, lambda: super(AdamW, self)._resource_apply_dense(gradient, var))
    def _apply_dense(self, gradient, var):
        return self._after(gradient, var, lambda: super(AdamW, self)._apply_dense(gradient, var))
    def _resource_apply_sparse(self, gradient, var, indices):
        return self._after(gradient, var, lambda: super(AdamW, self)._resource_apply_sparse(gradient, var, indices))
    def _apply_sparse(self, gradient, var):
        return self._after(gradient.values, var, lambda: super(AdamW, self)._apply_sparse(gradient, var))

random = np.random.default_rng(1)
steps, batch = json.loads(sys.argv[1])
first = {"table": random.normal(0, 0.5, (10, 4)), "w1": random.normal(0, 0.5, (4, 6)), "b1": np.zeros(6),
         "w2": random.normal(0, 0.5, (6, 3)), "b2": np.zeros(3)}
first = {name: value.astype(np.float32) for name, value in first.items()}
ids = random.integers(0, 9, (steps, batch)).astype(np.int32)
labels = (ids % 3).astype(np.int32)
out = {"first": {name: value.tolist() for name, value in first.items()}, "ids": ids.tolist(), "labels": labels.tolist(), "runs": []}
for case in json.load(sys.stdin):
    with tf.Graph().as_default():
        v = {name: v1.get_variable(name, initializer=value, use_resource=not case["reference"]) for name, value in first.items()}
        x, y = v1.placeholder(tf.int32, [None]), v1.placeholder(tf.int32, [None])
        hidden = tf.nn.relu(tf.matmul(tf.gather(v["table"], x), v["w1"]) + v["b1"])
        logits = tf.matmul(hidden, v["w2"]) + v["b2"]
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        step = v1.train.get_or_create_global_step()
        train = eval(case["python"]).minimize(loss, global_step=step)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            losses = [float(session.run([loss, train], {x: a, y: b})[0]) for a, b in zip(ids, labels)]
            out["runs"].append({"losses": losses, "variables": sorted(v.op.name for v in v1.global_variables()),
                "last": {n: session.run(o).tolist() for n, o in v.items()}, "step": int(session.run(step))})
print("RESULT " + json.dumps(out))
`;

interface Trained {
  readonly losses: readonly number[];
  readonly variables: readonly string[];
  readonly last: Readonly<Record<string, number[] | number[][]>>;
  readonly step: number;
}

interface FromPython {
  readonly first: Readonly<Record<string, number[] | number[][]>>;
  readonly ids: readonly number[][];
  readonly labels: readonly number[][];
  readonly runs: readonly Trained[];
}

interface Model {
  readonly graph: Graph;
  readonly ids: Output;
  readonly labels: Output;
  readonly loss: Output;
  readonly step: Variable;
  readonly trained: readonly Variable[];
}

/** Rows of a table, two layers, and the loss. */
function model(first: FromPython["first"], reference: boolean): Model {
  const graph = new Graph();
  const kind = reference ? "reference" : "resource";
  const made = (name: string) => {
    const value = Tensor.of(first[name] ?? [], "float32");
    const initializer = ops.constantInitializer(value);
    return ops.getVariable(graph, name, { shape: value.shape, initializer, kind });
  };
  const [table, w1, b1, w2, b2] = [made("table"), made("w1"), made("b1"), made("w2"), made("b2")];
  const ids = ops.placeholder(graph, "int32", [-1], { name: "ids" });
  const labels = ops.placeholder(graph, "int32", [-1], { name: "labels" });
  const rows = reference
    ? graph.op("GatherV2", [table.value, ids, 0])
    : graph.op("ResourceGather", [table.handle, ids], { dtype: "float32" });
  const hidden = ops.relu(ops.add(ops.matMul(rows, w1.value), b1.value));
  const logits = ops.add(ops.matMul(hidden, w2.value), b2.value);
  const losses = graph.op("SparseSoftmaxCrossEntropyWithLogits", [logits, labels]).output;
  const loss = ops.reduceMean(losses);
  return {
    graph,
    ids,
    labels,
    loss,
    step: train.getOrCreateGlobalStep(graph),
    trained: [table, w1, b1, w2, b2],
  };
}

function numbersOf(tensor: Tensor | undefined): number[] {
  return Array.from({ length: tensor?.size ?? 0 }, (_, at) => Number(tensor?.at(at)));
}

function expectClose(found: readonly number[], expected: readonly number[], tolerance: number): void {
  const wrong = expected.flatMap((value, i) =>
    Math.abs((found[i] ?? Number.NaN) - value) <= tolerance ? [] : [[i, found[i], value]],
  );
  expect([found.length, wrong]).toEqual([expected.length, []]);
}

describe.skipIf(peerMissing("tensorflow"))("training", () => {
  let python: FromPython;

  beforeAll(async () => {
    python = await tensorflowResult(PYTHON, {
      input: CASES.map((one) => ({ python: one.python, reference: one.reference ?? false })),
      args: [JSON.stringify([STEPS, BATCH])],
    });
  });

  describe.each<EngineName | "stock">(["portable", "tensorflow", "stock"])("on %s servers", (engine) => {
    let target = "";
    let server: Server | undefined;
    let cluster: StartedCluster | undefined;

    beforeAll(async () => {
      if (engine === "stock") {
        cluster = await startCluster({ worker: 1 }, () => "stock");
        target = cluster.target("worker/0");
        return;
      }
      server = await Server.createLocalServer(
        engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
      );
      target = server.target;
    });
    afterAll(async () => {
      await server?.stop();
      await cluster?.stop();
    });

    test.each(CASES.map((one, index) => ({ ...one, index })))(
      "$name: the losses of 100 steps are those of stock Python",
      async ({ make, reference = false, index }) => {
        const expected = python.runs[index];
        if (!expected) throw new Error("Python has not trained this.");
        const { graph, ids, labels, loss, step, trained } = model(python.first, reference);
        const minimize = make(step).minimize(loss, { globalStep: step });
        expect(
          ops
            .globalVariables(graph)
            .map(({ name }) => name)
            .sort(),
        ).toEqual(expected.variables);
        const session = new Session(target, { graph });
        try {
          await session.run([], { targets: [ops.globalVariablesInitializer(graph)] });
          const losses: number[] = [];
          for (let i = 0; i < STEPS; i++) {
            const feeds = new Map([
              [ids, Tensor.of(python.ids[i] ?? [], "int32")],
              [labels, Tensor.of(python.labels[i] ?? [], "int32")],
            ]);
            const { values } = await session.run([loss], { feeds, targets: [minimize] });
            losses.push(Number(values[0]?.item()));
          }
          expectClose(losses, expected.losses, 2e-4);
          const { values } = await session.run([...trained.map(({ value }) => value), step.value]);
          expect(Number(values.at(-1)?.item())).toBe(expected.step);
          for (const [i, { name }] of trained.entries()) {
            expectClose(numbersOf(values[i]), (expected.last[name] ?? []).flat(), 2e-3);
          }
        } finally {
          await session.close();
        }
      },
    );
  });
});
