/** Checkpoints of version 1, as TensorFlow's Savers write them when they are told to. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SavedTensorSlices } from "../../../../protos/generated/tensorflow/saved_tensor_slice.js";
import { TensorProto } from "../../../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { openCheckpointReader } from "../../../../worker-runtime/io/tensor-bundle/checkpoint-reader.js";
import { tableBytes } from "../../../../worker-runtime/io/tensor-bundle/table-writer.js";
import {
  parseShapeAndSlice,
  sliceKey,
  sliceToProto,
} from "../../../../worker-runtime/io/tensor-bundle/tensor-slice.js";
import { peerMissing } from "../../../support/peers.js";
import { tensorflowResult } from "../../../support/tensorflow-script.js";

const files = { resolve: async (path: string) => path };
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-version1-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const WRITE = `
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
v1 = tf.compat.v1
v1.disable_eager_execution()
folder = sys.argv[1]
V1 = v1.train.SaverDef.V1
with v1.Session(config=v1.ConfigProto(device_count={"CPU": 2})) as s:
    values = {
        "float": tf.constant([[1.5, -2.0], [0.0, 3.25]]),
        "double": tf.constant([1e300], tf.float64),
        "half": tf.constant([1.5, -2.0], tf.float16),
        "long": tf.constant([2**62, -1], tf.int64),
        "byte": tf.constant([0, 255], tf.uint8),
        "flag": tf.constant([True, False]),
        "complex": tf.constant([1 + 2j, -3j], tf.complex64),
        "scalar": tf.constant(7),
        "empty": tf.zeros([0, 3]),
    }
    variables = {name: v1.get_variable("own_" + name, initializer=value) for name, value in values.items()}
    with tf.device("/cpu:1"):
        part = v1.get_variable("part", initializer=tf.reshape(tf.range(30.0), [10, 3]), partitioner=v1.fixed_size_partitioner(4))
    s.run(v1.global_variables_initializer())
    v1.train.Saver({**variables, "part": part}, write_version=V1).save(s, folder + "/one.ckpt", write_meta_graph=False)
    v1.train.Saver({**variables, "part": part}, sharded=True, write_version=V1).save(s, folder + "/several.ckpt", write_meta_graph=False)
print("RESULT 0")
`;

describe.skipIf(peerMissing("tensorflow"))("a checkpoint of version 1 that TensorFlow wrote", () => {
  beforeAll(() => tensorflowResult(WRITE, { args: [folder] }));

  test.each(["one.ckpt", "several.ckpt", "several.ckpt-?????-of-00002"])("%s is read", async (name) => {
    const reader = await openCheckpointReader(join(folder, name), files);
    const all = ["byte", "complex", "double", "empty", "flag", "float", "half", "long", "part", "scalar"];
    expect(reader.names()).toEqual(all);
    const read = async (key: string) => (await reader.read(key)).toArray();
    expect(await read("float")).toEqual([
      [1.5, -2],
      [0, 3.25],
    ]);
    expect(await read("double")).toEqual([1e300]);
    expect(await read("half")).toEqual([1.5, -2]);
    expect(await read("long")).toEqual([2n ** 62n, -1n]);
    expect(await read("byte")).toEqual([0, 255]);
    expect(await read("flag")).toEqual([true, false]);
    expect(await read("complex")).toEqual([
      { re: 1, im: 2 },
      { re: -0, im: -3 },
    ]);
    expect((await reader.read("scalar")).item()).toBe(7);
    expect((await reader.read("empty")).shape).toEqual([0, 3]);
    expect(reader.info("part")).toEqual(expect.objectContaining({ dtype: "float32", shape: [10, 3] }));
    expect(Array.from((await reader.read("part")).data as Float32Array)).toEqual([...Array(30).keys()]);
    const rows = await reader.read("part", parseShapeAndSlice("10 3 2,3:1,2").slice);
    expect(rows.toArray()).toEqual([
      [7, 8],
      [10, 11],
      [13, 14],
    ]);
    expect(() => reader.info("other")).toThrow("Key other not found in checkpoint");
    await reader.close();
  });

  test("one that is cut short is damaged", async () => {
    const bytes = await readFile(join(folder, "one.ckpt"));
    const cut = join(folder, "cut.ckpt");
    await writeFile(cut, Buffer.concat([bytes.subarray(0, bytes.length / 2), bytes.subarray(-48)]));
    await expect(openCheckpointReader(cut, files)).rejects.toMatchObject({ codeName: "DATA_LOSS" });
  });
});

test("a message with fewer elements than its shape has is damaged", async () => {
  const slice = [undefined];
  const shape = { dim: [{ size: 1_000_000n, name: "" }], unknownRank: false };
  const meta = SavedTensorSlices.encode({
    meta: {
      tensor: [{ name: "x", shape, type: DataType.DT_FLOAT, slice: [sliceToProto(slice)] }],
      versions: undefined,
    },
    data: undefined,
  }).finish();
  const data = SavedTensorSlices.encode({
    meta: undefined,
    data: { name: "x", slice: sliceToProto(slice), data: TensorProto.fromPartial({ floatVal: [1] }) },
  }).finish();
  const path = join(folder, "few.ckpt");
  await writeFile(
    path,
    tableBytes([
      [new Uint8Array(0), meta],
      [sliceKey(Buffer.from("x"), slice), data],
    ]),
  );
  const reader = await openCheckpointReader(path, files);
  await expect(reader.read("x")).rejects.toThrow("has 1 elements of x, whose slice has 1000000");
});

test("without any file the error is that of version 2", async () => {
  await expect(openCheckpointReader(join(folder, "none"), files)).rejects.toMatchObject({
    codeName: "NOT_FOUND",
  });
});
