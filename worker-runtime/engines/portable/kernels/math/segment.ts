import type { DType } from "../../../../protocol/dtype.js";
import { integerRange } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { entriesPerElement, isByteList, type TensorData } from "../../../../protocol/tensor-data.js";
import type { KernelDefinition } from "../kernel.js";
import { type Accumulation, accumulator } from "../support/accumulate.js";
import { allocate, checkedSize } from "../support/allocation.js";
import { type Cost, pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, indexTypes, numberTypes, realTypes } from "../support/dtypes.js";
import { indicesOf, inputAt, integersOf, scalarOf } from "../support/elements.js";
import { cppShapeText, productOf, sameShape } from "../support/shapes.js";

/** How the rows of a segment are reduced: the initial value, how rows are added, and the final step. */
interface SegmentReduction {
  readonly kind: Accumulation;
  /** The value of an empty segment, for sorted segments. */
  readonly empty: 0 | 1;
  readonly mean?: boolean;
}

/** @param entries per element: all but the first, such as an imaginary part, stay 0. */
function fillWith(data: TensorData, value: bigint | number, entries: number): void {
  if (value !== 0 && entries === 2 && !isByteList(data)) {
    for (let i = 0; i < data.length; i += 2) {
      data[i] = Number(value);
    }
  } else if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    data.fill(BigInt(value));
  } else if (!isByteList(data)) {
    data.fill(Number(value));
  }
}

/** Which rows go where: rows[i] of the input is added to row ids[i] of the output. */
interface Assignment {
  readonly ids: ArrayLike<number>;
  readonly rows?: ArrayLike<number>;
}

/**
 * Reduces rows by segments whose ids do not decrease. The first row of a segment is copied; the others are added to it.
 * @param scale the divisor for a segment of this many rows, for floats.
 */
function reduceSorted(
  input: Tensor,
  { ids, rows }: Assignment,
  count: number,
  { kind, empty }: SegmentReduction,
  scale: (rows: number) => number,
): Tensor {
  const shape = [count, ...input.shape.slice(1)];
  const data = allocate(input.dtype, shape);
  const entries = entriesPerElement(input.dtype);
  const inner = productOf(input.shape, 1) * entries;
  if (empty !== 0) {
    fillWith(data, empty, entries);
  }
  const set = accumulator("set", input.dtype, data, input.data);
  const add = accumulator(kind, input.dtype, data, input.data);
  checkedSize("int32", [count]);
  const sizes = new Int32Array(count);
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[i] as number;
    const row = rows === undefined ? i : (rows[i] as number);
    (sizes[id] === 0 ? set : add)(id * inner, row * inner, inner);
    sizes[id] = (sizes[id] as number) + 1;
  }
  divideRows(data, sizes, inner, scale);
  return new Tensor(input.dtype, shape, data);
}

function divideRows(
  data: TensorData,
  sizes: Int32Array,
  inner: number,
  scale: (rows: number) => number,
): void {
  for (const [id, rows] of sizes.entries()) {
    const divisor = scale(rows);
    if (divisor === 1) {
      continue;
    }
    for (let i = id * inner; i < (id + 1) * inner; i += 1) {
      if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
        data[i] = (data[i] as bigint) / BigInt(divisor);
      } else if (!isByteList(data)) {
        data[i] = (data[i] as number) / divisor;
      }
    }
  }
}

/** @throws TensorFlowError INVALID_ARGUMENT for ids that are negative or decrease. */
function sortedIds(ids: Tensor): ArrayLike<number> {
  const list = indicesOf(ids);
  for (let i = 0; i < list.length; i += 1) {
    if ((list[i] as number) < 0) {
      throw invalidArgument("segment ids must be >= 0");
    }
    if (i > 0 && (list[i] as number) < (list[i - 1] as number)) {
      throw invalidArgument("segment ids are not increasing");
    }
  }
  return list;
}

const unscaled = () => 1;
const byRows = (rows: number) => Math.max(rows, 1);

function segmentKernel(op: string, types: readonly DType[], reduction: SegmentReduction): KernelDefinition {
  const compute = withSmallFloats((inputs) => {
    const [input, ids] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    if (ids.shape.length !== 1) {
      throw invalidArgument("segment_ids should be a vector.");
    }
    if (input.shape.length === 0 || ids.size !== input.shape[0]) {
      throw invalidArgument("segment_ids should be the same size as dimension 0 of input.");
    }
    const list = sortedIds(ids);
    const count = list.length === 0 ? 0 : (list[list.length - 1] as number) + 1;
    return [
      reduceSorted(input, { ids: list }, count, reduction, reduction.mean === true ? byRows : unscaled),
    ];
  });
  return pureKernel(op, () => compute, { types: { T: types, Tindices: indexTypes }, cost: sortedCost(1) });
}

/** The greatest finite values of float dtypes. */
const greatestFloats: Partial<Record<DType, number>> = {
  float32: (2 - 2 ** -23) * 2 ** 127,
  float64: Number.MAX_VALUE,
  float16: 65504,
  bfloat16: (2 - 2 ** -7) * 2 ** 127,
};

/** The value of an empty unsorted segment. */
function unsortedStart(kind: Accumulation, dtype: DType): bigint | number {
  const range = integerRange(dtype);
  const largest = greatestFloats[dtype] ?? 0;
  switch (kind) {
    case "max":
      return range?.min ?? -largest;
    case "min":
      return range?.max ?? largest;
    default:
      return kind === "mul" ? 1 : 0;
  }
}

/** @param start the value of an empty segment. */
function unsortedSegment(
  kind: Accumulation,
  start: bigint | number,
  input: Tensor,
  ids: Tensor,
  countInput: Tensor,
): Tensor {
  if (countInput.shape.length !== 0) {
    throw invalidArgument(`num_segments should be a scalar, not shape ${cppShapeText(countInput.shape)}`);
  }
  const depth = ids.shape.length;
  if (!sameShape(input.shape.slice(0, depth), ids.shape)) {
    throw invalidArgument(
      `data.shape = ${cppShapeText(input.shape)} does not start with segment_ids.shape = ${cppShapeText(ids.shape)}`,
    );
  }
  const count = integersOf(countInput)[0] ?? 0;
  if (count < 0) {
    throw invalidArgument(`Input num_segments == ${count} must not be negative.`);
  }
  const shape = [count, ...input.shape.slice(depth)];
  const data = allocate(input.dtype, shape);
  const entries = entriesPerElement(input.dtype);
  fillWith(data, start, entries);
  const apply = accumulator(kind, input.dtype, data, input.data);
  const inner = productOf(input.shape, depth) * entries;
  const list = indicesOf(ids);
  for (let i = 0; i < list.length; i += 1) {
    const id = list[i] as number;
    if (id >= count) {
      throw invalidArgument(`segment_ids[${i}] = ${id} is out of range [0, ${count})`);
    }
    // Rows with negative ids belong to no segment.
    if (id >= 0) {
      apply(id * inner, i * inner, inner);
    }
  }
  return new Tensor(input.dtype, shape, data);
}

function sparseSegment(inputs: readonly Tensor[], scale: (rows: number) => number): Tensor {
  const [input, indices, ids] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
  if (indices.shape.length !== 1 || ids.shape.length !== 1) {
    throw invalidArgument("indices and segment_ids should be vectors.");
  }
  if (indices.size !== ids.size) {
    throw invalidArgument("segment_ids and indices should have same size.");
  }
  const list = sortedIds(ids);
  const rows = indicesOf(indices);
  const limit = input.shape[0] ?? 0;
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i] as number;
    if (!(row >= 0 && row < limit)) {
      throw invalidArgument(`Bad: indices[${i}] == ${row} out of range [0, ${limit})`);
    }
  }
  const last = list.length === 0 ? 0 : (list[list.length - 1] as number) + 1;
  const countInput = inputs[3];
  const count = countInput === undefined ? last : scalarOf(countInput, "num_segments");
  if (count < last) {
    throw invalidArgument("segment ids must be < num_segments");
  }
  return reduceSorted(input, { ids: list, rows }, count, { kind: "add", empty: 0 }, scale);
}

const sparseScales = { Sum: unscaled, Mean: byRows, SqrtN: (rows: number) => Math.sqrt(Math.max(rows, 1)) };

const NANOSECONDS_PER_ELEMENT = 10;

/** The number of rows follows from the last id, or from the input after the ids. */
function sortedCost(ids: number, count?: number): Cost {
  return (_, inputs) => {
    const [data, list] = [inputAt(inputs, 0), inputAt(inputs, ids)];
    const given = count === undefined ? undefined : inputs[count];
    const rows = Number((given ?? list).data.at(-1) ?? 0) + (given === undefined ? 1 : 0);
    const row = productOf(data.shape, 1);
    return (data.size + list.size * (row + 1) + Math.max(0, rows) * (row + 1)) * NANOSECONDS_PER_ELEMENT;
  };
}

/** The result is filled before rows are added. */
function unsortedCost(_: unknown, inputs: readonly Tensor[]): number {
  const [data, ids, count] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
  const resultSize = (integersOf(count)[0] ?? 0) * productOf(data.shape, ids.shape.length);
  return (data.size + ids.size + resultSize) * NANOSECONDS_PER_ELEMENT;
}

/** Sums and other reductions of rows by segment. */
export const segmentKernels: readonly KernelDefinition[] = [
  segmentKernel("SegmentSum", numberTypes, { kind: "add", empty: 0 }),
  segmentKernel("SegmentMean", numberTypes, { kind: "add", empty: 0, mean: true }),
  segmentKernel("SegmentMax", realTypes, { kind: "max", empty: 0 }),
  segmentKernel("SegmentMin", realTypes, { kind: "min", empty: 0 }),
  segmentKernel("SegmentProd", numberTypes, { kind: "mul", empty: 1 }),
  ...(
    [
      ["UnsortedSegmentSum", numberTypes, "add"],
      ["UnsortedSegmentMax", realTypes, "max"],
      ["UnsortedSegmentMin", realTypes, "min"],
      ["UnsortedSegmentProd", numberTypes, "mul"],
    ] as const
  ).map(([op, types, kind]) =>
    pureKernel(
      op,
      (node) => {
        const start = unsortedStart(kind, node.type("T"));
        return withSmallFloats((inputs) => [
          unsortedSegment(kind, start, inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)),
        ]);
      },
      {
        types: { T: types, Tindices: [...indexTypes, "int16"], Tnumsegments: indexTypes },
        cost: unsortedCost,
      },
    ),
  ),
  ...Object.entries(sparseScales).flatMap(([name, scale]) =>
    ["", "WithNumSegments"].map((version) =>
      pureKernel(
        `SparseSegment${name}${version}`,
        () => withSmallFloats((inputs) => [sparseSegment(inputs, scale)]),
        {
          types: {
            T: name === "Sum" ? realTypes : allFloatTypes,
            Tidx: indexTypes,
            Tsegmentids: indexTypes,
            ...(version === "" ? {} : { Tnumsegments: indexTypes }),
          },
          cost: sortedCost(2, 3),
        },
      ),
    ),
  ),
];
