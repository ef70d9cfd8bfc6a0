import { describe, expect, test } from "vitest";
import { TensorProto } from "../../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import {
  type DType,
  dataTypeOf,
  dtypeName,
  dtypeOf,
  dtypes,
  itemSize,
} from "../../../worker-runtime/protocol/dtype.js";
import {
  Tensor,
  tensorFromProto,
  tensorFromReceived,
  tensorToProto,
} from "../../../worker-runtime/protocol/tensor.js";
import { arrayConstructor, entriesPerElement } from "../../../worker-runtime/protocol/tensor-data.js";
import fc from "../../support/seeded-check.js";

/** Over the wire: encoded, decoded from bytes at an offset of our choice. */
function roundTrip(tensor: Tensor, offset = 0): Tensor {
  const encoded = TensorProto.encode(tensorToProto(tensor)).finish();
  const shifted = new Uint8Array(encoded.byteLength + offset);
  shifted.set(encoded, offset);
  return tensorFromProto(TensorProto.decode(shifted.subarray(offset)));
}

function invalid(message: RegExp) {
  return expect.objectContaining({ codeName: "INVALID_ARGUMENT", message: expect.stringMatching(message) });
}

describe("round trips", () => {
  const numeric = dtypes.filter((dtype) => arrayConstructor(dtype) !== undefined);

  test.each(numeric)("%s keeps every bit, aligned or not", (dtype: DType) => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 3 }), { maxLength: 3 }),
        fc.nat({ max: 8 }),
        fc.infiniteStream(fc.nat({ max: 255 })),
        (shape, offset, random) => {
          const arrayType = arrayConstructor(dtype);
          if (arrayType === undefined) {
            throw new Error("not numeric");
          }
          const count = shape.reduce((a, b) => a * b, 1);
          const data = new arrayType(count * entriesPerElement(dtype));
          new Uint8Array(data.buffer).forEach((_, i, bytes) => {
            bytes[i] = random.next().value;
          });
          const back = roundTrip(new Tensor(dtype, shape, data), offset);
          expect(back.dtype).toBe(dtype);
          expect(back.shape).toEqual(shape);
          expect(
            new Uint8Array(
              (back.data as Uint8Array).buffer,
              (back.data as Uint8Array).byteOffset,
              data.byteLength,
            ),
          ).toEqual(new Uint8Array(data.buffer));
          expect(back.byteLength).toBe(count * itemSize(dtype));
        },
      ),
      { numRuns: 30 },
    );
  });

  test("strings keep arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (strings) => {
        const back = roundTrip(new Tensor("string", [strings.length], strings));
        expect((back.data as Uint8Array[]).map((one) => [...one])).toEqual(strings.map((one) => [...one]));
      }),
    );
  });

  test("text is UTF-8 and comes back as text", () => {
    const texts = [
      ["Grüße", ""],
      ["日本", "🎈"],
    ];
    expect(roundTrip(Tensor.of(texts)).toArray()).toEqual(texts);
  });

  test("64-bit integers stay exact", () => {
    const values = [2n ** 63n - 1n, -(2n ** 63n), 0n];
    expect(roundTrip(Tensor.of(values)).toArray()).toEqual(values);
    expect(roundTrip(Tensor.of([2n ** 64n - 1n], "uint64")).item()).toBe(2n ** 64n - 1n);
  });

  test("complex numbers", () => {
    const values = [
      { re: 1, im: -2 },
      { re: 0.5, im: 0 },
    ];
    expect(roundTrip(Tensor.of(values, "complex64")).toArray()).toEqual(values);
    expect(roundTrip(Tensor.of([1.25], "complex128")).toArray()).toEqual([{ re: 1.25, im: 0 }]);
  });
});

describe("copies", () => {
  test("encoding passes the memory on", () => {
    const data = new Float32Array([1, 2, 3]);
    expect(tensorToProto(new Tensor("float32", [3], data)).tensorContent.buffer).toBe(data.buffer);
  });

  test("decoding is a view where the memory is aligned and one copy where it is not", () => {
    const memory = new Uint8Array(new Float32Array([0, 1, 2, 3]).buffer);
    const proto = (tensorContent: Uint8Array) =>
      TensorProto.fromPartial({
        dtype: DataType.DT_FLOAT,
        tensorShape: { dim: [{ size: 3n }] },
        tensorContent,
      });
    const aligned = tensorFromProto(proto(memory.subarray(4)));
    expect(aligned.toArray()).toEqual([1, 2, 3]);
    expect((aligned.data as Float32Array).buffer).toBe(memory.buffer);

    const shifted = new Uint8Array(17);
    shifted.set(memory, 1);
    const copied = tensorFromProto(proto(shifted.subarray(5)));
    expect(copied.toArray()).toEqual([1, 2, 3]);
    expect((copied.data as Float32Array).buffer).not.toBe(shifted.buffer);
    expect(shifted.subarray(1)).toEqual(memory);
  });

  test("large content of a received message is brought into alignment in place", () => {
    const count = 20_000;
    const sent = Tensor.of(Float64Array.from({ length: count }, (_, i) => i / 3));
    for (let offset = 0; offset < 8; offset += 1) {
      const encoded = TensorProto.encode(tensorToProto(sent)).finish();
      const message = new Uint8Array(encoded.byteLength + offset + 16);
      message.set(encoded, offset + 16);
      const received = tensorFromReceived(TensorProto.decode(message.subarray(offset + 16)));
      expect((received.data as Float64Array).buffer).toBe(message.buffer);
      expect(received.data).toEqual(sent.data);
    }
  });
});

describe("values in *_val fields", () => {
  const proto = (parts: Parameters<typeof TensorProto.fromPartial>[0], ...sizes: number[]) =>
    TensorProto.fromPartial({
      tensorShape: { dim: sizes.map((size) => ({ size: BigInt(size) })) },
      ...parts,
    });

  test("the last value repeats", () => {
    expect(tensorFromProto(proto({ dtype: DataType.DT_FLOAT, floatVal: [1, 2] }, 4)).toArray()).toEqual([
      1, 2, 2, 2,
    ]);
    expect(tensorFromProto(proto({ dtype: DataType.DT_INT64, int64Val: [7n] }, 2, 1)).toArray()).toEqual([
      [7n],
      [7n],
    ]);
    expect(
      tensorFromProto(proto({ dtype: DataType.DT_COMPLEX64, scomplexVal: [1, 2] }, 2)).toArray(),
    ).toEqual([
      { re: 1, im: 2 },
      { re: 1, im: 2 },
    ]);
    const text = new TextEncoder().encode("a");
    expect(tensorFromProto(proto({ dtype: DataType.DT_STRING, stringVal: [text] }, 3)).toArray()).toEqual([
      "a",
      "a",
      "a",
    ]);
  });

  test("no value at all means zeros, and values too many are ignored", () => {
    expect(tensorFromProto(proto({ dtype: DataType.DT_BOOL }, 2)).toArray()).toEqual([false, false]);
    expect(tensorFromProto(proto({ dtype: DataType.DT_UINT64 }, 1)).toArray()).toEqual([0n]);
    expect(tensorFromProto(proto({ dtype: DataType.DT_STRING }, 1)).toArray()).toEqual([""]);
    expect(tensorFromProto(proto({ dtype: DataType.DT_INT32, intVal: [1, 2, 3] }, 2)).toArray()).toEqual([
      1, 2,
    ]);
  });

  test("small types travel in shared fields", () => {
    expect(tensorFromProto(proto({ dtype: DataType.DT_HALF, halfVal: [0x3c00] })).item()).toBe(1);
    expect(tensorFromProto(proto({ dtype: DataType.DT_BFLOAT16, halfVal: [0xc000] })).item()).toBe(-2);
    expect(tensorFromProto(proto({ dtype: DataType.DT_INT8, intVal: [-3] })).item()).toBe(-3);
    expect(tensorFromProto(proto({ dtype: DataType.DT_UINT32, uint32Val: [4_000_000_000] })).item()).toBe(
      4e9,
    );
    expect(
      tensorFromProto(proto({ dtype: DataType.DT_FLOAT8_E5M2, float8Val: new Uint8Array([0x3c]) })).item(),
    ).toBe(1);
  });

  test("string tensors may have tensor_content: lengths, then bytes", () => {
    const content = new Uint8Array([2, 0, 1, 0x61, 0x62, 0x63]);
    expect(
      tensorFromProto(proto({ dtype: DataType.DT_STRING, tensorContent: content }, 3)).toArray(),
    ).toEqual(["ab", "", "c"]);
    expect(() => tensorFromProto(proto({ dtype: DataType.DT_STRING, tensorContent: content }, 2))).toThrow(
      invalid(/does not hold that many/),
    );
  });
});

describe("malformed protos are refused", () => {
  const dims = (...sizes: bigint[]) => ({ dim: sizes.map((size) => ({ size })) });

  test.each<[string, Parameters<typeof TensorProto.fromPartial>[0], RegExp]>([
    ["no dtype", {}, /DT_INVALID/],
    ["an unknown dtype", { dtype: 77 as DataType }, /Data type 77/],
    [
      "too little content",
      { dtype: 1, tensorShape: dims(3n), tensorContent: new Uint8Array(8) },
      /needs 12 bytes/,
    ],
    ["too much content", { dtype: 1, tensorContent: new Uint8Array(8) }, /needs 4 bytes/],
    ["a negative dimension", { dtype: 1, tensorShape: dims(2n, -1n) }, /Dimension 1 .* -1/],
    ["an unknown rank", { dtype: 1, tensorShape: { unknownRank: true } }, /rank/],
    ["a terabyte of zeros", { dtype: 1, tensorShape: dims(2n ** 38n) }, /would take/],
    ["a terabyte of strings", { dtype: 7, tensorShape: dims(2n ** 36n) }, /would take/],
    [
      "more elements than numbers count",
      { dtype: 1, tensorShape: dims(2n ** 40n, 2n ** 40n) },
      /more elements/,
    ],
    ["a dimension beyond 2^53", { dtype: 1, tensorShape: dims(2n ** 60n) }, /more than any machine/],
    ["half a complex number", { dtype: 8, scomplexVal: [1] }, /not pairs/],
    ["content for a resource", { dtype: 20, tensorContent: new Uint8Array(4) }, /cannot have/],
  ])("%s", (_, parts, message) => {
    expect(() => tensorFromProto(TensorProto.fromPartial(parts))).toThrow(invalid(message));
  });

  test("a false number of strings in tensor_content allocates nothing", () => {
    const proto = TensorProto.fromPartial({
      dtype: DataType.DT_STRING,
      tensorShape: dims(2n ** 50n),
      tensorContent: new Uint8Array([1, 65]),
    });
    expect(() => tensorFromProto(proto)).toThrow(invalid(/does not hold/));
  });

  test("an empty tensor with an impossible dimension beside the zero is fine", () => {
    const proto = TensorProto.fromPartial({ dtype: 1, tensorShape: dims(0n, 2n ** 45n) });
    expect(tensorFromProto(proto).size).toBe(0);
  });
});

describe("Tensor.of", () => {
  test("finds the dtype of a value", () => {
    expect(Tensor.of(1).dtype).toBe("float32");
    expect(Tensor.of([1n]).dtype).toBe("int64");
    expect(Tensor.of([[true]]).dtype).toBe("bool");
    expect(Tensor.of(["a"]).dtype).toBe("string");
    expect(Tensor.of(new Int16Array(2)).dtype).toBe("int16");
    expect(Tensor.of({ re: 1, im: 1 }).dtype).toBe("complex64");
    expect(Tensor.of([]).shape).toEqual([0]);
    expect(Tensor.of([[], []], "int32").shape).toEqual([2, 0]);
  });

  test("converts, reshapes and fills", () => {
    expect(Tensor.of([1, 2.5], "float16").toArray()).toEqual([1, 2.5]);
    expect(Tensor.of(new Float32Array([1, 2]), "int32").data).toEqual(new Int32Array([1, 2]));
    expect(Tensor.of([1, 2, 3, 4], "uint8", [2, 2]).toArray()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(Tensor.of(7, "int64", [2]).toArray()).toEqual([7n, 7n]);
    expect(Tensor.of({ re: 1, im: 2 }, "complex64", [2]).toArray()).toEqual([
      { re: 1, im: 2 },
      { re: 1, im: 2 },
    ]);
    expect(Tensor.of("x", "string", [2]).toArray()).toEqual(["x", "x"]);
    expect(Tensor.of([new Float32Array([1, 2]), new Float32Array([3, 4])]).toArray()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(Tensor.of([new Uint8Array([65]), "b"], "string").toArray()).toEqual(["A", "b"]);
    expect(Tensor.of(new Uint16Array([0x3c00]), "float16").item()).toBe(1);
    expect(Tensor.of([0, 1], "bool").toArray()).toEqual([false, true]);
  });

  test.each<[string, () => Tensor, RegExp]>([
    ["ragged arrays", () => Tensor.of([[1, 2], [3]]), /not all of one length/],
    ["depths that differ", () => Tensor.of([[1], 2] as never), /not all of one length/],
    ["a fraction as an integer", () => Tensor.of([1.5], "int32"), /1.5 cannot be .* int32.*whole/],
    ["out of range", () => Tensor.of([256], "uint8"), /from 0 to 255/],
    ["out of range of int64", () => Tensor.of([2n ** 63n]), /9223372036854775807/],
    ["an inexact integer", () => Tensor.of([2 ** 60], "int64"), /bigint/],
    ["text as a number", () => Tensor.of(["a"], "float32"), /"a" cannot be/],
    ["a number as text", () => Tensor.of([1], "string"), /1 cannot be/],
    ["a wrong shape", () => Tensor.of([1, 2, 3], "float32", [2]), /3 elements cannot have the shape \[2\]/],
    ["a negative shape", () => Tensor.of(1, "float32", [-1]), /-1/],
    ["two as a truth value", () => Tensor.of([2], "bool"), /only true, false/],
  ])("refuses %s", (_, make, message) => {
    expect(make).toThrow(invalid(message));
  });
});

describe("reading", () => {
  test("elements as text for people", () => {
    const texts = (tensor: Tensor) => Array.from({ length: tensor.size }, (_, i) => tensor.elementText(i));
    expect(texts(Tensor.of([11, 0.1, -0, 1e20, Number.NaN, -Infinity, 16777216]))).toEqual([
      "11.0",
      "0.1",
      "-0.0",
      "100000000000000000000.0",
      "nan",
      "-inf",
      "16777216.0",
    ]);
    expect(texts(Tensor.of([0.1, 2], "float64"))).toEqual(["0.1", "2.0"]);
    expect(texts(Tensor.of([0.1, 65504], "float16"))).toEqual(["0.1", "65504.0"]);
    expect(texts(Tensor.of([7n, -7n]))).toEqual(["7", "-7"]);
    expect(texts(Tensor.of([true, false]))).toEqual(["true", "false"]);
    expect(texts(Tensor.of({ re: 1, im: -2 }))).toEqual(["1.0-2.0j"]);
    expect(texts(Tensor.of([new Uint8Array([0x41, 0xff])], "string"))).toEqual(["A\\xff"]);
  });

  test("item and at say what is wrong", () => {
    expect(() => Tensor.of([1, 2]).item()).toThrow(invalid(/2 elements, not one/));
    expect(() => Tensor.of([1]).at(1)).toThrow(expect.objectContaining({ codeName: "OUT_OF_RANGE" }));
  });
});

describe("dtypes", () => {
  test("names and numbers belong together, references have their base", () => {
    for (const dtype of dtypes) {
      expect(dtypeOf(dataTypeOf(dtype))).toBe(dtype);
      expect(dtypeOf((dataTypeOf(dtype) + 100) as DataType)).toBe(dtype);
    }
    expect(dtypeName(DataType.DT_FLOAT_REF)).toBe("float32_ref");
    expect(dtypeName(DataType.DT_INVALID)).toBe("invalid");
  });
});
