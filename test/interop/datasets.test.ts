import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { imageFolderDataset, mnistDataset, tfRecordDataset } from "../../worker-runtime/data/readers.js";
import { randomNumbers } from "../../worker-runtime/data/rows.js";
import { readNpz } from "../../worker-runtime/io/npz.js";
import { encodeExample } from "../../worker-runtime/io/tfrecord/example.js";
import { parseExamples } from "../../worker-runtime/io/tfrecord/feature-column.js";
import { writeTfRecords } from "../../worker-runtime/io/tfrecord/records.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

const COMPRESSIONS = ["", "GZIP", "ZLIB"] as const;
/** Files of random records, in each direction and compression. */
const FILES = 4;

/** Writes files for us, and reads its own and ours. */
const PYTHON = `
import json, os, random, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np, tensorflow as tf
folder = sys.argv[1]
random.seed(15)
rng = np.random.default_rng(15)

def examples(n):
    for i in range(n):
        feature = {"x": tf.train.Feature(float_list=tf.train.FloatList(value=rng.normal(size=6).astype("f4"))),
                   "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[random.randint(-2**63, 2**63 - 1)]))}
        if random.random() < 0.7:
            feature["name"] = tf.train.Feature(bytes_list=tf.train.BytesList(value=[random.randbytes(random.randint(0, 40))]))
        yield tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()

def parsed(path, compression):
    batch = list(tf.data.TFRecordDataset(path, compression))
    if not batch: return None
    found = tf.io.parse_example(batch, {"x": tf.io.FixedLenFeature([2, 3], tf.float32),
        "id": tf.io.FixedLenFeature([], tf.int64), "name": tf.io.FixedLenFeature([], tf.string, b"none")})
    return [found["x"].numpy().tolist(), [str(i) for i in found["id"].numpy()], [n.hex() for n in found["name"].numpy()]]

os.makedirs(folder + "/spark")
wrote = {}
for compression in ["", "GZIP", "ZLIB"]:
    for i in range(${FILES}):
        path = f"{folder}/theirs{compression}{i}"
        with tf.io.TFRecordWriter(path, compression) as writer:
            for record in examples(random.randint(0, 300)): writer.write(record)
        wrote[f"{compression}{i}"] = parsed(path, compression)
with open(folder + "/spark/_SUCCESS", "w"): pass
for i in range(3):
    with tf.io.TFRecordWriter(f"{folder}/spark/part-0000{i}.tfrecord.gz", "GZIP") as writer:
        for k in range(5): writer.write(f"{i},{k}".encode())
with open(folder + "/joined.gz", "wb") as out:
    for i in range(3):
        with open(f"{folder}/spark/part-0000{i}.tfrecord.gz", "rb") as part: out.write(part.read())

def picture(height, width, channels):
    smooth = tf.image.resize(rng.integers(0, 256, (4, 5, channels)).astype("f4"), (height, width), "bicubic")
    return tf.cast(tf.clip_by_value(smooth + rng.normal(size=(height, width, channels)) * 12, 0, 255), tf.uint8)

kinds = [
    ("jpg", 3, lambda p: tf.io.encode_jpeg(p, quality=90)),
    ("jpeg", 3, lambda p: tf.io.encode_jpeg(p, quality=75, progressive=True)),
    ("JPG", 3, lambda p: tf.io.encode_jpeg(p, quality=100, chroma_downsampling=False)),
    ("jpg", 1, lambda p: tf.io.encode_jpeg(p, format="grayscale", quality=60)),
    ("jpg", 1, lambda p: tf.io.encode_jpeg(p, format="grayscale", progressive=True)),
    ("png", 3, tf.io.encode_png), ("png", 1, tf.io.encode_png), ("png", 4, tf.io.encode_png),
]
for k in range(24):
    kind, channels, encode = kinds[k % len(kinds)]
    path = f"{folder}/pictures/{['cat', 'Dog', 'bird'][k % 3]}" + ("/deeper" if k % 5 == 0 else "")
    os.makedirs(path, exist_ok=True)
    tf.io.write_file(f"{path}/{k}.{kind}", encode(picture(random.randint(1, 70), random.randint(1, 70), channels)))
import keras
for mode, channels in [("rgb", 3), ("grayscale", 1)]:
    data = keras.utils.image_dataset_from_directory(folder + "/pictures", label_mode="int", color_mode=mode,
        batch_size=None, image_size=(20, 30), shuffle=False, verbose=False)
    found = list(data)
    np.savez(f"{folder}/images{channels}.npz", image=np.stack([i.numpy() for i, _ in found]), label=np.array([l.numpy() for _, l in found], "i4"))
numbers = rng.integers(0, 256, (10, 28, 28)).astype("u1")
np.savez_compressed(folder + "/mnist.npz", x_train=numbers[:7], y_train=np.arange(7, dtype="u1"), x_test=numbers[7:], y_test=np.arange(3, dtype="u1"))
print("RESULT", json.dumps({"wrote": wrote, "classes": data.class_names, "mnist": numbers[6].ravel().tolist(),
    "read": {f"{c}{i}": parsed(f"{folder}/ours{c}{i}", c) for c in ["", "GZIP", "ZLIB"] for i in range(${FILES})}}))
`;

type Parsed = readonly [number[][][], string[], string[]] | null;

let folder = "";
let theirs: {
  readonly wrote: Readonly<Record<string, Parsed>>;
  readonly read: Readonly<Record<string, Parsed>>;
  readonly classes: readonly string[];
  readonly mnist: readonly number[];
};

const random = randomNumbers(15, 0);
const below = (bound: number) => Math.floor(random() * bound);

/** Examples of random numbers, bytes and missing features. */
function randomExamples(): Uint8Array[] {
  return Array.from({ length: below(300) }, () =>
    encodeExample({
      x: Tensor.of(
        Array.from({ length: 6 }, () => (random() - 0.5) * 10 ** (below(60) - 30)),
        "float32",
      ),
      id: (BigInt(below(2 ** 32)) << 31n) - BigInt(below(2 ** 32)) * 2n ** 31n,
      ...(random() < 0.7
        ? { name: Tensor.of([Uint8Array.from({ length: below(40) }, () => below(256))], "string") }
        : {}),
    }),
  );
}

function parsedByUs(records: readonly Uint8Array[]): Parsed {
  if (records.length === 0) return null;
  const { x, id, name } = parseExamples(records, {
    x: { dtype: "float32", shape: [2, 3] },
    id: { dtype: "int64", shape: [] },
    name: { dtype: "string", shape: [], defaultValue: "none" },
  });
  const texts = (name?.data ?? []) as readonly Uint8Array[];
  return [
    x?.toArray() as number[][][],
    ((id?.toArray() ?? []) as bigint[]).map(String),
    texts.map((text) => Buffer.from(text).toString("hex")),
  ];
}

async function all<T>(elements: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const element of elements) found.push(element);
  return found;
}

describe.skipIf(peerMissing("tensorflow"))("data sets and TensorFlow", () => {
  const ours = new Map<string, readonly Uint8Array[]>();
  const files = COMPRESSIONS.flatMap((compression) =>
    Array.from({ length: FILES }, (_, i) => ({ compression, name: `${compression}${i}` })),
  );

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-datasets-"));
    for (const { compression, name } of files) {
      ours.set(name, randomExamples());
      await writeTfRecords(join(folder, `ours${name}`), ours.get(name) ?? [], { compression });
    }
    theirs = await tensorflowResult(PYTHON, { args: [folder] });
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("tf.data.TFRecordDataset and tf.io.parse_example read random records that we write", () => {
    for (const { name } of files) expect(theirs.read[name]).toEqual(parsedByUs(ours.get(name) ?? []));
  });

  test("we read random records that tf.io.TFRecordWriter writes", async () => {
    for (const { name } of files) {
      const records = await all(tfRecordDataset(join(folder, `theirs${name}`)));
      expect(parsedByUs(records)).toEqual(theirs.wrote[name]);
    }
  });

  test("a folder as Spark writes it, and compressed files that were joined", async () => {
    const expected = [0, 1, 2].flatMap((file) => [0, 1, 2, 3, 4].map((row) => `${file},${row}`));
    for (const path of ["spark", "joined.gz"]) {
      const records = await all(tfRecordDataset(join(folder, path)));
      expect(records.map((record) => Buffer.from(record).toString())).toEqual(expected);
    }
  });

  test.each([3, 1] as const)("a folder of images is Keras's, with %i channels", async (channels) => {
    const bytes = await readFile(join(folder, `images${channels}.npz`));
    const { dataset, classNames, count } = await imageFolderDataset(join(folder, "pictures"), {
      size: [20, 30],
      channels,
    });
    const [batch] = await all(dataset.batch(count));
    expect(classNames).toEqual(theirs.classes);
    expect(batch?.label).toEqual(readNpz(bytes, "label"));
    const expected = readNpz(bytes, "image");
    expect(batch?.image?.shape).toEqual(expected.shape);
    let most = 0;
    for (let i = 0; i < expected.size; i++)
      most = Math.max(most, Math.abs(Number(batch?.image?.data[i]) - Number(expected.data[i])));
    // Pixels are equal; only the order of the sums of resizing is not.
    expect(most).toBeLessThan(1e-3);
  });

  test("mnist.npz is read in its two parts", async () => {
    const { train, test: held } = await mnistDataset(join(folder, "mnist.npz"));
    const rows = await all(train);
    expect(rows).toHaveLength(7);
    expect(rows[6]?.x?.shape).toEqual([28, 28]);
    expect(Array.from((rows[6]?.x?.data ?? []) as Uint8Array)).toEqual(theirs.mnist);
    expect(rows[6]?.y?.item()).toBe(6);
    expect(await all(held.batch(2))).toHaveLength(2);
  });
});
