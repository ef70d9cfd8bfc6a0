import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { inputAt, newNumbers } from "../support/elements.js";
import { cppShapeText, productOf, sameShape, stridesOf } from "../support/shapes.js";
import {
  checkBounds,
  compareIndexes,
  indexOf,
  joined,
  pick,
  type SparseTensor,
  sparseAt,
  sparseOutputs,
} from "./sparse-tensor.js";

const types = ["int8", "int16", "int32", "int64", "uint8", "uint16", "string"] as const;

/** The sets along the last dimension of a tensor: the indices of each set's elements, by row number. */
interface SetRows {
  /** The sizes of all dimensions but the last. */
  readonly outer: readonly number[];
  readonly values: Tensor;
  readonly rows: ReadonlyMap<number, readonly number[]>;
}

function denseRows(tensor: Tensor): SetRows {
  if (tensor.shape.length < 2) {
    throw invalidArgument(
      `Input set should have at least 2 dimensions, got shape ${cppShapeText(tensor.shape)}.`,
    );
  }
  const outer = tensor.shape.slice(0, -1);
  const length = tensor.shape.at(-1) ?? 0;
  const rows = Array.from({ length: productOf(outer) }, (_, row) => {
    return [row, Array.from({ length }, (_, i) => row * length + i)] as const;
  });
  return { outer, values: tensor.reshape([tensor.size]), rows: new Map(rows) };
}

/** @throws TensorFlowError INVALID_ARGUMENT unless element `i` comes after the previous one. */
function checkOrder(sparse: SparseTensor, i: number): void {
  const order = compareIndexes(sparse, i - 1, sparse, i);
  if (order >= 0) {
    const what = order === 0 ? "repeated" : "out of order. Many sparse ops require sorted indices.";
    throw invalidArgument(`indices[${i}] = ${cppShapeText(indexOf(sparse, i))} is ${what}`);
  }
}

function sparseRows(sparse: SparseTensor, validate: boolean): SetRows {
  if (sparse.rank < 2) {
    throw invalidArgument(`Input set should have at least 2 dimensions, got ${sparse.rank}.`);
  }
  checkBounds(sparse);
  const outer = sparse.shape.slice(0, -1);
  const strides = [...stridesOf(outer), 0];
  const rows = new Map<number, number[]>();
  for (let i = 0; i < sparse.count; i += 1) {
    if (validate && i > 0) {
      checkOrder(sparse, i);
    }
    const row = indexOf(sparse, i).reduce((sum, at, d) => sum + at * (strides[d] ?? 0), 0);
    const found = rows.get(row);
    if (found === undefined) {
      rows.set(row, [i]);
    } else {
      found.push(i);
    }
  }
  return { outer, values: sparse.values, rows };
}

/** A key that is the same for equal elements; strings are compared by their bytes. */
type Key = number | bigint | string;

function keyAt({ data }: Tensor, index: number): Key {
  // One character per byte, which also sorts strings by their bytes.
  return isByteList(data) ? Buffer.from(data[index] ?? []).toString("latin1") : (data[index] ?? 0);
}

type SetOperation = (a: ReadonlySet<Key>, b: ReadonlySet<Key>) => Iterable<Key>;

const operations: Readonly<Record<string, SetOperation>> = {
  "a-b": (a, b) => [...a].filter((key) => !b.has(key)),
  "b-a": (a, b) => [...b].filter((key) => !a.has(key)),
  intersection: (a, b) => [...a].filter((key) => b.has(key)),
  union: (a, b) => new Set([...a, ...b]),
};
const noElements: readonly number[] = [];

/** Applies an operation to the sets of two tensors, row by row; sets are sorted, and the largest is the last size. */
function combine(a: SetRows, b: SetRows, operation: SetOperation): readonly Tensor[] {
  if (!sameShape(a.outer, b.outer)) {
    throw invalidArgument(`Mismatched group shapes ${cppShapeText(a.outer)} and ${cppShapeText(b.outer)}.`);
  }
  const strides = stridesOf(a.outer);
  const values = joined(a.values.dtype, [a.values, b.values]);
  const indexes: number[][] = [];
  const chosen: number[] = [];
  let widest = 0;
  const rows = [...new Set([...a.rows.keys(), ...b.rows.keys()])].sort((x, y) => x - y);
  for (const row of rows) {
    const where = new Map<Key, number>();
    const keys = (elements: readonly number[], offset: number) =>
      new Set(
        elements.map((element) => {
          const key = keyAt(values, element + offset);
          where.set(key, element + offset);
          return key;
        }),
      );
    const first = keys(a.rows.get(row) ?? noElements, 0);
    const second = keys(b.rows.get(row) ?? noElements, a.values.size);
    const result = [...operation(first, second)].sort((x, y) => (x < y ? -1 : 1));
    const outer = strides.map((stride, d) => Math.floor(row / stride) % (a.outer[d] ?? 1));
    for (const [i, key] of result.entries()) {
      indexes.push([...outer, i]);
      chosen.push(where.get(key) ?? 0);
    }
    widest = Math.max(widest, result.length);
  }
  return sparseOutputs(indexes, pick(values, chosen), [...a.outer, widest]);
}

/** An element is looked up by its key, a string by all of its bytes. */
const NANOS_PER_ELEMENT = 1000;
const NANOS_PER_BYTE = 10;

function elementsCost(tensor: Tensor): number {
  const bytes = tensor.dtype === "string" ? tensor.byteLength : 0;
  return tensor.size * NANOS_PER_ELEMENT + bytes * NANOS_PER_BYTE;
}

function setKernel(
  op: string,
  rowsOf: (inputs: readonly Tensor[], validate: boolean) => readonly [SetRows, SetRows],
): KernelDefinition {
  return pureKernel(
    op,
    (node) => {
      const name = node.string("set_operation");
      const operation = operations[name];
      if (operation === undefined) {
        throw invalidArgument(`Invalid set_operation ${name}.`);
      }
      const validate = node.bool("validate_indices");
      return (inputs) => combine(...rowsOf(inputs, validate), operation);
    },
    {
      types: { T: types },
      cost: (_, inputs) => inputs.reduce((sum, input) => sum + elementsCost(input), 0),
    },
  );
}

/** The number of distinct elements in each set. */
function setSize({ outer, values, rows }: SetRows): Tensor {
  const sizes = newNumbers("int32", outer);
  for (const [row, elements] of rows) {
    sizes[row] = new Set(elements.map((element) => keyAt(values, element))).size;
  }
  return new Tensor("int32", outer, sizes);
}

/** Operations on sets of elements along the last dimension. */
export const setKernels: readonly KernelDefinition[] = [
  setKernel("DenseToDenseSetOperation", (inputs) => [
    denseRows(inputAt(inputs, 0)),
    denseRows(inputAt(inputs, 1)),
  ]),
  setKernel("DenseToSparseSetOperation", (inputs, validate) => [
    denseRows(inputAt(inputs, 0)),
    sparseRows(sparseAt(inputs, 1), validate),
  ]),
  setKernel("SparseToSparseSetOperation", (inputs, validate) => [
    sparseRows(sparseAt(inputs, 0), validate),
    sparseRows(sparseAt(inputs, 3), validate),
  ]),
  pureKernel(
    "SetSize",
    (node) => {
      const validate = node.bool("validate_indices");
      return (inputs) => [setSize(sparseRows(sparseAt(inputs, 0), validate))];
    },
    { types: { T: types }, cost: (_, inputs) => elementsCost(inputAt(inputs, 1)) },
  ),
];
