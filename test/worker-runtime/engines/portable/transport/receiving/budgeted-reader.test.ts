import { expect, test } from "vitest";
import { GraphDef } from "../../../../../../protos/generated/tensorflow/graph.js";
import { TensorProto } from "../../../../../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../../../../../protos/generated/tensorflow/types.js";
import { readerOf } from "../../../../../../worker-runtime/engines/portable/transport/receiving/budgeted-reader.js";
import { StatusCode } from "../../../../../../worker-runtime/protocol/status.js";

test("reads large messages as the plain reader does", () => {
  const proto = TensorProto.fromPartial({
    dtype: DataType.DT_INT64,
    tensorShape: { dim: [{ size: 110_000n }] },
    int64Val: Array.from({ length: 110_000 }, (_, i) => -1n - BigInt(i)),
    floatVal: [1.5, -2],
    doubleVal: [0.1],
    boolVal: [true, false],
    intVal: [-1, 5],
    uint64Val: [2n ** 64n - 1n],
    stringVal: [new Uint8Array([1, 2])],
  });
  const bytes = TensorProto.encode(proto).finish();
  expect(readerOf(bytes)).not.toBe(bytes);
  const read = TensorProto.decode(readerOf(bytes));
  expect(read).toEqual(TensorProto.decode(bytes));
});

test("a message of more fields than there is room for ends in an error before they are all read", () => {
  // Two bytes each: field 1, an empty node.
  const bytes = new Uint8Array(2 ** 20);
  for (let i = 0; i < bytes.length; i += 2) bytes[i] = 0x0a;
  expect(GraphDef.decode(readerOf(bytes)).node).toHaveLength(2 ** 19);
  expect(() => GraphDef.decode(readerOf(bytes, 2 ** 17))).toThrowError(
    expect.objectContaining({ code: StatusCode.RESOURCE_EXHAUSTED }),
  );
});
