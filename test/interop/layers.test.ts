import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { EngineName } from "../../worker-runtime/engines/server.js";
import { Server } from "../../worker-runtime/engines/server.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import {
  initialValues,
  LAYERS,
  type LayerValues,
  makeLayer,
} from "../../worker-runtime/graph/layers/index.js";
import { placeholder } from "../../worker-runtime/graph/ops/index.js";
import type { DType } from "../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

interface Case {
  /** The layer here, and what makes the same one in Keras. */
  readonly layer: string;
  readonly keras: string;
  readonly values?: LayerValues;
  readonly shape: readonly number[];
  readonly dtype?: DType;
  /** Fed to the other inputs. */
  readonly others?: Readonly<Record<string, Tensor>>;
}

const CLASSES = { labels: Tensor.of([1, 0, 2], "int32") };

const CASES: readonly Case[] = [
  { layer: "Dense", values: { units: 5, activation: "relu" }, keras: "k.Dense(5, 'relu')", shape: [3, 4] },
  {
    ...{ layer: "Dense", values: { units: 5, activation: "softmax", bias: false } },
    ...{ keras: "k.Dense(5, 'softmax', use_bias=False)", shape: [2, 3, 4] },
  },
  {
    ...{ layer: "Conv2D", values: { filters: 4, kernel: 3, stride: 2, activation: "tanh" } },
    ...{ keras: "k.Conv2D(4, 3, 2, 'same', activation='tanh')", shape: [2, 7, 6, 3] },
  },
  {
    ...{ layer: "DepthwiseConv2D", values: { padding: "VALID" } },
    ...{ keras: "k.DepthwiseConv2D(3)", shape: [2, 6, 6, 3] },
  },
  { layer: "MaxPooling2D", keras: "k.MaxPooling2D()", shape: [2, 6, 6, 3] },
  {
    ...{ layer: "AveragePooling2D", values: { pool: 3, stride: 1, padding: "SAME" } },
    ...{ keras: "k.AveragePooling2D(3, 1, 'same')", shape: [2, 6, 5, 3] },
  },
  { layer: "GlobalAveragePooling2D", keras: "k.GlobalAveragePooling2D()", shape: [2, 6, 5, 3] },
  { layer: "BatchNorm", keras: "k.BatchNormalization()", shape: [4, 3, 3, 5] },
  {
    ...{ layer: "BatchNorm", values: { statistics: "batch" } },
    ...{ keras: "lambda x, l=k.BatchNormalization(): l(x, training=True)", shape: [4, 5] },
  },
  { layer: "LayerNorm", keras: "k.LayerNormalization()", shape: [2, 3, 8] },
  {
    layer: "Dropout",
    values: { rate: 0 },
    keras: "lambda x, l=k.Dropout(0.0): l(x, training=True)",
    shape: [3, 4],
  },
  {
    ...{ layer: "Embedding", values: { vocabulary: 20, size: 6 } },
    ...{ keras: "k.Embedding(20, 6)", shape: [2, 5], dtype: "int32" },
  },
  { layer: "LSTM", values: { units: 5 }, keras: "k.LSTM(5)", shape: [2, 6, 3] },
  {
    ...{ layer: "LSTM", values: { units: 5, sequences: true } },
    ...{ keras: "k.LSTM(5, return_sequences=True)", shape: [2, 6, 3] },
  },
  { layer: "GRU", values: { units: 5 }, keras: "k.GRU(5)", shape: [2, 6, 3] },
  {
    ...{ layer: "GRU", values: { units: 5, sequences: true } },
    ...{ keras: "k.GRU(5, return_sequences=True)", shape: [2, 6, 3] },
  },
  {
    ...{ layer: "MultiHeadAttention", values: { heads: 2, size: 3 } },
    ...{ keras: "lambda x, l=k.MultiHeadAttention(2, 3): l(x, x)", shape: [2, 5, 4] },
  },
  {
    ...{ layer: "CrossEntropyLoss", others: CLASSES, shape: [3, 4] },
    keras: "lambda x: tf.keras.losses.SparseCategoricalCrossentropy(True)(np.array([1, 0, 2]), x)",
  },
  {
    ...{
      layer: "MeanSquaredError",
      others: {
        targets: Tensor.of([
          [1, 2],
          [3, 4],
        ]),
      },
      shape: [2, 2],
    },
    keras: "lambda x: tf.keras.losses.MeanSquaredError()(np.array([[1., 2.], [3., 4.]], np.float32), x)",
  },
  {
    ...{ layer: "Accuracy", others: CLASSES, shape: [3, 4] },
    keras: "lambda x: tf.reduce_mean(tf.keras.metrics.sparse_categorical_accuracy(np.array([1, 0, 2]), x))",
  },
];

/** Makes each layer with weights that differ from each other, and computes what it makes of an input. */
const PYTHON = `
import json, sys
import numpy as np
import tensorflow as tf
k = tf.keras.layers
results = []
for case in json.load(sys.stdin):
    layer = eval(case["keras"])
    random = np.random.default_rng(5)
    x = random.normal(size=case["shape"]).astype(np.float32)
    if case["dtype"] == "int32": x = random.integers(0, 20, case["shape"]).astype(np.int32)
    layer(x)
    owner = layer if isinstance(layer, k.Layer) else (layer.__defaults__ or [None])[0]
    weights = []
    if owner is not None:
        trained = [v for v in owner.weights if "seed" not in v.name]
        weights = [np.abs(random.normal(0, 0.5, v.shape)).astype(np.float32) if "variance" in v.name
                   else random.normal(0, 0.5, v.shape).astype(np.float32) for v in trained]
        for v, value in zip(trained, weights): v.assign(value)
    y = np.asarray(layer(x))
    flat = lambda a: {"shape": list(a.shape), "values": a.flatten().tolist()}
    after = [] if owner is None else [np.asarray(v) for v in trained]
    results.append({"x": flat(x), "weights": [flat(w) for w in weights], "y": flat(y), "after": [flat(w) for w in after]})
print("RESULT " + json.dumps(results))
`;

interface Flat {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}
interface Computed {
  readonly x: Flat;
  readonly weights: readonly Flat[];
  readonly y: Flat;
  /** The weights once y was computed. */
  readonly after: readonly Flat[];
}

function expectClose(result: Tensor | undefined, expected: Flat): void {
  expect(result?.shape).toEqual(expected.shape);
  const differences = expected.values.map((value, at) => Math.abs(value - Number(result?.elementText(at))));
  expect(Math.max(0, ...differences)).toBeLessThan(2e-5);
}

const tensorOf = ({ shape, values }: Flat, dtype: DType = "float32") => Tensor.of(values, dtype, shape);

describe.skipIf(peerMissing("tensorflow"))("layer blocks", () => {
  let computed: readonly Computed[] = [];

  beforeAll(async () => {
    computed = await tensorflowResult(PYTHON, {
      input: CASES.map(({ keras, shape, dtype = "float32" }) => ({ keras, shape, dtype })),
    });
  });

  test("each is compared with Keras", () => {
    // Input pipelines are compared with tf.data.
    const ofKeras = LAYERS.map(({ name }) => name).filter((name) => !name.endsWith("Pipeline"));
    expect(new Set(CASES.map(({ layer }) => layer))).toEqual(new Set(ofKeras));
  });

  describe.each<EngineName>(["tensorflow", "portable"])("on the engine %s", (engine) => {
    let server: Server;

    beforeAll(async () => {
      server = await Server.createLocalServer(
        engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
      );
    });
    afterAll(() => server.stop());

    test("the first recurrent weights are orthogonal", async () => {
      const spec = LAYERS.find(({ name }) => name === "LSTM");
      if (!spec) throw new Error("There is no LSTM.");
      const source = { tensor: "x:0", dtype: "float32" as const, shape: [-1, 4, 3], device: "" };
      const made = makeLayer(spec, { ...initialValues(spec), units: 4 }, source, "layer");
      const graph = new Graph();
      placeholder(graph, "float32", [-1, 4, 3], { name: "x" });
      const graphDef = GraphDef.fromPartial({ node: [...graph.toGraphDef().node, ...made.nodes] });
      const session = new Session(server.target, { graph: graphDef });
      try {
        const { values } = await session.run([made.variables[1]?.initialValue.name ?? ""]);
        const rows = values[0]?.toArray() as number[][];
        for (const [i, row] of rows.entries()) {
          for (const [j, other] of rows.entries()) {
            const product = row.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
            expect(product).toBeCloseTo(i === j ? 1 : 0, 4);
          }
        }
      } finally {
        await session.close();
      }
    });

    test.each(
      CASES.map((one, index) => ({
        ...one,
        index,
        name: `${one.layer} ${JSON.stringify(one.values ?? {})}`,
      })),
    )(
      "$name computes what Keras does with the same weights",
      async ({ layer, values, shape, dtype = "float32", others = {}, index }) => {
        const expected = computed[index];
        const spec = LAYERS.find(({ name }) => name === layer);
        if (!expected || !spec) throw new Error(`There is no layer ${layer}.`);
        const unknownBatch = [-1, ...shape.slice(1)];
        const source = { tensor: "x:0", dtype, shape: unknownBatch, device: "" };
        const made = makeLayer(spec, { ...initialValues(spec), ...values }, source, "layer");
        const graph = new Graph();
        placeholder(graph, dtype, unknownBatch, { name: "x" });
        const graphDef = GraphDef.fromPartial({ node: [...graph.toGraphDef().node, ...made.nodes] });
        const session = new Session(server.target, { graph: graphDef });
        try {
          expect(made.variables.map(({ shape }) => shape)).toEqual(
            expected.weights.map(({ shape }) => shape),
          );
          const initializers = made.variables.map(({ initializer }) => initializer.name);
          if (initializers.length > 0) await session.run([], { targets: initializers });
          const weights = made.variables.map(({ initialValue }, at): [string, Tensor] => [
            initialValue.name,
            tensorOf(expected.weights[at] ?? { shape: [], values: [] }),
          ]);
          if (weights.length > 0) await session.run([], { feeds: new Map(weights), targets: initializers });
          const fed = Object.entries(others).map(([name, value]): [string, Tensor] => [
            `layer/${name}:0`,
            value,
          ]);
          const { values: results } = await session.run([made.output], {
            feeds: new Map([["x:0", tensorOf(expected.x, dtype)], ...fed]),
          });
          expectClose(results[0], expected.y);
          const after = await session.run(made.variables.map(({ value }) => value.name));
          for (const [at, value] of after.values.entries()) {
            expectClose(value, expected.after[at] ?? { shape: [], values: [] });
          }
        } finally {
          await session.close();
        }
      },
    );
  });
});
