import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeExample, encodeExample } from "../../worker-runtime/io/tfrecord/example.js";
import { parseExamples } from "../../worker-runtime/io/tfrecord/feature-column.js";
import { readTfRecords, writeTfRecords } from "../../worker-runtime/io/tfrecord/records.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { peerMissing, spawnPeer, tensorflowPython } from "../support/peers.js";

const COMPRESSIONS = ["", "GZIP", "ZLIB"] as const;
const RECORDS = 200;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-tfrecord-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function python(script: string): Promise<string> {
  const child = await spawnPeer(tensorflowPython(), ["-c", script, folder]);
  const { code } = await child.exited;
  if (code !== 0) throw new Error(child.output());
  return child.stdout();
}

const write = `
import sys, tensorflow as tf
def feature(i):
    features = {
        "x": tf.train.Feature(float_list=tf.train.FloatList(value=[i, i / 2, -i, 1e-30])),
        "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"\\xff" + str(i).encode()])),
    }
    if i % 3: features["label"] = tf.train.Feature(int64_list=tf.train.Int64List(value=[-i * 2**40]))
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
for compression in ["", "GZIP", "ZLIB"]:
    with tf.io.TFRecordWriter(f"{sys.argv[1]}/theirs{compression}", compression) as writer:
        for i in range(${RECORDS}): writer.write(feature(i))
`;

const read = `
import json, sys, tensorflow as tf
result = {}
for compression in ["", "GZIP", "ZLIB"]:
    data = tf.data.TFRecordDataset(f"{sys.argv[1]}/ours{compression}", compression)
    parsed = next(iter(data.batch(${RECORDS} + 1).map(lambda batch: tf.io.parse_example(batch, {
        "x": tf.io.FixedLenFeature([2, 2], tf.float32),
        "label": tf.io.FixedLenFeature([], tf.int64, -1),
        "name": tf.io.FixedLenFeature([], tf.string)}))))
    result[compression] = [parsed["x"].numpy().tolist(), parsed["label"].numpy().tolist(),
                           [name.hex() for name in parsed["name"].numpy()]]
print(json.dumps(result))
`;

describe.skipIf(peerMissing("tensorflow"))("TFRecord files and TensorFlow", () => {
  test("what tf.io.TFRecordWriter writes is read", async () => {
    await python(write);
    for (const compression of COMPRESSIONS) {
      const records: Uint8Array[] = [];
      for await (const record of readTfRecords(join(folder, `theirs${compression}`))) records.push(record);
      expect(records).toHaveLength(RECORDS);
      const { x, label, name } = parseExamples(records, {
        x: { dtype: "float32", shape: [2, 2] },
        label: { dtype: "int64", shape: [], defaultValue: -1n },
        name: { dtype: "string", shape: [] },
      });
      expect(x?.shape).toEqual([RECORDS, 2, 2]);
      expect(x?.data.slice(28, 32)).toEqual(Float32Array.of(7, 3.5, -7, 1e-30));
      expect(label?.toArray()).toEqual(
        Array.from({ length: RECORDS }, (_, i) => (i % 3 === 0 ? -1n : BigInt(-i) * 2n ** 40n)),
      );
      expect(name?.data).toHaveProperty("12", Uint8Array.of(255, 49, 50));
      expect([...decodeExample(records[0] ?? new Uint8Array()).keys()].sort()).toEqual(["name", "x"]);
    }
  });

  test("tf.data.TFRecordDataset reads what is written", async () => {
    const example = (i: number) =>
      encodeExample({
        x: Tensor.of([i, i / 2, -i, 1e-30], "float64", [2, 2]),
        name: Tensor.of([Uint8Array.of(255, i % 256)], "string"),
        ...(i % 3 === 0 ? {} : { label: BigInt(-i) * 2n ** 40n }),
      });
    const examples = Array.from({ length: RECORDS }, (_, i) => example(i));
    for (const compression of COMPRESSIONS)
      await writeTfRecords(join(folder, `ours${compression}`), examples, { compression });
    const said = JSON.parse(await python(read)) as Record<string, [number[][][], number[], string[]]>;
    for (const compression of COMPRESSIONS) {
      const [x, label, name] = said[compression] ?? [];
      expect(x).toHaveLength(RECORDS);
      expect(x?.[7]).toEqual([
        [7, 3.5],
        [-7, Math.fround(1e-30)],
      ]);
      expect(label?.slice(0, 3)).toEqual([-1, -(2 ** 40), -(2 ** 41)]);
      expect(name?.[12]).toBe("ff0c");
    }
  });
});
