/** Input pipelines as layer blocks, compared with the same ones of tf.data. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { type EngineName, Server } from "../../worker-runtime/engines/server.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import {
  initialValues,
  LAYERS,
  type LayerSource,
  type LayerValues,
  makeLayer,
} from "../../worker-runtime/graph/layers/index.js";
import { placeholder } from "../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

interface Case {
  readonly layer: string;
  readonly values: LayerValues;
  /** The expression of the dataset in Python before it is shuffled, repeated and batched; `folder` has the files. */
  readonly dataset: string;
  /** The function of each example, after it was batched. */
  readonly parse?: string;
}

const FEATURES = "image: float32[2, 2], label: int64, name: string";
const PARSE =
  "lambda s: tuple(v for _, v in sorted(tf.io.parse_example(s, {'image': tf.io.FixedLenFeature([2, 2], tf.float32), " +
  "'label': tf.io.FixedLenFeature([], tf.int64), 'name': tf.io.FixedLenFeature([], tf.string)}).items()))";
const CSV =
  "tf.data.experimental.CsvDataset([f'{folder}/a.csv', f'{folder}/b.csv'], [[0.0]] * 3, header=True)";

const CASES: readonly Case[] = [
  { layer: "ArrayPipeline", values: { batch: 3, epochs: 2 }, dataset: "from_arrays((rows, labels))" },
  {
    ...{ layer: "ArrayPipeline", dataset: "from_arrays((rows,))" },
    values: { batch: 4, epochs: 1, labels: false, dropLast: true, prefetch: 0 },
  },
  {
    ...{ layer: "ArrayPipeline", dataset: "from_arrays((rows, labels))" },
    values: { batch: 2, epochs: 2, shuffle: 5, seed: 7 },
  },
  {
    ...{ layer: "CsvPipeline", values: { columns: 3, label: 3, batch: 2, epochs: 1 } },
    dataset: `${CSV}.map(lambda a, b, c: (tf.stack([a, b]), tf.cast(c, tf.int32)))`,
  },
  {
    ...{ layer: "CsvPipeline", values: { columns: 3, batch: 4, epochs: 2, shuffle: 3 } },
    dataset: `${CSV}.map(lambda a, b, c: (tf.stack([a, b, c]),))`,
  },
  {
    ...{ layer: "TextPipeline", values: { batch: 3, epochs: 1 } },
    dataset: "tf.data.TextLineDataset([f'{folder}/a.csv', f'{folder}/b.csv']).map(lambda s: (s,))",
  },
  {
    ...{ layer: "TFRecordPipeline", values: { features: FEATURES, batch: 2, epochs: 2 } },
    ...{ dataset: "tf.data.TFRecordDataset(f'{folder}/a.tfrecord')", parse: PARSE },
  },
  {
    ...{
      layer: "TFRecordPipeline",
      values: { features: FEATURES, batch: 2, epochs: 1, compression: "GZIP" },
    },
    ...{ dataset: "tf.data.TFRecordDataset(f'{folder}/a.tfrecord.gz', 'GZIP')", parse: PARSE },
  },
];

/** Writes the files, and gives every batch of each dataset. */
const PYTHON = `
import json, sys
import numpy as np
import tensorflow as tf
folder = sys.argv[1]
rows = np.arange(10, dtype=np.float32).reshape(5, 2)
labels = np.array([3, 1, 4, 1, 5], np.int32)
from_arrays = tf.data.Dataset.from_tensor_slices
open(f"{folder}/a.csv", "w").write("x,y,label\\n1,2.5,0\\n-3,,1\\n5e2,6,2\\n")
open(f"{folder}/b.csv", "w").write('x,y,label\\n"7",8,1\\n9,10,0\\n')
def example(i):
    F = tf.train.Feature
    return tf.train.Example(features=tf.train.Features(feature={
        "image": F(float_list=tf.train.FloatList(value=[i, i + .5, -i, 0])),
        "label": F(int64_list=tf.train.Int64List(value=[i * 10])),
        "name": F(bytes_list=tf.train.BytesList(value=[f"n{i}".encode()]))})).SerializeToString()
for name, options in (("a.tfrecord", None), ("a.tfrecord.gz", "GZIP")):
    with tf.io.TFRecordWriter(f"{folder}/{name}", options) as writer:
        for i in range(3): writer.write(example(i))
text = lambda v: v.decode() if isinstance(v, bytes) else str(v)
results = []
for case in json.load(sys.stdin):
    dataset = eval(case["dataset"])
    v = case["values"]
    dataset = dataset.repeat(v["epochs"]).batch(v["batch"], v.get("dropLast", False))
    if case.get("parse"): dataset = dataset.map(eval(case["parse"]))
    results.append([[{"shape": list(t.shape), "texts": [text(x) if isinstance(x, bytes) else repr(float(x)) for x in np.asarray(t).flatten().tolist()]}
                     for t in batch] for batch in dataset])
print("RESULT " + json.dumps(results))
`;

interface Batched {
  readonly shape: readonly number[];
  readonly texts: readonly string[];
}

function told(tensor: Tensor): Batched {
  const texts = Array.from({ length: tensor.size }, (_, at) =>
    tensor.dtype === "string" ? String(tensor.elementText(at)) : pythonText(Number(tensor.at(at))),
  );
  return { shape: tensor.shape, texts };
}

/** As Python's repr of a float. */
function pythonText(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

/** The rows of all batches: each with what the components have of it. */
function rowsOf(batches: readonly (readonly Batched[])[]): string[] {
  return batches.flatMap((batch) => {
    const count = batch[0]?.shape[0] ?? 0;
    return Array.from({ length: count }, (_, row) =>
      batch
        .map(({ texts }) => texts.slice((row * texts.length) / count, ((row + 1) * texts.length) / count))
        .join(";"),
    );
  });
}

describe.skipIf(peerMissing("tensorflow"))("input pipelines", () => {
  let folder = "";
  let expected: readonly (readonly (readonly Batched[])[])[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tensordeck-pipelines-"));
    expected = await tensorflowResult(PYTHON, { args: [folder], input: CASES });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The rest of the settings: its files. */
  function valuesOf({ layer, values }: Case): LayerValues {
    const files =
      layer === "TFRecordPipeline"
        ? join(folder, values.compression === "GZIP" ? "a.tfrecord.gz" : "a.tfrecord")
        : `${join(folder, "a.csv")}, ${join(folder, "b.csv")}`;
    return layer === "ArrayPipeline" ? values : { files, ...values };
  }

  function made(one: Case) {
    const spec = LAYERS.find(({ name }) => name === one.layer);
    if (!spec) throw new Error(`There is no layer ${one.layer}.`);
    const source: LayerSource | undefined =
      spec.takes === "nothing" ? undefined : { tensor: "x:0", dtype: "float32", shape: [-1, 2], device: "" };
    const layer = makeLayer(spec, { ...initialValues(spec), ...valuesOf(one) }, source, "input");
    const graph = new Graph();
    placeholder(graph, "float32", [-1, 2], { name: "x" });
    return {
      ...layer,
      graphDef: GraphDef.fromPartial({ node: [...graph.toGraphDef().node, ...layer.nodes] }),
    };
  }

  describe.each<EngineName>(["tensorflow", "portable"])("on the engine %s", (engine) => {
    let server: Server;

    beforeAll(async () => {
      server = await Server.createLocalServer(
        engine === "portable" ? { engine, files: [folder] } : { engine, library: libtensorflowDir() },
      );
    });
    afterAll(() => server.stop());

    test.each(
      CASES.map((one, index) => ({ ...one, index, name: `${one.layer} ${JSON.stringify(one.values)}` })),
    )("$name gives what tf.data does, and begins anew", async ({ index, ...one }) => {
      const { graphDef, outputs } = made(one);
      const session = new Session(server.target, { graph: graphDef });
      try {
        await expect(session.run(outputs)).rejects.toThrow(/iterator has not been initialized/);
        const rows = Float32Array.from({ length: 10 }, (_, at) => at);
        const feeds = new Map([
          ["x:0", Tensor.of(rows, "float32", [5, 2])],
          ["input/labels:0", Tensor.of([3, 1, 4, 1, 5], "int32")],
        ]);
        const isFed = one.layer === "ArrayPipeline";
        const hasLabels = graphDef.node.some(
          ({ name, op }) => name === "input/labels" && op === "Placeholder",
        );
        if (!hasLabels) feeds.delete("input/labels:0");
        for (let round = 0; round < 2; round++) {
          const options = isFed ? { feeds } : {};
          await session.run([], { targets: ["input/make_iterator"], ...options });
          const batches: Batched[][] = [];
          for (const _ of expected[index] ?? []) {
            const { values } = await session.run(outputs);
            batches.push(values.map(told));
          }
          await expect(session.run(outputs)).rejects.toThrow(/End of sequence/i);
          if (one.values.shuffle === undefined) expect(batches).toEqual(expected[index]);
          else {
            const [found, wanted] = [rowsOf(batches), rowsOf(expected[index] ?? [])];
            expect(found.toSorted()).toEqual(wanted.toSorted());
            expect(found).not.toEqual(wanted);
          }
        }
      } finally {
        await session.close();
        await Session.reset(server.target);
      }
    });
  });

  test.each<readonly [string, LayerValues, RegExp]>([
    [
      "CsvPipeline",
      { columns: 2, label: 3, files: "a.csv" },
      /reads 2 columns; column 3 cannot be their label/,
    ],
    ["CsvPipeline", { columns: 2, files: " , " }, /needs the path of a file/],
    [
      "TFRecordPipeline",
      { features: "image float32", files: "a" },
      /"image float32" is no feature\. Write them/,
    ],
    ["TFRecordPipeline", { features: "a:int64, a:string", files: "a" }, /takes each feature once/],
    ["TFRecordPipeline", { features: "", files: "a" }, /needs the features of its examples/],
  ])("%s with %o is refused in words", (layer, values, expected) => {
    const spec = LAYERS.find(({ name }) => name === layer);
    if (!spec) throw new Error(`There is no layer ${layer}.`);
    expect(() => makeLayer(spec, { ...initialValues(spec), ...values }, undefined, "input")).toThrow(
      expected,
    );
  });

  test("one that takes an array needs it", () => {
    const spec = LAYERS.find(({ name }) => name === "ArrayPipeline");
    if (!spec) throw new Error("There is no ArrayPipeline.");
    expect(() => makeLayer(spec, initialValues(spec), undefined, "input")).toThrow(/needs an input/);
  });
});
