import { describe, expect, test } from "vitest";
import { TensorProto } from "../../../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { withoutPauses } from "../../../../worker-runtime/engines/portable/pauses.js";
import { ReferenceVariable } from "../../../../worker-runtime/engines/portable/resources/reference-variable.js";
import { alone } from "../../../../worker-runtime/engines/portable/resources/variable.js";
import {
  EncodedVariant,
  sentValue,
  valueFromProto as valueFromProtoInPieces,
  valueToProto as valueToProtoInPieces,
} from "../../../../worker-runtime/engines/portable/value-proto.js";
import {
  ObjectTensor,
  RefValue,
  type ResourceHandle,
  type Value,
} from "../../../../worker-runtime/engines/portable/values.js";
import { StatusCode } from "../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";

const valueToProto = (value: Tensor | ObjectTensor): TensorProto =>
  withoutPauses(valueToProtoInPieces(value));
const valueFromProto = (proto: TensorProto): Value => withoutPauses(valueFromProtoInPieces(proto));

/** Through the wire's bytes. */
const sent = (proto: TensorProto): TensorProto => TensorProto.decode(TensorProto.encode(proto).finish());

const handle: ResourceHandle = {
  device: "/job:worker/replica:0/task:0/device:CPU:0",
  container: "localhost",
  name: "v",
  typeName: "tensorflow::Var",
  dtypesAndShapes: [
    { dtype: "float32", shape: [2, 3] },
    { dtype: "int64", shape: undefined },
  ],
};

describe("values on the wire", () => {
  test.each([
    Tensor.of([[1, 2]]),
    Tensor.of([1n, -1n]),
    Tensor.of([true, false]),
    Tensor.of(["a", ""]),
    Tensor.of([], "float64", [0, 3]),
  ])("%o", (tensor) => {
    expect(valueFromProto(sent(valueToProto(tensor)))).toEqual(tensor);
  });

  test("many strings are sent as TensorFlow's servers send them, and nobody waits for them", () => {
    const texts = Array.from({ length: 30_000 }, (_, i) => "x".repeat(i % 300));
    const tensor = Tensor.of(texts);
    const work = valueToProtoInPieces(tensor);
    expect(work.next().done).toBe(false);
    const proto = withoutPauses(work);
    expect(proto.stringVal).toEqual([]);
    // TensorFlow's EncodeStringList: all lengths, then all bytes.
    expect(proto.tensorContent.subarray(0, 3)).toEqual(Uint8Array.of(0, 1, 2));
    expect(proto.tensorContent.byteLength).toBe(
      texts.reduce((sum, { length }) => sum + length + (length < 128 ? 1 : 2), 0),
    );
    const received = sent(proto);
    expect(valueFromProtoInPieces(received).next().done).toBe(false);
    expect((valueFromProto(received) as Tensor).toArray()).toEqual(texts);
  });

  test.each([
    { why: "too few", content: Uint8Array.of(1, 1, 97) },
    { why: "too many", content: Uint8Array.of(0, 0, 97) },
    { why: "no end of a length", content: Uint8Array.of(0x80, 0x80) },
  ])("content with $why bytes for its strings is refused", ({ content }) => {
    const proto = TensorProto.fromPartial({
      dtype: DataType.DT_STRING,
      tensorShape: { dim: [{ size: 2n }] },
      tensorContent: content,
    });
    expect(() => valueFromProto(proto)).toThrow(
      expect.objectContaining({ code: StatusCode.INVALID_ARGUMENT }),
    );
  });

  test("resource handles", () => {
    const value = new ObjectTensor("resource", [1, 2], [handle, { ...handle, name: "w" }]);
    expect(valueFromProto(sent(valueToProto(value)))).toEqual(value);
  });

  test("variants are kept as they came, and passed on", () => {
    const data = { typeName: "tensorflow::TensorList", metadata: Uint8Array.of(1, 2), tensors: [] };
    const value = valueFromProto(sent(valueToProto(ObjectTensor.variant(new EncodedVariant(data)))));
    expect(value).toBeInstanceOf(ObjectTensor);
    const [element] = (value as ObjectTensor).elements;
    expect(element).toBeInstanceOf(EncodedVariant);
    expect(element).toMatchObject({ typeName: "tensorflow::TensorList" });
    const again = valueToProto(value as ObjectTensor).variantVal[0];
    expect(again?.metadata).toEqual(Uint8Array.of(1, 2));
  });

  test("a value of a variable goes when no update is half done, or not at all once the step has ended", async () => {
    const waiter = new AbortController();
    const variable = new ReferenceVariable({ dtype: "float32", name: "v" });
    variable.assign(Tensor.of([1, 1], "float32"));
    const data = variable.writable()?.data as Float32Array;
    let finish = (): void => undefined;
    const update = alone([variable], waiter, () => {
      data[0] = 2;
      return new Promise<void>((resolve) => {
        finish = () => {
          data[1] = 2;
          resolve();
        };
      });
    });
    const read = variable.value as Tensor;
    const cancelled = new AbortController();
    const sending = [sentValue(read, waiter), sentValue(new RefValue(variable), waiter)];
    const refused = sentValue(read, cancelled);
    cancelled.abort(new Error("The step has ended."));
    await expect(refused).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    finish();
    await update;
    for (const proto of await Promise.all(sending)) {
      expect(valueFromProto(proto)).toEqual(Tensor.of([2, 2], "float32"));
    }
  });

  test("a reference goes as what lies there, and stays that when the variable changes", async () => {
    const waiter = new AbortController();
    const variable = new ReferenceVariable({ dtype: "float32", name: "v" });
    await expect(sentValue(new RefValue(variable), waiter)).rejects.toMatchObject({
      code: StatusCode.FAILED_PRECONDITION,
      message: "Attempting to use uninitialized value v",
    });
    variable.assign(Tensor.of([3, 4], "float32"));
    const read = variable.value as Tensor;
    const protos = [await sentValue(new RefValue(variable), waiter), await sentValue(read, waiter)];
    variable.assign(Tensor.of([5, 6], "float32"));
    for (const proto of protos) {
      expect(valueFromProto(proto)).toEqual(Tensor.of([3, 4], "float32"));
    }
  });

  test.each([
    { dtype: DataType.DT_RESOURCE, tensorShape: { dim: [{ size: 2n }] } },
    { dtype: DataType.DT_VARIANT, tensorShape: { dim: [{ size: 1_000_000_000_000n }] } },
    { dtype: DataType.DT_RESOURCE, tensorShape: { unknownRank: true } },
    { dtype: DataType.DT_INVALID },
  ])("what does not fit together is refused: %o", (partial) => {
    expect(() => valueFromProto(TensorProto.fromPartial(partial))).toThrow(
      expect.objectContaining({ code: StatusCode.INVALID_ARGUMENT }),
    );
  });

  test("a value that repeats more often than there is memory is refused", () => {
    const proto = TensorProto.fromPartial({
      dtype: DataType.DT_FLOAT,
      tensorShape: { dim: [{ size: 1n << 40n }] },
    });
    expect(() => valueFromProto(proto)).toThrow(
      expect.objectContaining({ code: StatusCode.RESOURCE_EXHAUSTED }),
    );
  });
});
