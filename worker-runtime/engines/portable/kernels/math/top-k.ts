import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList, type NumericArray } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { perElement, pureKernel, withSmallFloats } from "../support/define.js";
import { indexTypes, realTypes } from "../support/dtypes.js";
import { indicesOf, inputAt, integersOf, integerTensor, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";

/** Whether the element at i precedes the one at j: it is greater, or equal with a lower index. */
function comesBefore(x: NumericArray, i: number, j: number): boolean {
  const [a, b] = [x[i] as number, x[j] as number];
  return a > b || (!(a < b) && i < j);
}

/** The indices of the k greatest of x[from] … x[from + n - 1], in descending order, found with a heap of size k. */
function greatestIndices(x: NumericArray, from: number, n: number, k: number): number[] {
  if (k >= n / 4) {
    const all = Array.from({ length: n }, (_, i) => from + i);
    return all.sort((i, j) => (comesBefore(x, i, j) ? -1 : 1)).slice(0, k);
  }
  // heap[0] is the lowest-ranked of those kept.
  const heap: number[] = [];
  const sink = (start: number) => {
    let at = start;
    for (;;) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && comesBefore(x, heap[worst] as number, heap[child] as number)) {
          worst = child;
        }
      }
      if (worst === at) {
        return;
      }
      [heap[at], heap[worst]] = [heap[worst] as number, heap[at] as number];
      at = worst;
    }
  };
  for (let i = from; i < from + n; i += 1) {
    if (heap.length < k) {
      heap.push(i);
      if (heap.length === k) {
        for (let start = Math.floor(k / 2); start >= 0; start -= 1) {
          sink(start);
        }
      }
    } else if (k > 0 && comesBefore(x, i, heap[0] as number)) {
      heap[0] = i;
      sink(0);
    }
  }
  return heap.sort((i, j) => (comesBefore(x, i, j) ? -1 : 1));
}

/** The dtypes of the second output. */
const outputIndexTypes = ["int16", "int32", "int64"] as const;
type OutputIndexType = (typeof outputIndexTypes)[number];

function topK(input: Tensor, k: number, indexType: OutputIndexType): [Tensor, Tensor] {
  if (k < 0) {
    throw invalidArgument(`Need k >= 0, got ${k}`);
  }
  if (input.shape.length < 1) {
    throw invalidArgument(`input must be >= 1-D, got shape ${cppShapeText(input.shape)}`);
  }
  const n = input.shape.at(-1) ?? 0;
  if (n < k) {
    throw invalidArgument(`input must have at least k columns. Had ${n}, needed ${k}`);
  }
  const { data } = input;
  if (isByteList(data)) {
    throw invalidArgument("Strings have no order here.");
  }
  const shape = [...input.shape.slice(0, -1), k];
  const values = allocate(input.dtype, shape);
  const [to, from] = [wordsOf(input.dtype, values), wordsOf(input.dtype, data)];
  const indices = newNumbers("float64", shape);
  for (let row = 0; row * k < indices.length; row += 1) {
    for (const [i, index] of greatestIndices(data, row * n, n, k).entries()) {
      copyElements(to, row * k + i, from, index, 1);
      indices[row * k + i] = index - row * n;
    }
  }
  return [new Tensor(input.dtype, shape, values), integerTensor(indexType, shape, indices)];
}

/** Whether the target is among the k most probable; predictions that are not finite cannot be compared. */
function inTopK(predictions: Tensor, targets: Tensor, k: number): Tensor {
  if (predictions.shape.length !== 2) {
    throw invalidArgument("predictions must be 2-dimensional");
  }
  if (targets.shape.length !== 1) {
    throw invalidArgument("targets must be 1-dimensional");
  }
  const [rows = 0, classes = 0] = predictions.shape;
  if (rows !== targets.size) {
    throw invalidArgument(
      `First dimension of predictions ${rows} must match length of targets ${targets.size}`,
    );
  }
  const x = numbersOf(predictions);
  const list = indicesOf(targets);
  const out = newNumbers("bool", [rows]);
  for (let row = 0; row < rows; row += 1) {
    const target = list[row] as number;
    const line = x.subarray(row * classes, (row + 1) * classes);
    const wanted = target >= 0 && target < classes ? (line[target] as number) : Number.NaN;
    if (Number.isFinite(wanted) && line.every((value) => Number.isFinite(value))) {
      let above = 0;
      for (const value of line) {
        above += value > wanted ? 1 : 0;
      }
      out[row] = above < k ? 1 : 0;
    }
  }
  return new Tensor("bool", [rows], out);
}

function scalarK(input: Tensor): number {
  if (input.shape.length !== 0) {
    throw invalidArgument(`k must be scalar, got shape ${cppShapeText(input.shape)}`);
  }
  return integersOf(input)[0] ?? 0;
}

/** If most of a row is requested, the row is sorted. */
const sortingCost = perElement(500);

/** The greatest elements of rows. */
export const topKKernels: readonly KernelDefinition[] = [
  pureKernel(
    "TopK",
    (node) => withSmallFloats((inputs) => topK(inputAt(inputs, 0), node.int("k"), "int32")),
    { types: { T: realTypes }, cost: sortingCost },
  ),
  pureKernel(
    "TopKV2",
    (node) => {
      const named = node.has("index_type") ? node.type("index_type") : "int32";
      const indexType = outputIndexTypes.find((one) => one === named) ?? "int32";
      return withSmallFloats((inputs) => topK(inputAt(inputs, 0), scalarK(inputAt(inputs, 1)), indexType));
    },
    {
      types: { T: realTypes, Tk: [...indexTypes, "int16"], index_type: [...indexTypes, "int16"] },
      cost: sortingCost,
    },
  ),
  pureKernel(
    "InTopK",
    (node) => (inputs) => [inTopK(inputAt(inputs, 0), inputAt(inputs, 1), node.int("k"))],
    { types: { T: indexTypes } },
  ),
  pureKernel(
    "InTopKV2",
    () => (inputs) => [inTopK(inputAt(inputs, 0), inputAt(inputs, 1), scalarK(inputAt(inputs, 2)))],
    { types: { T: indexTypes } },
  ),
];
