/** Losses, metrics and layers as functions: what they compute, against tf.compat.v1 with the same inputs. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EngineName, Server } from "../../worker-runtime/engines/server.js";
import { clipByGlobalNorm, clipByNorm, clipByValue } from "../../worker-runtime/graph/gradients/clipping.js";
import { denseGradient } from "../../worker-runtime/graph/gradients/gradient.js";
import { gradients } from "../../worker-runtime/graph/gradients/gradients.js";
import { Graph, Operation, type Output } from "../../worker-runtime/graph/graph.js";
import * as layers from "../../worker-runtime/graph/layer-functions/index.js";
import * as losses from "../../worker-runtime/graph/losses/index.js";
import * as metrics from "../../worker-runtime/graph/metrics/index.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

const { Reduction } = losses;

/** The inputs of cases; 0.5 and 1 are where losses change their form. */
const DATA = {
  x: [
    [0.5, -1.25, 3],
    [2, 0, -0.75],
  ],
  labels: [
    [0, 1, 0],
    [1, 0.25, 0],
  ],
  classes: [1, 2],
  /** Weights of each row of x. */
  rows: [[2], [0.5]],
  /** Weights of each element of x. */
  some: [
    [1, 0, 2],
    [0, 0, 3],
  ],
  deep: [
    [
      [1, 2],
      [0, -1],
    ],
  ],
} as const;

type Inputs = Readonly<Record<keyof typeof DATA, Output>>;

/** Placeholders of unknown batch size, so that nothing is computed before the run. */
function inputsOf(graph: Graph): Inputs {
  const made = Object.entries(DATA).map(([name, value]) => {
    const { shape } = Tensor.of(value);
    const dtype = name === "classes" ? "int32" : "float32";
    return [name, ops.placeholder(graph, dtype, [-1, ...shape.slice(1)], { name })] as const;
  });
  return Object.fromEntries(made) as Record<keyof typeof DATA, Output>;
}

interface Case {
  /** An expression in Python with the inputs, `v1` and `tf`: a tensor, or several. */
  readonly python: string;
  make(inputs: Inputs): Output | readonly Output[];
}

const LOSSES: readonly Case[] = [
  {
    python: "v1.losses.mean_squared_error(labels, x)",
    make: ({ labels, x }) => losses.meanSquaredError(labels, x),
  },
  {
    python: "v1.losses.absolute_difference(labels, x, weights=rows)",
    make: ({ labels, x, rows }) => losses.absoluteDifference(labels, x, { weights: rows }),
  },
  {
    python: "v1.losses.huber_loss(labels, x, weights=some)",
    make: ({ labels, x, some }) => losses.huberLoss(labels, x, { weights: some }),
  },
  {
    python:
      "v1.losses.huber_loss(labels, x, delta=0.5, scope='huber', reduction='weighted_mean', weights=rows)",
    make: ({ labels, x, rows }) =>
      losses.huberLoss(labels, x, { delta: 0.5, scope: "huber", reduction: Reduction.MEAN, weights: rows }),
  },
  {
    python: "v1.losses.mean_squared_error(labels, x, weights=0.0)",
    make: ({ labels, x }) => losses.meanSquaredError(labels, x, { weights: 0 }),
  },
  {
    python: "v1.losses.mean_squared_error(labels, x, weights=some, reduction='weighted_sum_over_batch_size')",
    make: ({ labels, x, some }) =>
      losses.meanSquaredError(labels, x, { weights: some, reduction: Reduction.SUM_OVER_BATCH_SIZE }),
  },
  {
    python: "v1.losses.sigmoid_cross_entropy(labels, x, weights=2.0, reduction='weighted_sum')",
    make: ({ labels, x }) => losses.sigmoidCrossEntropy(labels, x, { weights: 2, reduction: Reduction.SUM }),
  },
  {
    python:
      "v1.losses.sigmoid_cross_entropy(labels, x, label_smoothing=0.2, reduction='none', loss_collection=None)",
    make: ({ labels, x }) =>
      losses.sigmoidCrossEntropy(labels, x, {
        labelSmoothing: 0.2,
        reduction: Reduction.NONE,
        lossCollection: null,
      }),
  },
  {
    python: "v1.losses.softmax_cross_entropy(labels, x)",
    make: ({ labels, x }) => losses.softmaxCrossEntropy(labels, x),
  },
  {
    python: "v1.losses.softmax_cross_entropy(labels, x, label_smoothing=0.1, weights=tf.squeeze(rows, [-1]))",
    make: ({ labels, x, rows }) =>
      losses.softmaxCrossEntropy(labels, x, { labelSmoothing: 0.1, weights: ops.squeeze(rows, [-1]) }),
  },
  {
    python: "v1.losses.softmax_cross_entropy(deep, deep, reduction='none', loss_collection=None)",
    make: ({ deep }) =>
      losses.softmaxCrossEntropy(deep, deep, { reduction: Reduction.NONE, lossCollection: null }),
  },
  {
    python: "v1.losses.sparse_softmax_cross_entropy(classes, x)",
    make: ({ classes, x }) => losses.sparseSoftmaxCrossEntropy(classes, x),
  },
  {
    python: "v1.losses.sparse_softmax_cross_entropy(tf.expand_dims(classes, 1), x, weights=rows)",
    make: ({ classes, x, rows }) =>
      losses.sparseSoftmaxCrossEntropy(ops.expandDims(classes, 1), x, { weights: rows }),
  },
  {
    python: "v1.losses.hinge_loss(labels, x, weights=rows)",
    make: ({ labels, x, rows }) => losses.hingeLoss(labels, x, { weights: rows }),
  },
  {
    python: "v1.losses.log_loss(labels, tf.sigmoid(x))",
    make: ({ labels, x }) => losses.logLoss(labels, ops.sigmoid(x)),
  },
  {
    python: "v1.losses.log_loss(labels, tf.sigmoid(x), epsilon=0.1, weights=some, reduction='weighted_mean')",
    make: ({ labels, x, some }) =>
      losses.logLoss(labels, ops.sigmoid(x), { epsilon: 0.1, weights: some, reduction: Reduction.MEAN }),
  },
  {
    python: "v1.losses.cosine_distance(labels, x, axis=1, weights=rows)",
    make: ({ labels, x, rows }) => losses.cosineDistance(labels, x, 1, { weights: rows }),
  },
  {
    python: "v1.losses.cosine_distance(labels, x, axis=0, reduction='weighted_sum')",
    make: ({ labels, x }) => losses.cosineDistance(labels, x, 0, { reduction: Reduction.SUM }),
  },
  {
    python: "v1.losses.mean_pairwise_squared_error(labels, x)",
    make: ({ labels, x }) => losses.meanPairwiseSquaredError(labels, x),
  },
  {
    python: "v1.losses.mean_pairwise_squared_error(labels, x, weights=rows, scope='pairs')",
    make: ({ labels, x, rows }) =>
      losses.meanPairwiseSquaredError(labels, x, { weights: rows, scope: "pairs" }),
  },
  {
    python: "v1.losses.mean_pairwise_squared_error(labels, x, weights=0.0, loss_collection=None)",
    make: ({ labels, x }) => losses.meanPairwiseSquaredError(labels, x, { weights: 0, lossCollection: null }),
  },
  {
    python:
      "[v1.losses.mean_squared_error(labels, x), v1.losses.huber_loss(labels, x, loss_collection=None), " +
      "v1.losses.absolute_difference(labels, x), v1.losses.get_total_loss()]",
    make: ({ labels, x }) => {
      const squares = losses.meanSquaredError(labels, x);
      const apart = losses.huberLoss(labels, x, { lossCollection: null });
      return [squares, apart, losses.absoluteDifference(labels, x), losses.getTotalLoss(Graph.of(x))];
    },
  },
];

const CLIPPING: readonly Case[] = [
  {
    python: "v1.clip_by_value(x, -1.0, [0.5, 1.0, 2.0])",
    make: ({ x }) => clipByValue(x, -1, [0.5, 1, 2]),
  },
  { python: "tf.clip_by_norm(x, 2.0)", make: ({ x }) => clipByNorm(x, 2) },
  { python: "tf.clip_by_norm(x, 100.0)", make: ({ x }) => clipByNorm(x, 100) },
  { python: "tf.clip_by_norm(x * 0.0, 1.0)", make: ({ x }) => clipByNorm(ops.multiply(x, 0), 1) },
  {
    python: "tf.clip_by_norm(x, rows[0, 0], axes=[1])",
    make: ({ x, rows }) => clipByNorm(x, ops.reduceMax(rows), { axes: [1] }),
  },
  {
    python: "[t for t in flat(tf.clip_by_global_norm([x, None, rows], 1.5))]",
    make: ({ x, rows }) => {
      const [clipped, norm] = clipByGlobalNorm([x, undefined, rows], 1.5);
      return [...clipped.filter((one) => one !== undefined), norm];
    },
  },
  {
    python: "tf.clip_by_global_norm([x, rows], 1.5, use_norm=tf.constant(float('inf')))[0]",
    make: ({ x, rows }) => {
      const useNorm = ops.constant(Graph.of(x), Number.POSITIVE_INFINITY);
      return clipByGlobalNorm([x, rows], 1.5, { useNorm })[0];
    },
  },
  {
    python:
      "[tf.convert_to_tensor(t) for t in flat(tf.clip_by_global_norm(" +
      "tf.gradients(tf.reduce_sum(tf.gather(x, [1, 1]) ** 2), x), 1.0))]",
    make: ({ x }) => {
      const gathered = Graph.of(x).op("GatherV2", [x, [1, 1], 0]).output;
      const [clipped, norm] = clipByGlobalNorm(gradients(ops.reduceSum(ops.square(gathered)), [x]), 1);
      return [...clipped.filter((one) => one !== undefined).map(denseGradient), norm];
    },
  },
];

const CASES = [...LOSSES, ...CLIPPING];

interface MetricCase {
  readonly python: string;
  make(inputs: Inputs): metrics.Metric;
}

const METRICS: readonly MetricCase[] = [
  { python: "v1.metrics.mean(x)", make: ({ x }) => metrics.mean(x) },
  {
    python: "v1.metrics.mean(x, weights=tf.squeeze(rows, [-1]), name='weighted')",
    make: ({ x, rows }) => metrics.mean(x, { weights: ops.squeeze(rows, [-1]), name: "weighted" }),
  },
  {
    python: "v1.metrics.accuracy(classes, tf.argmax(x, 1))",
    make: ({ x, classes }) => metrics.accuracy(classes, ops.argMax(x, 1)),
  },
  {
    python: "v1.metrics.accuracy(tf.expand_dims(classes, 1), tf.argmax(x, 1), weights=rows)",
    make: ({ x, classes, rows }) =>
      metrics.accuracy(ops.expandDims(classes, 1), ops.argMax(x, 1), { weights: rows }),
  },
  {
    python: "v1.metrics.mean_squared_error(labels, x, weights=some)",
    make: ({ labels, x, some }) => metrics.meanSquaredError(labels, x, { weights: some }),
  },
  {
    python: "v1.metrics.precision(labels, x > 0.0)",
    make: ({ labels, x }) => metrics.precision(labels, ops.greater(x, 0)),
  },
  {
    python: "v1.metrics.precision(labels, x * 0.0)",
    make: ({ labels, x }) => metrics.precision(labels, ops.multiply(x, 0)),
  },
  {
    python: "v1.metrics.recall(labels, x, weights=rows)",
    make: ({ labels, x, rows }) => metrics.recall(labels, x, { weights: rows }),
  },
];

const PYTHON = `
import json, sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1

def flat(nested):
    return [t for t in tf.nest.flatten(nested) if t is not None]

def plain(value):
    return {"shape": list(value.shape), "values": [str(v) for v in np.asarray(value, np.float64).flatten()]}

data, cases, metrics = json.load(sys.stdin)
fed = {k: np.asarray(v, np.int32 if k == "classes" else np.float32) for k, v in data.items()}

def inputs_of():
    return {k: v1.placeholder(v.dtype, [None, *v.shape[1:]], name=k) for k, v in fed.items()}

def computed():
    with tf.Graph().as_default(), v1.Session() as session:
        inputs = inputs_of()
        made = [eval(python, {"tf": tf, "v1": v1, "flat": flat, **inputs}) for python in cases]
        made = [one if isinstance(one, list) else [one] for one in made]
        names = [[t.op.name for t in one] for one in made]
        gradients = [tf.gradients(one[0], inputs["x"])[0] for one in made]
        fetches = [one + ([] if gradient is None else [tf.convert_to_tensor(gradient)]) for one, gradient in zip(made, gradients)]
        values = session.run(fetches, {inputs[k]: v for k, v in fed.items()})
        return {"cases": [{"names": n, "values": [plain(v) for v in all]} for n, all in zip(names, values)],
            "collected": [t.op.name for t in v1.losses.get_losses()]}

def counted():
    with tf.Graph().as_default(), v1.Session() as session:
        inputs = inputs_of()
        made = [eval(python, {"tf": tf, "v1": v1, **inputs}) for python in metrics]
        session.run(v1.local_variables_initializer())
        updates = [update for _, update in made]
        # The second batch has one example.
        steps = [session.run(updates, {inputs[k]: v[:rows] for k, v in fed.items()}) for rows in (2, 1)]
        steps.append(session.run([value for value, _ in made]))
        names = lambda collection: [v.op.name for v in v1.get_collection(collection)]
        return {"names": [[t.op.name for t in one] for one in made], "steps": np.asarray(steps, np.float64).tolist(),
            "local": names("local_variables"), "metric": names("metric_variables"), "global": names("variables")}

def waves(*shape):
    return np.sin(np.arange(np.prod(shape))).reshape(shape).astype(np.float32)

# tf.compat.v1.layers is not there with Keras 3: what it computed, from the same variables.
def layered():
    with tf.Graph().as_default(), v1.Session() as session:
        images = v1.placeholder(tf.float32, [None, 6, 6, 2])
        x = tf.nn.relu(tf.nn.conv2d(images, waves(3, 3, 2, 3), 1, "SAME") + waves(3))
        normal, mean, variance = v1.nn.fused_batch_norm(x, tf.ones(3), tf.zeros(3), epsilon=1e-3)[:3]
        moving = [0.1 * mean, 1 - (1 - variance) * 0.1]
        used = tf.nn.batch_normalization(x, moving[0], moving[1], tf.zeros(3), tf.ones(3), 1e-3)
        pooled = tf.reshape(v1.nn.max_pool(normal, 2, 2, "VALID"), [-1, 27])
        hidden = v1.nn.dropout(pooled @ waves(27, 4), rate=0.25, seed=7)
        logits = tf.tensordot(tf.reshape(hidden, [-1, 2, 2]), waves(2, 3), 1)
        gradient = tf.gradients(logits ** 2, images)[0]
        return [plain(v) for v in session.run([logits, gradient, *moving, used], {images: waves(2, 6, 6, 2)})]

print("RESULT " + json.dumps({**computed(), "metrics": counted(), "layers": layered()}))
`;

interface Flat {
  readonly shape: readonly number[];
  readonly values: readonly string[];
}

interface FromPython {
  readonly cases: readonly {
    readonly names: readonly string[];
    /** The values of the tensors, and of the gradient of the first one with respect to x, if it has one. */
    readonly values: readonly Flat[];
  }[];
  readonly collected: readonly string[];
  /** The logits, their gradient, the moving statistics, and what is normalized by these. */
  readonly layers: readonly Flat[];
  readonly metrics: {
    readonly names: readonly (readonly string[])[];
    /** Two steps of the updates, and the values after them. */
    readonly steps: readonly (readonly number[])[];
    readonly local: readonly string[];
    readonly metric: readonly string[];
    readonly global: readonly string[];
  };
}

/**
 * Within the rounding of float32: of each value, and of the largest one, as what becomes small by subtraction has the
 * error of what it was computed from. TensorFlow's fused and separate normalization differ as much.
 */
function expectEqual(found: Tensor | undefined, expected: Flat): void {
  expect(found?.shape).toEqual(expected.shape);
  const finite = expected.values.map((text) => Math.abs(Number(text))).filter(Number.isFinite);
  const ofLargest = 1e-6 * Math.max(0, ...finite);
  const numbers = Array.from({ length: found?.size ?? 0 }, (_, at) => Number(found?.at(at)));
  const wrong = expected.values.flatMap((text, i) => {
    const [ours, theirs] = [numbers[i] ?? 0, text === "nan" ? Number.NaN : Number(text)];
    const isNear = Math.abs(ours - theirs) <= Math.max(ofLargest, 1e-5 * Math.max(1, Math.abs(theirs)));
    return isNear || (Number.isNaN(ours) && Number.isNaN(theirs)) || ours === theirs ? [] : [[i, ours, text]];
  });
  expect([numbers.length, wrong]).toEqual([expected.values.length, []]);
}

/** Numbers that Python makes in the same way, no two of them equal, so that each pool has one largest. */
function waves(shape: readonly number[]): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  const numbers = Float32Array.from({ length: count }, (_, i) => Math.sin(i));
  return Tensor.of(numbers, "float32", shape);
}

/** The data, or its first examples only, for the inputs. */
function feedsOf(inputs: Inputs, examples?: number): Map<Output, Tensor> {
  return new Map(
    Object.entries(DATA).map(([name, value]) => {
      const input = inputs[name as keyof Inputs];
      return [input, Tensor.of(value.slice(0, examples), input.dtype)];
    }),
  );
}

describe.skipIf(peerMissing("tensorflow"))("computed as by stock Python:", () => {
  let python: FromPython;

  beforeAll(async () => {
    const codes = [CASES, METRICS].map((cases) => cases.map((one) => one.python));
    python = await tensorflowResult(PYTHON, { input: [DATA, ...codes] });
  });

  describe.each<EngineName>(["portable", "tensorflow"])("on the engine %s", (engine) => {
    let server: Server;

    beforeAll(async () => {
      server = await Server.createLocalServer(
        engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
      );
    });
    afterAll(() => server.stop());

    describe("losses and clipping", () => {
      let names: readonly (readonly string[])[] = [];
      let collected: readonly string[] = [];
      let found: readonly (readonly Tensor[])[] = [];

      // All in one graph and one step, as Python has them.
      beforeAll(async () => {
        const graph = new Graph();
        const inputs = inputsOf(graph);
        const made = CASES.map(({ make }) => [make(inputs)].flat());
        names = made.map((all) => all.map(({ op }) => op.name));
        collected = losses.getLosses(graph).map(({ op }) => op.name);
        const fetches = made.map((all) => {
          const [gradient] = all[0] ? gradients(all[0], [inputs.x]) : [];
          return gradient ? [...all, denseGradient(gradient)] : all;
        });
        const session = new Session(server.target, { graph });
        try {
          const { values } = await session.run(fetches.flat(), { feeds: feedsOf(inputs) });
          const rest = [...values];
          found = fetches.map(({ length }) => rest.splice(0, length));
        } finally {
          await session.close();
        }
      });

      test.each(CASES.map((one, index) => ({ ...one, index })))("$python", ({ index }) => {
        const expected = python.cases[index];
        if (index < LOSSES.length) expect(names[index]).toEqual(expected?.names);
        expect(found[index]).toHaveLength(expected?.values.length ?? 0);
        for (const [i, one] of (expected?.values ?? []).entries()) expectEqual(found[index]?.[i], one);
      });

      test("losses are in their collection", () => {
        expect(collected).toEqual(python.collected);
      });
    });

    test("metrics over two steps, in local variables", async () => {
      const graph = new Graph();
      const inputs = inputsOf(graph);
      const made = METRICS.map(({ make }) => make(inputs));
      const expected = python.metrics;
      expect(made.map((metric) => metric.map(({ op }) => op.name))).toEqual(expected.names);
      expect(ops.localVariables(graph).map(({ name }) => name)).toEqual(expected.local);
      expect(graph.collection(ops.GraphKeys.METRIC_VARIABLES)).toEqual(ops.localVariables(graph));
      expect(expected.metric).toEqual(expected.local);
      expect(ops.globalVariables(graph).map(({ name }) => name)).toEqual(expected.global);
      const session = new Session(server.target, { graph });
      const numbers = async (fetches: readonly Output[], feeds?: Map<Output, Tensor>) => {
        const { values } = await session.run(fetches, { feeds });
        return values.map((value) => Number(value.item()));
      };
      try {
        await session.run([], { targets: [ops.localVariablesInitializer(graph)] });
        const updates = made.map(([, update]) => update);
        const steps = [
          await numbers(updates, feedsOf(inputs)),
          await numbers(updates, feedsOf(inputs, 1)),
          await numbers(made.map(([value]) => value)),
        ];
        const wrong = METRICS.flatMap((one, i) =>
          steps.every((step, at) => Math.abs((step[i] ?? Number.NaN) - (expected.steps[at]?.[i] ?? 0)) < 1e-5)
            ? []
            : [[one.python, steps.map((step) => step[i]), expected.steps.map((step) => step[i])]],
        );
        expect(wrong).toEqual([]);
      } finally {
        await session.close();
      }
    });

    test("layers, with the names of variables that tf.compat.v1.layers gives", async () => {
      const graph = new Graph();
      const images = ops.placeholder(graph, "float32", [-1, 6, 6, 2]);
      const from = (...shape: number[]) => ops.constantInitializer(waves(shape));
      const convolved = layers.conv2d(images, 3, 3, {
        padding: "same",
        activation: ops.relu,
        kernelInitializer: from(3, 3, 2, 3),
        biasInitializer: from(3),
      });
      const normal = layers.batchNormalization(convolved, { momentum: 0.9, training: true });
      const pooled = layers.flatten(layers.maxPooling2d(normal, 2, 2));
      const sums = layers.dense(pooled, 4, { useBias: false, kernelInitializer: from(27, 4) });
      const hidden = layers.dropout(sums, { rate: 0.25, seed: 7, training: true });
      const pairs = ops.reshape(hidden, [-1, 2, 2]);
      const logits = layers.dense(pairs, 3, { kernelInitializer: from(2, 3) });
      const used = layers.batchNormalization(convolved, { name: "batch_normalization", reuse: true });
      expect(layers.dropout(used).shape).toEqual([-1, 6, 6, 3]);
      expect(ops.globalVariables(graph).map(({ name }) => name)).toEqual([
        ...["conv2d/kernel", "conv2d/bias", "batch_normalization/gamma", "batch_normalization/beta"],
        ...["batch_normalization/moving_mean", "batch_normalization/moving_variance"],
        ...["dense/kernel", "dense_1/kernel", "dense_1/bias"],
      ]);
      const moving = ops.globalVariables(graph).filter(({ name }) => name.includes("moving"));
      expect(ops.trainableVariables(graph)).toHaveLength(7);
      const updates = graph.collection(ops.GraphKeys.UPDATE_OPS).filter((one) => one instanceof Operation);
      expect(updates).toHaveLength(2);
      const [gradient] = gradients(ops.square(logits), [images]);
      if (!gradient) throw new Error("The logits do not depend on the images.");
      const feeds = new Map([[images, waves([2, 6, 6, 2])]]);
      const session = new Session(server.target, { graph });
      try {
        await session.run([], { targets: [ops.globalVariablesInitializer(graph)] });
        const trained = await session.run([logits, denseGradient(gradient)], { feeds, targets: updates });
        const after = await session.run([...moving.map(({ value }) => value), used], { feeds });
        const found = [...trained.values, ...after.values];
        expect(found).toHaveLength(python.layers.length);
        for (const [i, one] of python.layers.entries()) expectEqual(found[i], one);
      } finally {
        await session.close();
      }
    });

    test("layers are counted by variable scope", () => {
      const graph = new Graph();
      const x = ops.placeholder(graph, "float32", [-1, 2]);
      for (const scope of ["a", "b"])
        ops.variableScope(graph, scope, () => layers.dense(x, 1, { useBias: false }));
      expect(ops.globalVariables(graph).map(({ name }) => name)).toEqual([
        "a/dense/kernel",
        "b/dense/kernel",
      ]);
      expect(() => layers.conv2d(x, 1, 3)).toThrow("conv2d takes 4 dimensions");
    });

    test("weights that do not suit are refused, at once or in a run", async () => {
      const graph = new Graph();
      const { x, labels } = inputsOf(graph);
      expect(() => losses.meanSquaredError(labels, x, { weights: [1, 2] })).toThrow(
        "have shape [2], the values mean_squared_error/SquaredDifference:0 [?, 3].",
      );
      const weights = ops.placeholder(graph, "float32", [-1, 1]);
      const loss = losses.meanSquaredError(labels, x, { weights });
      const feeds = new Map([
        ...[x, labels].map((input) => [input, Tensor.of(DATA.x)] as const),
        [weights, Tensor.of([[1], [2], [3]])] as const,
      ]);
      const session = new Session(server.target, { graph });
      try {
        await expect(session.run([loss], { feeds })).rejects.toThrow(
          "weights can not be broadcast to values.",
        );
      } finally {
        await session.close();
      }
    });
  });
});

test("a graph without losses has no total loss", () => {
  expect(() => losses.getTotalLoss(new Graph(), { scope: "model" })).toThrow(
    'There is no loss whose name begins with "model".',
  );
});
