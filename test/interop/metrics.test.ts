/** Metrics over several steps, compared with those of tf.compat.v1.metrics on the same data, on both engines. */
import { beforeAll, describe, expect, test } from "vitest";
import { type EngineName, Server } from "../../worker-runtime/engines/server.js";
import { Graph, type Output } from "../../worker-runtime/graph/graph.js";
import * as metrics from "../../worker-runtime/graph/metrics/index.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

/** The inputs of metrics, in two steps. No two predictions of a row are equal: the best ones are certain. */
const DATA = {
  x: [
    [
      [0.5, -1.25, 3, 0.25],
      [2, 0, -0.75, 1],
      [-1, 0.5, 1.5, 4],
    ],
    [[0.125, 1, 0.75, -2]],
  ],
  y: [
    [
      [0, 1, 0, 2],
      [1, 0.25, 0, -1],
      [3, 0, 1, 1],
    ],
    [[2, 0, 0, 1]],
  ],
  probabilities: [
    [
      [0.1, 0.9, 0.35, 1],
      [0, 0.6, 0.8, 0.2],
      [0.7, 0.45, 0.5, 0.3],
    ],
    [[0.55, 0.05, 0.95, 0.65]],
  ],
  truth: [
    [
      [0, 1, 0, 1],
      [0, 1, 1, 1],
      [1, 0, 1, 0],
    ],
    [[0, 0, 1, 1]],
  ],
  rows: [[[2], [0.5], [0]], [[3]]],
  some: [
    [
      [1, 0, 2, 1],
      [0, 0, 3, 1],
      [1, 0.5, 0, 2],
    ],
    [[1, 2, 0, 1]],
  ],
  classes: [[1, 2, 3], [1]],
  guesses: [[1, 0, 3], [3]],
  each: [[0.5, 2, 1], [4]],
  /** Several labels of a row: one twice, and one that is no class. */
  several: [
    [
      [2, 0],
      [3, 3],
      [1, 7],
    ],
    [[0, 1]],
  ],
} as const;

type Name = keyof typeof DATA;
type Inputs = Readonly<Record<Name, Output>>;
const INTEGERS: readonly string[] = ["classes", "guesses", "several"];

interface Case {
  /** An expression in Python with the inputs, `m` for tf.compat.v1.metrics, and `tf`. */
  readonly python: string;
  make(inputs: Inputs): metrics.Metric;
}

const CASES: readonly Case[] = [
  { python: "m.mean_absolute_error(y, x)", make: ({ x, y }) => metrics.meanAbsoluteError(y, x) },
  {
    python: "m.mean_absolute_error(y, x, weights=rows, name='errors')",
    make: ({ x, y, rows }) => metrics.meanAbsoluteError(y, x, { weights: rows, name: "errors" }),
  },
  {
    python: "m.mean_relative_error(y, x, y, weights=some)",
    make: ({ x, y, some }) => metrics.meanRelativeError(y, x, y, { weights: some }),
  },
  {
    python: "m.root_mean_squared_error(y, x, weights=some)",
    make: ({ x, y, some }) => metrics.rootMeanSquaredError(y, x, { weights: some }),
  },
  {
    python: "m.mean_cosine_distance(y, x, dim=1, weights=rows)",
    make: ({ x, y, rows }) => metrics.meanCosineDistance(y, x, 1, { weights: rows }),
  },
  {
    python: "m.percentage_below(x, 0.5, weights=some)",
    make: ({ x, some }) => metrics.percentageBelow(x, 0.5, { weights: some }),
  },
  { python: "m.percentage_below(x, 0.5)", make: ({ x }) => metrics.percentageBelow(x, 0.5) },
  {
    python: "m.mean_tensor(tf.reduce_sum(x, 0))",
    make: ({ x }) => metrics.meanTensor(ops.reduceSum(x, 0)),
  },
  {
    python: "m.mean_tensor(tf.reduce_sum(x, 0), weights=tf.reduce_sum(some, 0), name='each')",
    make: ({ x, some }) =>
      metrics.meanTensor(ops.reduceSum(x, 0), { weights: ops.reduceSum(some, 0), name: "each" }),
  },
  {
    python: "m.true_positives(truth, x > 0)",
    make: (i) => metrics.truePositives(i.truth, ops.greater(i.x, 0)),
  },
  {
    python: "m.true_negatives(truth, x > 0)",
    make: (i) => metrics.trueNegatives(i.truth, ops.greater(i.x, 0)),
  },
  {
    python: "m.false_positives(truth, x > 0, weights=some)",
    make: (i) => metrics.falsePositives(i.truth, ops.greater(i.x, 0), { weights: i.some }),
  },
  {
    python: "m.false_negatives(truth, x > 0, weights=rows, name='missed')",
    make: (i) => metrics.falseNegatives(i.truth, ops.greater(i.x, 0), { weights: i.rows, name: "missed" }),
  },
  ...(["true_positives", "true_negatives", "false_positives", "false_negatives"] as const).map(
    (kind): Case => ({
      python: `m.${kind}_at_thresholds(truth, probabilities, [0.3, 0.5, 0.8], weights=some)`,
      make: ({ truth, probabilities, some }) => {
        const functions = {
          true_positives: metrics.truePositivesAtThresholds,
          true_negatives: metrics.trueNegativesAtThresholds,
          false_positives: metrics.falsePositivesAtThresholds,
          false_negatives: metrics.falseNegativesAtThresholds,
        };
        return functions[kind](truth, probabilities, [0.3, 0.5, 0.8], { weights: some });
      },
    }),
  ),
  {
    python: "m.precision_at_thresholds(truth, probabilities, [0.2, 0.9])",
    make: (i) => metrics.precisionAtThresholds(i.truth, i.probabilities, [0.2, 0.9]),
  },
  {
    python: "m.recall_at_thresholds(truth, probabilities, [0.2, 0.9], weights=rows)",
    make: (i) => metrics.recallAtThresholds(i.truth, i.probabilities, [0.2, 0.9], { weights: i.rows }),
  },
  {
    python: "m.sensitivity_at_specificity(truth, probabilities, 0.7)",
    make: (i) => metrics.sensitivityAtSpecificity(i.truth, i.probabilities, 0.7),
  },
  {
    python: "m.specificity_at_sensitivity(truth, probabilities, 0.6, num_thresholds=10, weights=some)",
    make: (i) =>
      metrics.specificityAtSensitivity(i.truth, i.probabilities, 0.6, { numThresholds: 10, weights: i.some }),
  },
  { python: "m.auc(truth, probabilities)", make: (i) => metrics.auc(i.truth, i.probabilities) },
  {
    python: "m.auc(truth, probabilities, weights=some, num_thresholds=20, summation_method='minoring')",
    make: (i) =>
      metrics.auc(i.truth, i.probabilities, {
        ...{ weights: i.some, numThresholds: 20, summationMethod: "minoring" },
      }),
  },
  {
    python: "m.auc(truth, probabilities, curve='PR', summation_method='careful_interpolation', name='area')",
    make: (i) =>
      metrics.auc(i.truth, i.probabilities, {
        ...{ curve: "PR", summationMethod: "careful_interpolation", name: "area" },
      }),
  },
  {
    python:
      "m.auc(truth, probabilities, curve='PR', summation_method='majoring', thresholds=[0.8, 0.2, 0.5])",
    make: (i) =>
      metrics.auc(i.truth, i.probabilities, {
        ...{ curve: "PR", summationMethod: "majoring", thresholds: [0.8, 0.2, 0.5] },
      }),
  },
  { python: "m.mean_iou(classes, guesses, 4)", make: (i) => metrics.meanIou(i.classes, i.guesses, 4) },
  {
    python: "m.mean_iou(classes, guesses, 5, weights=each, name='iou')",
    make: (i) => metrics.meanIou(i.classes, i.guesses, 5, { weights: i.each, name: "iou" }),
  },
  {
    python: "m.mean_per_class_accuracy(classes, guesses, 4)",
    make: (i) => metrics.meanPerClassAccuracy(i.classes, i.guesses, 4),
  },
  {
    python: "m.mean_per_class_accuracy(classes, guesses, 4, weights=each)",
    make: (i) => metrics.meanPerClassAccuracy(i.classes, i.guesses, 4, { weights: i.each }),
  },
  { python: "m.recall_at_k(classes, x, 2)", make: (i) => metrics.recallAtK(i.classes, i.x, 2) },
  {
    python: "m.recall_at_k(several, x, 2, weights=each)",
    make: (i) => metrics.recallAtK(i.several, i.x, 2, { weights: i.each }),
  },
  {
    python: "m.recall_at_k(several, x, 3, class_id=1, name='ones')",
    make: (i) => metrics.recallAtK(i.several, i.x, 3, { classId: 1, name: "ones" }),
  },
  {
    python: "m.precision_at_k(several, x, 2)",
    make: (i) => metrics.precisionAtK(i.several, i.x, 2),
  },
  {
    python: "m.precision_at_k(several, x, 3, class_id=0, weights=each)",
    make: (i) => metrics.precisionAtK(i.several, i.x, 3, { classId: 0, weights: i.each }),
  },
  {
    python: "m.recall_at_top_k(classes, tf.cast(several, tf.int64))",
    make: (i) => metrics.recallAtTopK(i.classes, i.several),
  },
  {
    python: "m.precision_at_top_k(classes, tf.cast(several, tf.int64), k=2)",
    make: (i) => metrics.precisionAtTopK(i.classes, i.several, { k: 2 }),
  },
  {
    python: "m.average_precision_at_k(several, x, 3)",
    make: (i) => metrics.averagePrecisionAtK(i.several, i.x, 3),
  },
  {
    python: "m.average_precision_at_k(classes, x, 2, weights=each, name='average')",
    make: (i) => metrics.averagePrecisionAtK(i.classes, i.x, 2, { weights: i.each, name: "average" }),
  },
];

const PYTHON = `
import json, sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1

data, integers, cases = json.load(sys.stdin)
steps = [{k: np.asarray(v[i], np.int64 if k in integers else np.float32) for k, v in data.items()} for i in range(2)]

def plain(values):
    return [[str(n) for n in np.asarray(value, np.float64).flatten()] for value in values]

with tf.Graph().as_default(), v1.Session() as session:
    inputs = {k: v1.placeholder(v.dtype, [None, *v.shape[1:]], name=k) for k, v in steps[0].items()}
    made = [eval(python, {"tf": tf, "m": v1.metrics, **inputs}) for python in cases]
    session.run(v1.local_variables_initializer())
    values = [plain(session.run([update for _, update in made], {inputs[k]: v for k, v in step.items()})) for step in steps]
    values.append(plain(session.run([value for value, _ in made])))
    print("RESULT " + json.dumps({
        "names": [[t.op.name for t in one] for one in made],
        "values": values,
        "variables": [v.op.name for v in v1.local_variables()],
    }))
`;

interface FromPython {
  readonly names: readonly (readonly string[])[];
  /** The results of the updates of two steps, and of the values after them: by metric, all numbers. */
  readonly values: readonly (readonly (readonly string[])[])[];
  readonly variables: readonly string[];
}

function inputsOf(graph: Graph): Inputs {
  const made = Object.entries(DATA).map(([name, [first]]) => {
    const dtype = INTEGERS.includes(name) ? "int64" : "float32";
    const { shape } = Tensor.of(first, dtype);
    return [name, ops.placeholder(graph, dtype, [-1, ...shape.slice(1)], { name })] as const;
  });
  return Object.fromEntries(made) as Record<Name, Output>;
}

function isNear(found: number, text: string): boolean {
  if (text === "nan") return Number.isNaN(found);
  return Math.abs(found - Number(text)) <= 1e-5 * Math.max(1, Math.abs(Number(text)));
}

/** The scope that a node is in. A count is read and added to by nodes of other names than in Python. */
function scopeOf(name: string): string {
  return name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : name;
}

describe.skipIf(peerMissing("tensorflow"))("metrics as stock Python's", () => {
  let python: FromPython;

  beforeAll(async () => {
    python = await tensorflowResult(PYTHON, { input: [DATA, INTEGERS, CASES.map((one) => one.python)] });
  });

  test("their nodes are in the same scopes, their variables have the same names", () => {
    const graph = new Graph();
    const inputs = inputsOf(graph);
    const names = CASES.map(({ make }) => make(inputs).map(({ op }) => scopeOf(op.name)));
    expect(names).toEqual(python.names.map((all) => all.map(scopeOf)));
    expect(ops.localVariables(graph).map(({ name }) => name)).toEqual(python.variables);
  });

  test.each<EngineName>(["portable", "tensorflow"])("over two steps on the engine %s", async (engine) => {
    const server = await Server.createLocalServer(
      engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
    );
    const graph = new Graph();
    const inputs = inputsOf(graph);
    const made = CASES.map(({ make }) => make(inputs));
    const session = new Session(server.target, { graph });
    try {
      await session.run([], { targets: [ops.localVariablesInitializer(graph)] });
      const found: (readonly Tensor[])[] = [];
      for (const step of [0, 1] as const) {
        const feeds = new Map(
          Object.entries(DATA).map(([name, steps]) => {
            const input = inputs[name as Name];
            return [input, Tensor.of(steps[step], input.dtype)];
          }),
        );
        const run = await session.run(
          made.map(([, update]) => update),
          { feeds },
        );
        found.push(run.values);
      }
      found.push((await session.run(made.map(([value]) => value))).values);
      const wrong = CASES.flatMap((one, i) =>
        found.flatMap((values, step) => {
          const expected = python.values[step]?.[i] ?? [];
          const value = values[i];
          const numbers = Array.from({ length: value?.size ?? 0 }, (_, at) => Number(value?.at(at)));
          const isRight =
            numbers.length === expected.length &&
            numbers.every((number, at) => isNear(number, expected[at] ?? ""));
          return isRight ? [] : [[one.python, step, numbers, expected]];
        }),
      );
      expect(wrong).toEqual([]);
    } finally {
      await session.close();
      await server.stop();
    }
  });
});

describe("metrics refuse", () => {
  test("what they cannot compute, with the shape or number that is wrong", () => {
    const graph = new Graph();
    const { x, y, truth, probabilities, classes } = inputsOf(graph);
    expect(() => metrics.meanTensor(x)).toThrow("meanTensor must know the shape of x:0, which is [?, 4]");
    expect(() => metrics.auc(truth, probabilities, { numThresholds: 1 })).toThrow("from 2 on, not 1");
    expect(() => metrics.precisionAtThresholds(truth, probabilities, [])).toThrow("at least one threshold");
    expect(() => metrics.sensitivityAtSpecificity(truth, probabilities, 1.5)).toThrow("from 0 to 1, not 1.5");
    expect(() => metrics.recallAtK(classes, x, 0)).toThrow("k is an integer from 1 on, not 0");
    expect(() => metrics.recallAtTopK(ops.expandDims(y, -1), x)).toThrow("all but the last");
  });

  test("probabilities that are none, in the run", async () => {
    const server = await Server.createLocalServer({ engine: "portable" });
    const graph = new Graph();
    const { truth, probabilities } = inputsOf(graph);
    const [, update] = metrics.auc(truth, probabilities);
    const session = new Session(server.target, { graph });
    try {
      await session.run([], { targets: [ops.localVariablesInitializer(graph)] });
      const feeds = new Map([
        [truth, Tensor.of([[0, 1, 1, 0]], "float32")],
        [probabilities, Tensor.of([[0, 1, 1.5, 0]], "float32")],
      ]);
      await expect(session.run([update], { feeds })).rejects.toThrow("predictions must be in [0, 1]");
    } finally {
      await session.close();
      await server.stop();
    }
  });
});
