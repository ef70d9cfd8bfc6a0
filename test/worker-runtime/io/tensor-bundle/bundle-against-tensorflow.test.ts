import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dataPath, indexPath } from "../../../../worker-runtime/io/tensor-bundle/bundle-files.js";
import { indexBytes, parseIndex } from "../../../../worker-runtime/io/tensor-bundle/bundle-index.js";
import { BundleReader } from "../../../../worker-runtime/io/tensor-bundle/bundle-reader.js";
import { BundleWriter } from "../../../../worker-runtime/io/tensor-bundle/bundle-writer.js";
import { mergeBundles } from "../../../../worker-runtime/io/tensor-bundle/merge-bundles.js";
import { parseShapeAndSlice } from "../../../../worker-runtime/io/tensor-bundle/tensor-slice.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../support/peers.js";
import { tensorflowResult } from "../../../support/tensorflow-script.js";

const files = { resolve: async (path: string) => path };
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-bundle-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Runs a script with the folder as its argument. @returns what it printed after "RESULT ", as JSON. */
function python(script: string): Promise<unknown> {
  return tensorflowResult(`${prelude}\n${script}`, { args: [folder] });
}

const prelude = `
import os, sys, json
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np, tensorflow as tf
v1 = tf.compat.v1
v1.disable_eager_execution()
folder = sys.argv[1]
`;

const LARGE = 5_000_003;

describe.skipIf(peerMissing("tensorflow"))("checkpoints and TensorFlow", () => {
  test("TensorFlow reads what we write", async () => {
    const large = Float32Array.from({ length: LARGE }, (_, index) => index % 1000);
    const writer = await BundleWriter.create(join(folder, "ours"), files);
    await writer.add("large", Tensor.of(large));
    await writer.add("half", Tensor.of([1.5, -2], "float16"));
    await writer.add("brain", Tensor.of([1.5, -2], "bfloat16"));
    await writer.add("long", Tensor.of([[-(2n ** 63n), 5n]], "int64"));
    await writer.add("flag", Tensor.of([true, false, true]));
    await writer.add("text", Tensor.of(["", "Grüße", "x".repeat(300)]));
    await writer.add("complex", Tensor.of([{ re: 1, im: 2 }], "complex64"));
    await writer.add("empty", Tensor.of([], "float32", [0, 4]));
    await writer.addSlice("part", parseShapeAndSlice("3 2 0,1:-"), Tensor.of([[0, 1]]));
    await writer.addSlice(
      "part",
      parseShapeAndSlice("3 2 1,2:-"),
      Tensor.of([
        [2, 3],
        [4, 5],
      ]),
    );
    for (let index = 0; index < 5000; index += 1) {
      await writer.add(`many/layer_${index}/kernel`, Tensor.of(index, "int32"));
    }
    await writer.finish();
    const second = await BundleWriter.create(join(folder, "second"), files);
    await second.add("other", Tensor.of([7, 8]));
    await second.finish();
    await mergeBundles([join(folder, "ours"), join(folder, "second")], join(folder, "merged"), files, {
      deleteOldFolders: false,
      allowMissing: false,
    });

    // As while a checkpoint of the same name is replaced: one shard more than has tensors.
    const spare = join(folder, "spare");
    const third = await BundleWriter.create(spare, files);
    await third.add("spare", Tensor.of([9]));
    await third.finish();
    await rename(dataPath(spare, 0, 1), dataPath(spare, 0, 2));
    const { entries } = parseIndex(await readFile(indexPath(spare)), spare);
    await writeFile(indexPath(spare), indexBytes({ shards: 2, entries }));

    const read = await python(`
r = tf.train.load_checkpoint(folder + "/merged")
shapes = r.get_variable_to_shape_map()
large = r.get_tensor("large")
with v1.Session() as s:
    v = v1.get_variable("other", shape=[2])
    p = v1.get_variable("part", shape=[3, 2], partitioner=v1.fixed_size_partitioner(3))
    v1.train.Saver([v, p]).restore(s, folder + "/merged")
    w = v1.get_variable("spare", shape=[1])
    v1.train.Saver([w]).restore(s, folder + "/spare")
    restored = s.run([v, tf.convert_to_tensor(p), w])
print("RESULT " + json.dumps({
  "count": len(shapes), "large": bool((large == np.arange(${LARGE}) % 1000).all()),
  "half": [str(r.get_tensor("half").dtype), r.get_tensor("half").tolist()],
  "brain": [str(r.get_tensor("brain").dtype), r.get_tensor("brain").astype(float).tolist()],
  "long": [str(v) for v in r.get_tensor("long")[0]], "flag": r.get_tensor("flag").tolist(),
  "text": [t.decode() for t in r.get_tensor("text")], "complex": str(r.get_tensor("complex")[0]),
  "empty": list(r.get_tensor("empty").shape), "part": r.get_tensor("part").tolist(),
  "last": int(r.get_tensor("many/layer_4999/kernel")), "restored": [x.tolist() for x in restored]}))
`);
    expect(read).toEqual({
      count: 5010,
      large: true,
      half: ["float16", [1.5, -2]],
      brain: ["bfloat16", [1.5, -2]],
      long: ["-9223372036854775808", "5"],
      flag: [true, false, true],
      text: ["", "Grüße", "x".repeat(300)],
      complex: "(1+2j)",
      empty: [0, 4],
      part: [
        [0, 1],
        [2, 3],
        [4, 5],
      ],
      last: 4999,
      restored: [
        [7, 8],
        [
          [0, 1],
          [2, 3],
          [4, 5],
        ],
        [9],
      ],
    });
  });

  test("we read what TensorFlow writes", async () => {
    await python(`
with v1.Session() as s:
    large = v1.get_variable("large", initializer=tf.cast(tf.range(${LARGE}) % 1000, tf.float32))
    part = v1.get_variable("part", initializer=tf.reshape(tf.range(30.), [10, 3]), partitioner=v1.fixed_size_partitioner(4))
    flag = v1.get_variable("flag", initializer=tf.constant([True, False]))
    half = v1.get_variable("half", initializer=tf.constant([1.5, -2.], tf.bfloat16))
    s.run(v1.global_variables_initializer())
    print(v1.train.Saver(sharded=True).save(s, folder + "/theirs", global_step=7))
    names = ["many/%d" % i for i in range(6000)] + ["text", "long"]
    tensors = [tf.constant(i) for i in range(6000)] + [tf.constant(["", "a" * 200, "Grüße"]), tf.constant([[2**62, -1]], tf.int64)]
    s.run(tf.raw_ops.SaveV2(prefix=folder + "/many", tensor_names=names, shape_and_slices=[""] * len(names), tensors=tensors))
print("RESULT 0")
`);
    const theirs = await BundleReader.open(join(folder, "theirs-7"), files);
    expect(theirs.names()).toEqual(["flag", "half", "large", "part"]);
    expect(theirs.info("part")).toEqual({ dtype: "float32", shape: [10, 3] });
    const large = await theirs.read("large");
    expect((large.data as Float32Array).every((value, index) => value === index % 1000)).toBe(true);
    expect(Array.from((await theirs.read("part")).data as Float32Array)).toEqual([...Array(30).keys()]);
    const rows = await theirs.read("part", parseShapeAndSlice("10 3 2,3:1,2").slice);
    expect(rows.toArray()).toEqual([
      [7, 8],
      [10, 11],
      [13, 14],
    ]);
    expect((await theirs.read("flag")).toArray()).toEqual([true, false]);
    expect((await theirs.read("half")).toArray()).toEqual([1.5, -2]);
    await theirs.close();
    const many = await BundleReader.open(join(folder, "many"), files);
    expect(many.names()).toHaveLength(6002);
    expect((await many.read("many/5999")).item()).toBe(5999);
    expect((await many.read("text")).toArray()).toEqual(["", "a".repeat(200), "Grüße"]);
    expect((await many.read("long")).toArray()).toEqual([[2n ** 62n, -1n]]);
    await many.close();
  });
});
