/** Losses, metrics and layers as functions: what they compute, against tf.compat.v1 with the same inputs. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Server } from "../../worker-runtime/engines/server.js";
import { clipByGlobalNorm, clipByNorm, clipByValue } from "../../worker-runtime/graph/gradients/clipping.js";
import { denseGradient } from "../../worker-runtime/graph/gradients/gradient.js";
import { gradients } from "../../worker-runtime/graph/gradients/gradients.js";
import { Graph, type Output } from "../../worker-runtime/graph/graph.js";
import * as losses from "../../worker-runtime/graph/losses/index.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

const { Reduction } = losses;

/** What cases are computed from; 0.5 and 1 are where losses change their form. */
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
  /** Of each row of x. */
  rows: [[2], [0.5]],
  /** Of each element of x. */
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
    python: "v1.losses.sigmoid_cross_entropy(labels, x, label_smoothing=0.2, reduction='none')",
    make: ({ labels, x }) =>
      losses.sigmoidCrossEntropy(labels, x, { labelSmoothing: 0.2, reduction: Reduction.NONE }),
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
    python: "v1.losses.softmax_cross_entropy(deep, deep, reduction='none')",
    make: ({ deep }) => losses.softmaxCrossEntropy(deep, deep, { reduction: Reduction.NONE }),
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

const PYTHON = `
import json, sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1

def flat(nested):
    return [t for t in tf.nest.flatten(nested) if t is not None]

def plain(value):
    return {"shape": list(value.shape), "values": [str(v) for v in np.asarray(value, np.float64).flatten()]}

data, cases = json.load(sys.stdin)
out = []
for python in cases:
    with tf.Graph().as_default(), v1.Session() as session:
        fed = {k: np.asarray(v, np.int32 if k == "classes" else np.float32) for k, v in data.items()}
        inputs = {k: v1.placeholder(v.dtype, [None, *v.shape[1:]], name=k) for k, v in fed.items()}
        made = eval(python, {"tf": tf, "v1": v1, "flat": flat, **inputs})
        made = made if isinstance(made, list) else [made]
        slope = tf.gradients(made[0], inputs["x"])[0]
        values = session.run(made + ([] if slope is None else [tf.convert_to_tensor(slope)]), {inputs[k]: v for k, v in fed.items()})
        out.append({"names": [t.op.name for t in made], "values": [plain(v) for v in values],
            "collected": [t.op.name for t in v1.losses.get_losses()]})
print("RESULT " + json.dumps(out))
`;

interface Flat {
  readonly shape: readonly number[];
  readonly values: readonly string[];
}

interface FromPython {
  readonly names: readonly string[];
  /** Of the tensors, and of the gradient of the first one with respect to x, if it has one. */
  readonly values: readonly Flat[];
  readonly collected: readonly string[];
}

function expectEqual(found: Tensor | undefined, expected: Flat): void {
  expect(found?.shape).toEqual(expected.shape);
  const numbers = Array.from({ length: found?.size ?? 0 }, (_, at) => Number(found?.at(at)));
  const wrong = expected.values.flatMap((text, i) => {
    const [ours, theirs] = [numbers[i] ?? 0, text === "nan" ? Number.NaN : Number(text)];
    const isNear = Math.abs(ours - theirs) <= 1e-5 * Math.max(1, Math.abs(theirs));
    return isNear || (Number.isNaN(ours) && Number.isNaN(theirs)) || ours === theirs ? [] : [[i, ours, text]];
  });
  expect([numbers.length, wrong]).toEqual([expected.values.length, []]);
}

describe.skipIf(peerMissing("tensorflow"))("computed as by stock Python:", () => {
  let python: readonly FromPython[] = [];
  let server: Server;

  beforeAll(async () => {
    server = await Server.createLocalServer({ engine: "portable" });
    python = await tensorflowResult(PYTHON, { input: [DATA, CASES.map((one) => one.python)] });
  });
  afterAll(() => server.stop());

  test.each(CASES.map((one, index) => ({ ...one, index })))("$python", async ({ make, index }) => {
    const expected = python[index];
    if (!expected) throw new Error("Python has not computed this.");
    const graph = new Graph();
    const inputs = inputsOf(graph);
    const made = [make(inputs)].flat();
    if (index < LOSSES.length) expect(made.map(({ op }) => op.name)).toEqual(expected.names);
    expect(losses.getLosses(graph).map(({ op }) => op.name)).toEqual(expected.collected);
    const [slope] = made[0] ? gradients(made[0], [inputs.x]) : [];
    const session = new Session(server.target, { graph });
    try {
      const feeds = new Map(
        Object.entries(DATA).map(([name, value]) => {
          const input = inputs[name as keyof Inputs];
          return [input, Tensor.of(value, input.dtype)] as const;
        }),
      );
      const fetches = slope ? [...made, denseGradient(slope)] : made;
      const { values } = await session.run(fetches, { feeds });
      expect(values).toHaveLength(expected.values.length);
      for (const [i, one] of expected.values.entries()) expectEqual(values[i], one);
    } finally {
      await session.close();
    }
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
      await expect(session.run([loss], { feeds })).rejects.toThrow("weights can not be broadcast to values.");
    } finally {
      await session.close();
    }
  });
});

test("a graph without losses has no total loss", () => {
  expect(() => losses.getTotalLoss(new Graph(), { scope: "model" })).toThrow(
    'There is no loss whose name begins with "model".',
  );
});
