/** TensorArrays, tensor lists and tables. */
import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Output } from "../../../../../worker-runtime/graph/operation.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program } from "./program.js";

const float = (value: number | number[] | number[][]): Tensor => Tensor.of(value, "float32");
const int = (value: number | number[]): Tensor => Tensor.of(value, "int32");

function tensorArray(g: Graph, size: number, attrs: Readonly<Record<string, boolean>> = {}) {
  const made = g.op("TensorArrayV3", [int(size)], { dtype: "float32", ...attrs });
  return { handle: made.outputAt(0), flow: made.outputAt(1) };
}

/** A list of the rows of a matrix. */
function listOfRows(g: Graph): Output {
  return g.op("TensorListFromTensor", [
    float([
      [1, 2],
      [3, 4],
      [5, 6],
    ]),
    int([2]),
  ]).output;
}

export const containerPrograms: readonly Program[] = [
  {
    name: "tensor_array",
    build: (g) => {
      const { handle, flow } = tensorArray(g, 3);
      const scattered = g.op("TensorArrayScatterV3", [
        handle,
        int([2, 0, 1]),
        float([
          [1, 2],
          [3, 4],
          [5, 6],
        ]),
        flow,
      ]).output;
      const read = (index: number) =>
        g.op("TensorArrayReadV3", [handle, int(index), scattered], { dtype: "float32" }).output;
      const gathered = g.op("TensorArrayGatherV3", [handle, int([0, 2]), scattered], {
        dtype: "float32",
      }).output;
      const joined = g.op("TensorArrayConcatV3", [handle, scattered], { dtype: "float32" });
      const size = g.op("TensorArraySizeV3", [handle, scattered]).output;
      return [
        { run: [gathered] },
        { run: [read(1), size] },
        { run: [joined.outputAt(0), joined.outputAt(1)] },
        { run: [read(7)] },
        { run: [g.op("TensorArrayReadV3", [handle, int(0), flow], { dtype: "float32" }).output] },
      ];
    },
  },
  {
    name: "tensor_array_writes",
    build: (g) => {
      const { handle, flow } = tensorArray(g, 1, { dynamic_size: true, clear_after_read: false });
      const write = (index: number, value: Tensor, after: Output) =>
        g.op("TensorArrayWriteV3", [handle, int(index), value, after]).output;
      const written = write(2, float([9]), write(0, float([7]), flow));
      const twice = write(0, float([8]), written);
      const close = g.withControlDependencies([written], () => g.op("TensorArrayCloseV3", [handle]));
      return [
        { run: [g.op("TensorArraySizeV3", [handle, written]).output] },
        { run: [g.op("TensorArrayReadV3", [handle, int(2), written], { dtype: "float32" }).output] },
        { run: [twice] },
        { run: [close] },
      ];
    },
  },
  {
    name: "tensor_array_split_and_gradient",
    build: (g) => {
      const { handle, flow } = tensorArray(g, 2);
      const lengths = Tensor.of([1n, 2n], "int64");
      const split = g.op("TensorArraySplitV3", [handle, float([1, 2, 3]), lengths, flow]).output;
      const gradient = g.op("TensorArrayGradV3", [handle, split], { source: "gradients" });
      const [gradientHandle, gradientFlow] = [gradient.outputAt(0), gradient.outputAt(1)];
      const write = (value: Tensor, after: Output) =>
        g.op("TensorArrayWriteV3", [gradientHandle, int(1), value, after]).output;
      const twice = write(float([10, 20]), write(float([1, 1]), gradientFlow));
      return [
        { run: [g.op("TensorArrayReadV3", [handle, int(1), split], { dtype: "float32" }).output] },
        { run: [g.op("TensorArrayReadV3", [gradientHandle, int(1), twice], { dtype: "float32" }).output] },
      ];
    },
  },
  {
    name: "tensor_list",
    build: (g) => {
      const list = listOfRows(g);
      const of = { element_dtype: "float32" } as const;
      const pushed = g.op("TensorListPushBack", [list, float([7, 8])]).output;
      const popped = g.op("TensorListPopBack", [pushed, int([2])], of);
      const set = g.op("TensorListSetItem", [list, int(1), float([0, 0])]).output;
      const resized = g.op("TensorListResize", [list, int(5)]).output;
      const stacked = (from: Output, num = -1) =>
        g.op("TensorListStack", [from, int([2])], { ...of, num_elements: num }).output;
      const empty = g.op("EmptyTensorList", [int([2]), int(2)], { ...of, shape_type: "int32" }).output;
      return [
        { run: [g.op("TensorListLength", [pushed]).output, popped.outputAt(1)] },
        { run: [stacked(popped.outputAt(0))] },
        { run: [stacked(set), stacked(list, 3)] },
        { run: [stacked(resized)] },
        { run: [stacked(list, 4)] },
        { run: [g.op("TensorListGetItem", [list, int(2), int([2])], of).output] },
        { run: [g.op("TensorListGetItem", [list, int(3), int([2])], of).output] },
        { run: [g.op("TensorListElementShape", [list], { shape_type: "int32" }).output] },
        { run: [g.op("TensorListLength", [empty]).output] },
        { run: [g.op("TensorListPopBack", [empty, int([2])], of).outputAt(1)] },
      ];
    },
  },
  {
    name: "tensor_list_rows",
    build: (g) => {
      const of = { element_dtype: "float32" } as const;
      const list = listOfRows(g);
      const reserved = g.op("TensorListReserve", [int([2]), int(3)], { ...of, shape_type: "int32" }).output;
      const filled = g.op("TensorListSetItem", [reserved, int(1), float([5, 6])]).output;
      const scattered = g.op(
        "TensorListScatterV2",
        [
          float([
            [1, 2],
            [3, 4],
          ]),
          int([2, 0]),
          int([2]),
          int(3),
        ],
        { shape_type: "int32" },
      ).output;
      const split = g.op(
        "TensorListSplit",
        [
          float([
            [1, 2],
            [3, 4],
            [5, 6],
          ]),
          int([-1, 2]),
          Tensor.of([1n, 2n], "int64"),
        ],
        { shape_type: "int32" },
      ).output;
      const joined = g.op("TensorListConcatV2", [split, int([-1, 2]), Tensor.of([], "int64", [0])], of);
      return [
        { run: [g.op("TensorListStack", [filled, int([2])], of).output] },
        { run: [g.op("TensorListGather", [list, int([2, 0, 2]), int([2])], of).output] },
        { run: [g.op("TensorListStack", [scattered, int([2])], of).output] },
        { run: [joined.outputAt(0), joined.outputAt(1)] },
        {
          run: [
            g.op("TensorListStack", [g.op("TensorListConcatLists", [list, list], of).output, int([2])], of)
              .output,
          ],
        },
      ];
    },
  },
  ...(["HashTable", "MutableHashTable", "HashTableV2", "MutableHashTableV2"] as const).map(
    (op): Program => ({
      name: op,
      build: (g) => {
        const table = g.op(op, [], { key_dtype: "string", value_dtype: "int64" }).output;
        const mutable = op.startsWith("Mutable");
        const v = op.endsWith("V2") ? "V2" : "";
        const keys = Tensor.of(["a", "b"]);
        const values = Tensor.of([1n, 2n], "int64");
        const fill = g.op(mutable ? `LookupTableInsert${v}` : `InitializeTable${v}`, [table, keys, values]);
        const find = g.op(`LookupTableFind${v}`, [
          table,
          Tensor.of([["b", "?"]]),
          Tensor.of(-1n, "int64"),
        ]).output;
        const size = g.op(`LookupTableSize${v}`, [table]).output;
        const wrong = g.op(`LookupTableFind${v}`, [
          table,
          Tensor.of([1n], "int64"),
          Tensor.of(-1n, "int64"),
        ]).output;
        const removed =
          v === "" ? [] : [{ run: [g.op("LookupTableRemoveV2", [table, Tensor.of(["a", "zzz"])])] }];
        const again = g.op(`LookupTableImport${v}`, [table, Tensor.of(["x"]), Tensor.of([9n], "int64")]);
        const exported = g.op(`LookupTableExport${v}`, [table], { Tkeys: "string", Tvalues: "int64" });
        const all = [exported.outputAt(0), exported.outputAt(1)];
        return [
          { run: [find] },
          { run: [fill] },
          { run: [find, size] },
          { run: [wrong] },
          ...(mutable ? [...removed, { run: [find, size] }, { run: [again] }, { run: all }] : []),
        ];
      },
    }),
  ),
  ...(["", "V2"] as const).map(
    (v): Program => ({
      name: `MutableHashTableOfTensors${v}`,
      build: (g) => {
        const table = g.op(`MutableHashTableOfTensors${v}`, [], {
          key_dtype: "int64",
          value_dtype: "float32",
          value_shape: [2],
        }).output;
        const insert = g.op(`LookupTableInsert${v}`, [table, Tensor.of([5n], "int64"), float([[1, 2]])]);
        const find = g.op(`LookupTableFind${v}`, [
          table,
          Tensor.of([5n, 6n], "int64"),
          float([0, -1]),
        ]).output;
        return [{ run: [insert] }, { run: [find] }];
      },
    }),
  ),
  ...(["AnonymousHashTable", "AnonymousMutableHashTable", "AnonymousMutableHashTableOfTensors"] as const).map(
    (op): Program => ({
      name: op,
      // All in one step: nobody else has the handle.
      build: (g) => {
        const ofTensors = op.endsWith("OfTensors");
        const attrs = {
          key_dtype: "int64",
          value_dtype: "float32",
          ...(ofTensors ? { value_shape: [2] } : {}),
        };
        const table = g.op(op, [], attrs).output;
        const values = ofTensors
          ? float([
              [1, 2],
              [3, 4],
            ])
          : float([1, 3]);
        const fill = op === "AnonymousHashTable" ? "InitializeTableV2" : "LookupTableInsertV2";
        const filled = g.op(fill, [table, Tensor.of([5n, 6n], "int64"), values]);
        const found = g.withControlDependencies([filled], () =>
          g.op("LookupTableFindV2", [
            table,
            Tensor.of([6n, 7n], "int64"),
            ofTensors ? float([0, 0]) : float(0),
          ]),
        );
        return [{ run: [found.output] }];
      },
    }),
  ),
  {
    name: "tensor_list_old_ops",
    build: (g) => {
      const of = { element_dtype: "float32" } as const;
      const rows = float([
        [1, 2],
        [3, 4],
      ]);
      const scattered = g.op("TensorListScatter", [rows, int([1, 0]), int([2])], {
        shape_type: "int32",
      }).output;
      const into = g.op("TensorListScatterIntoExistingList", [listOfRows(g), rows, int([2, 0])]).output;
      const split = g.op("TensorListSplit", [rows, int([-1, 2]), Tensor.of([1n, 1n], "int64")], {
        shape_type: "int32",
      }).output;
      const joined = g.op("TensorListConcat", [split], { ...of, element_shape: [-1, 2] });
      const stacked = (list: Output): Output => g.op("TensorListStack", [list, int([2])], of).output;
      return [
        { run: [stacked(scattered), stacked(into)] },
        { run: [joined.outputAt(0), joined.outputAt(1)] },
      ];
    },
  },
];
