import { describe, expect, test } from "vitest";
import { feedFromBytes } from "../../../../worker-runtime/io/feed.js";
import { decodeExample, encodeExample } from "../../../../worker-runtime/io/tfrecord/example.js";
import { parseExamples } from "../../../../worker-runtime/io/tfrecord/feature-column.js";
import { frameRecord } from "../../../../worker-runtime/io/tfrecord/framing.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";

const file = (...records: Uint8Array[]) => Buffer.concat(records.map(frameRecord));
const points = file(
  encodeExample({ x: [1, 2, 3, 4], label: 3n, name: "a" }),
  encodeExample({ x: [5, 6, 7, 8], name: "b" }),
);

describe("an Example", () => {
  test("holds real and whole numbers and strings, whose shapes it does not keep", () => {
    const values = {
      real: Tensor.of([[1.5], [2]], "float64"),
      whole: Tensor.of([true, false]),
      text: ["a", "ä"],
    };
    const decoded = decodeExample(encodeExample(values));
    expect(decoded.get("real")).toMatchObject({ dtype: "float32", shape: [2] });
    expect(decoded.get("real")?.toArray()).toEqual([1.5, 2]);
    expect(decoded.get("whole")?.toArray()).toEqual([1n, 0n]);
    expect(decoded.get("text")?.toArray()).toEqual(["a", "ä"]);
  });

  test("cannot hold complex numbers, nor is any record one", () => {
    expect(() => encodeExample({ z: { re: 1, im: 2 } })).toThrow('"z" is complex64');
    expect(() => decodeExample(new Uint8Array([255, 255]))).toThrow("It is not a tf.train.Example.");
  });
});

describe("features of examples as tensors", () => {
  const examples = [encodeExample({ x: [1, 2] }), encodeExample({ x: [3, 4], y: 7n })];

  test("have the shapes and defaults that are asked for", () => {
    const { x, y } = parseExamples(examples, {
      x: { shape: [2, 1] },
      y: { dtype: "int64", shape: [], defaultValue: -1n },
    });
    expect(x?.toArray()).toEqual([
      [[1], [2]],
      [[3], [4]],
    ]);
    expect(y?.toArray()).toEqual([-1n, 7n]);
    const { z } = parseExamples(examples, { z: { shape: [2], defaultValue: 0.5 } });
    expect(z?.toArray()).toEqual([
      [0.5, 0.5],
      [0.5, 0.5],
    ]);
  });

  test.each([
    [{ x: { shape: [3] } }, 'record 1: "x" has 2 values, but shape [3] takes 3.'],
    [{ x: { dtype: "int64" } }, 'record 1: "x" has float32 values, not int64.'],
    [{ y: {} }, 'record 1: it has no feature "y", and no default value is given. It has x.'],
    [
      { y: { defaultValue: Tensor.of(1) } },
      'The default value of "y" is float32 [], but int64 [] is wanted.',
    ],
  ] as const)("say which example does not fit (%#)", (features, message) => {
    expect(() => parseExamples(examples, features)).toThrow(message);
  });
});

describe("a feature of a TFRecord file as a feed", () => {
  test("takes dtype and shape from the tensor that is fed", () => {
    const fed = feedFromBytes(points, "p.tfrecord", { column: "x", dtype: "float64", shape: [-1, 2, 2] });
    expect(fed).toMatchObject({ dtype: "float64", shape: [2, 2, 2] });
    expect(feedFromBytes(points, "p.tfrecord", { column: "x" }).shape).toEqual([2, 4]);
    expect(feedFromBytes(points, "p", { column: "name" }).toArray()).toEqual(["a", "b"]);
    expect(feedFromBytes(points, "p", { column: "name", shape: [-1, 1] }).shape).toEqual([2, 1]);
    expect(feedFromBytes(points, "p", { column: "x", shape: [-1, 2, -1] }).shape).toEqual([2, 2, 2]);
  });

  test("takes a default for records without it", () => {
    const feature = { default: "9" };
    const read = (part: object) =>
      feedFromBytes(points, "p", { column: "label", feature: { ...feature, ...part } });
    expect(read({}).toArray()).toEqual([3n, 9n]);
    expect(read({ shape: [1] }).toArray()).toEqual([[3n], [9n]]);
    expect(feedFromBytes(points, "p", { column: "label", dtype: "float32", feature }).toArray()).toEqual([
      3, 9,
    ]);
    expect(feedFromBytes(points, "p", { column: "none", feature: { default: "[1, 2]" } }).toArray()).toEqual([
      [1n, 2n],
      [1n, 2n],
    ]);
  });

  const big = file(encodeExample({ n: 1n }), encodeExample({ n: 300n }));
  test.each([
    [points, {}, '"p" has several features, so one must be named. It has x, label, name.'],
    [points, { column: "label" }, '"p", record 2: it has no feature "label", and no default value is given.'],
    [points, { column: "nam" }, "Did you mean name?"],
    [
      points,
      { column: "x", feature: { shape: [3] } },
      '"p", record 1: "x" has 4 values, but shape [3] takes 3.',
    ],
    [big, { dtype: "uint8" }, '"p", record 2: The int64 values do not fit uint8'],
    [file(new Uint8Array([255])), { column: "x" }, '"p", record 1: It is not a tf.train.Example.'],
    [file(), {}, "is no file that can be fed"],
  ] as const)("says what does not fit, and in which record (%#)", (content, options, message) => {
    expect(() => feedFromBytes(content, "p", options)).toThrow(message);
  });
});
