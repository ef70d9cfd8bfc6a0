import type { DType } from "../../../protocol/dtype.js";
import { integerRange } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import { int } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { floats, indices, summed } from "./dtypes.js";
import { checkedIndices } from "./gathering.js";
import type { Lowering } from "./lowering.js";
import { type Combination, product, rowCounts, scatterRows } from "./row-scatter.js";
import { FAR, inputAt, scalarTensor, Writer } from "./writer.js";

/** float32's and float64's greatest finite numbers: the extremes of an empty segment of an unsorted op. */
const greatest: Partial<Record<DType, number>> = {
  float32: (2 - 2 ** -23) * 2 ** 127,
  float64: Number.MAX_VALUE,
};

/** The value that changes nothing; for extremes of floats, an infinity. */
function neutral(combination: Combination, dtype: DType): Tensor {
  const range = integerRange(dtype);
  switch (combination) {
    case "max":
      return Tensor.of(range?.min ?? Number.NEGATIVE_INFINITY, dtype);
    case "min":
      return Tensor.of(range?.max ?? Number.POSITIVE_INFINITY, dtype);
    default:
      return scalarTensor(dtype, combination === "mul" ? 1 : 0);
  }
}

/** Values that are rows of a matrix, each for one of `count` segments. */
interface Rows {
  readonly values: OnnxValue;
  /** The segments of the rows: a vector of int64, of ids below `count`. */
  readonly ids: OnnxValue;
  /** A vector of one int64. */
  readonly count: OnnxValue;
  /** The sizes of a row. */
  readonly rowShape: OnnxValue;
}

/** Reduces the rows of each segment. @param start the value of a segment without rows. */
function reduceRows(
  write: Writer,
  { values, ids, count, rowShape }: Rows,
  combination: Combination,
  start: Tensor,
): OnnxValue {
  const width = product(write, rowShape);
  const into = write.filled(write.join(count, rowShape), start);
  const at = { offsets: write.mul(ids, width), width };
  return scatterRows(write, into, at, values, combination);
}

/** A vector with one element per segment, in a shape that broadcasts over its rows. */
function besideRows(write: Writer, perSegment: OnnxValue, rank: number): OnnxValue {
  const behind = Array.from({ length: Math.max(0, rank - 1) }, (_, i) => i + 1);
  return write.unsqueeze(perSegment, ...behind);
}

/** The number that follows the last id of a sorted vector, as a vector of one int64; 0 if it is empty. */
function countOf(write: Writer, ids: OnnxValue): OnnxValue {
  const padded = write.join(write.longs([-1]), ids);
  const last = write.same("ReduceMax", [padded], { keepdims: int(1) });
  return write.add(last, write.longs([1]));
}

/** Ids of sorted segments as int64; the model fails if they are negative or decrease. */
function sorted(write: Writer, input: OnnxValue): OnnxValue {
  const ids = write.cast(input, "int64");
  const before = write.same("Slice", [
    write.join(write.longs([0]), ids),
    write.longs([0]),
    write.longs([-1]),
  ]);
  return write.unless(write.any(write.test("Less", ids, before)), ids);
}

/** The reduction of a sorted op: segments without rows are 0, or 1 for products. */
function reduceSorted(write: Writer, rows: Rows, combination: Combination, rank: number): OnnxValue {
  const { dtype } = rows.values;
  const result = reduceRows(write, rows, combination, neutral(combination, dtype));
  if (combination === "add" || combination === "mul") {
    return result;
  }
  const counts = rowCounts(write, rows.ids, rows.count, write.scalar("int32", 1));
  const hasRows = besideRows(write, write.cast(counts, "bool"), rank);
  return write.where(hasRows, result, write.scalar(dtype, 0));
}

/** Divides sums by the numbers of their rows, or by the roots of these. */
function divided(write: Writer, sums: OnnxValue, rows: Rows, rank: number, byRoot: boolean): OnnxValue {
  const { dtype } = rows.values;
  const counts = rowCounts(write, rows.ids, rows.count, write.scalar(dtype, 1));
  const atLeastOne = write.same("Max", [counts, write.scalar(dtype, 1)]);
  const divisors = byRoot ? write.same("Sqrt", [atLeastOne]) : atLeastOne;
  return write.div(sums, besideRows(write, divisors, rank));
}

function sortedOp(op: string, T: readonly DType[], combination: Combination, isMean = false): Lowering {
  return {
    op,
    types: { T, Tindices: indices },
    shapeInputs: [1],
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const [values, given] = [inputAt(inputs, 0), inputAt(inputs, 1)];
      const rank = context.rank(values);
      if (rank === 0 || context.rank(given) !== 1) {
        return undefined;
      }
      const ids = sorted(write, given);
      const rows = { values, ids, count: countOf(write, ids), rowShape: write.shape(values, 1) };
      const result = reduceSorted(write, rows, combination, rank);
      return [isMean ? divided(write, result, rows, rank, false) : result];
    },
  };
}

/** Rows whose ids are in any order; those with negative ids belong to no segment. */
function unsortedOp(op: string, T: readonly DType[], combination: Combination): Lowering {
  return {
    op,
    types: { T, Tindices: indices, Tnumsegments: indices },
    shapeInputs: [2],
    ...(combination === "max" || combination === "min" ? { hasNoHalves: true } : {}),
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const [values, given, countInput] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
      const depth = context.rank(given);
      if (depth > context.rank(values) || context.rank(countInput) !== 0) {
        return undefined;
      }
      const count = write.vector(countInput);
      const long = write.vector(given);
      const beyond = write.any(write.test("GreaterOrEqual", long, count));
      const shape = write.shape(given);
      const wrongShape = write.differ(write.shape(values, 0, depth), shape);
      // A row behind the others takes what belongs to no segment.
      const kept = write.where(write.test("Less", long, write.longs([0])), count, long);
      const ids = write.unless(write.test("Or", beyond, wrongShape), kept);
      const rows = {
        values,
        ids,
        count: write.add(count, write.longs([1])),
        rowShape: write.shape(values, depth),
      };
      const { dtype } = values;
      const most = greatest[dtype];
      const start =
        most === undefined || combination === "add" || combination === "mul"
          ? neutral(combination, dtype)
          : Tensor.of(combination === "max" ? -most : most, dtype);
      const result = reduceRows(write, rows, combination, start);
      return [write.same("Slice", [result, write.longs([0]), count])];
    },
  };
}

type Scale = "Sum" | "Mean" | "SqrtN";

/** Sums of gathered rows: inputs data, indices, sorted ids and, if it is an input, the number of segments. */
function sparseOp(scale: Scale, isCounted: boolean): Lowering {
  return {
    op: `SparseSegment${scale}${isCounted ? "WithNumSegments" : ""}`,
    types: {
      T: scale === "Sum" ? summed : floats,
      Tidx: indices,
      Tsegmentids: indices,
      ...(isCounted ? { Tnumsegments: indices } : {}),
    },
    shapeInputs: isCounted ? [3] : [2],
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const [data, at, given] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
      const places = checkedIndices(write, context, at);
      const rank = context.rank(data);
      if (rank === 0 || context.rank(at) !== 1 || context.rank(given) !== 1 || places === undefined) {
        return undefined;
      }
      let ids = sorted(write, given);
      let count = countOf(write, ids);
      if (isCounted) {
        const wanted = write.vector(inputAt(inputs, 3));
        ids = write.unless(write.squeeze(write.test("Less", wanted, count), 0), ids);
        count = wanted;
      }
      const values = write.same("Gather", [data, places], { axis: int(0) });
      const rows = { values, ids, count, rowShape: write.shape(data, 1) };
      const sums = reduceSorted(write, rows, "add", rank);
      return [scale === "Sum" ? sums : divided(write, sums, rows, rank, scale === "SqrtN")];
    },
  };
}

/** The gradient of `sparseOp`: inputs the gradients of the segments, indices, ids, and the number of rows. */
function sparseGradient(scale: Scale): Lowering {
  return {
    op: `SparseSegment${scale}Grad`,
    types: { T: floats, Tidx: indices, Tsegmentids: indices },
    shapeInputs: [3],
    lower: (_, inputs, context) => {
      const write = new Writer(context);
      const [gradients, at, given] = [inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2)];
      const rank = context.rank(gradients);
      if (rank === 0 || context.rank(at) !== 1 || context.rank(given) !== 1) {
        return undefined;
      }
      const count = write.vector(inputAt(inputs, 3));
      // No index is checked if the result has no rows.
      const end = write.where(
        write.test("Greater", count, write.longs([0])),
        write.longs([FAR]),
        write.longs([0]),
      );
      const used = (ids: OnnxValue) => write.same("Slice", [write.cast(ids, "int64"), write.longs([0]), end]);
      const [long, owners] = [used(at), write.fromFront(used(given))];
      const wrong = write.any(
        write.test(
          "Or",
          write.test("Less", long, write.longs([0])),
          write.test("GreaterOrEqual", long, count),
        ),
      );
      const ids = write.unless(wrong, long);
      const shares = sharesOf(write, gradients, owners, scale, rank);
      const values = write.same("Gather", [shares, owners], { axis: int(0) });
      const rows = { values, ids, count, rowShape: write.shape(gradients, 1) };
      return [reduceSorted(write, rows, "add", rank)];
    },
  };
}

/** The part of a segment's gradient that each of its rows receives. */
function sharesOf(
  write: Writer,
  gradients: OnnxValue,
  owners: OnnxValue,
  scale: Scale,
  rank: number,
): OnnxValue {
  return scale === "Sum"
    ? gradients
    : divided(
        write,
        gradients,
        {
          values: gradients,
          ids: owners,
          count: write.shape(gradients, 0, 1),
          rowShape: write.shape(gradients, 1),
        },
        rank,
        scale === "SqrtN",
      );
}

const scales = ["Sum", "Mean", "SqrtN"] as const satisfies readonly Scale[];

/** Sums and other reductions of rows by segment, and their gradients. */
export const segmentLowerings: readonly Lowering[] = [
  sortedOp("SegmentSum", summed, "add"),
  sortedOp("SegmentMean", summed, "add", true),
  sortedOp("SegmentProd", summed, "mul"),
  sortedOp("SegmentMax", summed, "max"),
  sortedOp("SegmentMin", summed, "min"),
  unsortedOp("UnsortedSegmentSum", summed, "add"),
  unsortedOp("UnsortedSegmentProd", summed, "mul"),
  unsortedOp("UnsortedSegmentMax", summed, "max"),
  unsortedOp("UnsortedSegmentMin", summed, "min"),
  ...scales.flatMap((scale) => [sparseOp(scale, false), sparseOp(scale, true), sparseGradient(scale)]),
];
