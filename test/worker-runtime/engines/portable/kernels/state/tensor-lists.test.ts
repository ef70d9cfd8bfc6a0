import { describe, expect, test } from "vitest";
import { decodeVariant } from "../../../../../../worker-runtime/engines/portable/kernels/state/index.js";
import { TensorList } from "../../../../../../worker-runtime/engines/portable/kernels/state/tensor-lists/tensor-list.js";
import { ObjectTensor } from "../../../../../../worker-runtime/engines/portable/values.js";
import type { Operation } from "../../../../../../worker-runtime/graph/graph.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { differences, Program } from "../session-programs.js";

const floats = (values: number[]) => Tensor.of(values, "float32");
const ints = (values: number[]) => Tensor.of(values, "int32").reshape([values.length]);
const index = (value: number) => Tensor.of(value, "int32");
const unknown = index(-1);
const dtype = { element_dtype: "float32" };

function listPrograms(): readonly Program[] {
  const programs: Program[] = [];
  const make = (title: string, build: (program: Program, op: Program["graph"]["op"]) => void) => {
    const program = new Program(title);
    build(program, program.graph.op.bind(program.graph));
    programs.push(program);
  };
  const push = (p: Program, list: Operation, value: Tensor | Operation) =>
    p.graph.op("TensorListPushBack", [list, value], dtype);
  const get = (p: Program, list: Operation, at: number, shape: Tensor = unknown) =>
    p.graph.op("TensorListGetItem", [list, index(at), shape], dtype);
  const stack = (p: Program, list: Operation, shape: Tensor = unknown, count = -1) =>
    p.graph.op("TensorListStack", [list, shape], { ...dtype, num_elements: count });

  make("lists that grow and shrink", (p, op) => {
    const empty = op("EmptyTensorList", [unknown, index(2)], dtype);
    const one = push(p, empty, floats([1, 2]));
    const two = push(p, one, floats([3, 4]));
    const other = push(p, one, floats([5, 6]));
    p.run([stack(p, two)])
      .run([stack(p, other)])
      .run([stack(p, one)])
      .run([stack(p, empty)]);
    p.run([op("TensorListLength", [two])])
      .run([get(p, two, 1)])
      .run([get(p, two, 2)]);
    p.run([op("TensorListLength", [push(p, two, floats([1]))])]);
    const pop = op("TensorListPopBack", [two, unknown], dtype);
    const again = op("TensorListPopBack", [pop.outputAt(0), unknown], dtype);
    const last = op("TensorListPopBack", [again.outputAt(0), unknown], dtype);
    p.run([op("Identity", [pop.outputAt(1)])]).run([op("Identity", [again.outputAt(1)])]);
    p.run([op("Identity", [last.outputAt(1)])]);
    p.run([stack(p, two, unknown, 3)]).run([stack(p, two, ints([2]), 2)]);
  });
  make("lists with missing elements", (p, op) => {
    const known = op("TensorListReserve", [ints([2]), index(3)], dtype);
    const open = op("TensorListReserve", [unknown, index(3)], dtype);
    const partial = op("TensorListReserve", [ints([-1]), index(2)], dtype);
    const set = (list: Operation, at: number, value: Tensor) =>
      op("TensorListSetItem", [list, index(at), value], dtype);
    p.run([stack(p, set(known, 1, floats([1, 2])))]).run([stack(p, set(open, 2, floats([1, 2, 3])))]);
    p.run([stack(p, open)])
      .run([get(p, open, 0)])
      .run([get(p, open, 0, ints([2]))])
      .run([get(p, known, 0)]);
    p.run([get(p, set(partial, 0, floats([1, 2, 3])), 1)]);
    p.run([stack(p, set(set(partial, 0, floats([1])), 1, floats([1, 2])))]);
    p.run([stack(p, set(known, 3, floats([1, 2])))]);
    const value = p.placeholder("float32");
    const misfit = op("TensorListSetItem", [known, index(0), value], dtype);
    p.run([stack(p, misfit)], [[value, floats([1])]]);
    const grown = op("TensorListSetItem", [known, index(4), floats([1, 2])], {
      ...dtype,
      resize_if_index_out_of_bounds: true,
    });
    p.run([stack(p, grown)]);
    p.run([op("TensorListElementShape", [partial], { shape_type: "int64" })]);
    p.run([op("TensorListElementShape", [open], { shape_type: "int32" })]);
    p.run([stack(p, op("TensorListResize", [known, index(1)]))]);
    p.run([stack(p, op("TensorListResize", [known, index(5)]))]);
  });
  make("lists of rows", (p, op) => {
    const rows = floats([1, 2, 3, 4, 5, 6]).reshape([3, 2]);
    const list = op("TensorListFromTensor", [rows, ints([2])], dtype);
    p.run([stack(p, list)]);
    p.run([op("TensorListGather", [list, ints([2, 0, 2]), unknown], dtype)]);
    p.run([op("TensorListGather", [list, ints([3]), unknown], dtype)]);
    p.run([op("TensorListGather", [list, ints([]), ints([2])], dtype)]);
    const scattered = op("TensorListScatterV2", [rows, ints([3, 0, 1]), ints([2]), index(5)], dtype);
    p.run([stack(p, scattered)]);
    p.run([stack(p, op("TensorListScatter", [rows, ints([3, 0, 1]), ints([2])], dtype))]);
    const into = op("TensorListScatterIntoExistingList", [list, rows, ints([0, 2, 1])], dtype);
    p.run([stack(p, into)]);
    p.run([op("TensorListLength", [op("TensorListConcatLists", [list, list], dtype)])]);
    p.run([stack(p, op("AddN", [[list, list]]))]).run([stack(p, op("ZerosLike", [list]))]);
  });
  make("lists of pieces", (p, op) => {
    const rows = floats([1, 2, 3, 4, 5, 6]).reshape([3, 2]);
    const list = op("TensorListSplit", [rows, ints([-1, 2]), Tensor.of([1n, 0n, 2n])], dtype);
    const concat = op(
      "TensorListConcatV2",
      [list, ints([-1, 2]), Tensor.of([], "int64").reshape([0])],
      dtype,
    );
    p.run([concat]).run([op("Identity", [concat.outputAt(1)])]);
    p.run([op("TensorListConcat", [list], { ...dtype, element_shape: [-1, 2] })]);
    p.run([get(p, list, 2)]).run([get(p, list, 1)]);
    const sparse = op("TensorListReserve", [ints([-1, 2]), index(2)], dtype);
    const one = op("TensorListSetItem", [sparse, index(1), rows], dtype);
    p.run([op("TensorListConcatV2", [one, ints([-1, 2]), Tensor.of([1n])], dtype)]);
    p.run([op("TensorListConcatV2", [sparse, ints([-1, 2]), Tensor.of([1n, 2n])], dtype)]);
  });
  return programs;
}

describe("lists on the wire", () => {
  test("have the bytes that TensorFlow 2.21 gives them", () => {
    const list = new TensorList({ elementType: "float32", elementShape: [-1, 2] }, [
      undefined,
      floats([1, 2]).reshape([1, 2]),
      undefined,
    ]);
    const { typeName, metadata, tensors } = list.encode();
    expect(typeName).toBe("tensorflow::TensorList");
    // From tf.io.serialize_tensor of the same list.
    const bytes =
      "\x02\x00\x02\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x02\x08\x02";
    expect(Buffer.from(metadata).toString("latin1")).toBe(bytes);
    expect(tensors).toHaveLength(1);
    const empty = new TensorList({ elementType: "int32", elementShape: undefined, maxElements: 5 });
    expect([...empty.encode().metadata]).toEqual([0, 3, 5, 0x18, 1]);
  });

  test("come back as they were, lists within lists too", () => {
    const inner = new TensorList({ elementType: "int64", elementShape: undefined, maxElements: 7 }, [
      Tensor.of([1n, 2n]),
    ]);
    const outer = new TensorList({ elementType: "variant", elementShape: [] }, [
      undefined,
      ObjectTensor.variant(inner),
    ]);
    const decoded = decodeVariant(outer.encode());
    expect(decoded.encode()).toEqual(outer.encode());
    expect(() =>
      decodeVariant({ typeName: "tensorflow::Other", metadata: new Uint8Array(), tensors: [] }),
    ).toThrow("tensorflow::Other");
    expect(() =>
      decodeVariant({ typeName: "tensorflow::TensorList", metadata: Uint8Array.of(0xff), tensors: [] }),
    ).toThrow();
  });
});

describe.skipIf(peerMissing("tensorflow"))("tensor lists against TensorFlow", () => {
  test("hold, join and refuse as TensorFlow's do", async () => {
    expect(await differences(listPrograms())).toEqual([]);
  }, 120_000);
});
