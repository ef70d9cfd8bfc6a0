import { Tensor } from "../../../protocol/tensor.js";
import { type Band, bandOf, mainDiagonal } from "../kernels/array/diagonal-band.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { int } from "../onnx/attributes.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import { limited, moved } from "./dtypes.js";
import { accepted } from "./fits.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { inputAt, numberAt, scalarTensor, Writer } from "./writer.js";

/** The indices of a matrix's elements are a constant in the model. */
const MAX_ELEMENTS = 1 << 20;

/** The dtypes that ONNX Runtime pads. */
const padded = new Set<string>([...limited, "bool"]);

const isMain = ({ low, high }: Band) => low === 0 && high === 0;

/** The diagonals named by input k; undefined if they are unknown or invalid. */
function bandAt(node: KernelNode, input: OnnxValue, context: LoweringContext): Band | undefined {
  const k = context.value(input);
  return k && accepted(() => bandOf(k, node.has("align") ? node.string("align") : "LEFT_LEFT"));
}

/**
 * Copies elements of vectors to a matrix or a band.
 * @param from the vectors along the last axis.
 * @param sizes all sizes of the result, of which the last ones replace that axis.
 */
function picked(
  write: Writer,
  from: OnnxValue,
  rank: number,
  chosen: BigInt64Array,
  sizes: readonly number[],
): OnnxValue {
  const at = write.model.constant(new Tensor("int64", [chosen.length], chosen));
  return write.reshape(write.same("Gather", [from, at], { axis: int(rank - 1) }), write.longs(sizes));
}

/** Vectors of the last dimensions of a tensor, with a number appended to each unless it is undefined. */
function asVectors(
  write: Writer,
  input: OnnxValue,
  outer: readonly number[],
  length: number,
  appended?: OnnxValue,
): OnnxValue {
  const vectors = write.reshape(input, write.longs([...outer, length]));
  return appended === undefined
    ? vectors
    : write.same("Concat", [vectors, write.same("Expand", [appended, write.longs([...outer, 1])])], {
        axis: int(outer.length),
      });
}

/**
 * Square matrices with vectors on their main diagonals: n zeros after each element make n vectors of n + 1, whose elements in
 * a row are those of the matrix and n zeros too many.
 */
function diagonalMatrices(write: Writer, vectors: OnnxValue, rank: number): OnnxValue {
  const length = write.shape(vectors, rank - 1);
  const outer = rank === 1 ? [] : [write.shape(vectors, 0, rank - 1)];
  const pads = write.join(write.longs([0]), length);
  const zero = write.model.constant(scalarTensor(vectors.dtype, 0));
  const wide = write.same("Pad", [write.unsqueeze(vectors, rank), pads, zero, write.longs([rank])]);
  const long = write.mul(length, write.add(length, write.longs([1])));
  const flat = write.reshape(wide, write.join(...outer, long));
  const cut = write.same("Slice", [
    flat,
    write.longs([0]),
    write.mul(length, length),
    write.longs([rank - 1]),
  ]);
  return write.reshape(cut, write.join(...outer, length, length));
}

/** The main diagonals of matrices: each element is one more than a row behind the last one. */
function mainDiagonals(write: Writer, matrices: OnnxValue, rank: number): OnnxValue {
  const [rows, columns] = [write.shape(matrices, rank - 2, rank - 1), write.shape(matrices, rank - 1)];
  const outer = rank === 2 ? [] : [write.shape(matrices, 0, rank - 2)];
  const flat = write.reshape(matrices, write.join(...outer, write.mul(rows, columns)));
  const end = write.mul(write.same("Min", [rows, columns]), columns);
  const step = write.add(columns, write.longs([1]));
  return write.same("Slice", [flat, write.longs([0]), end, write.longs([rank - 2]), step]);
}

/** @param sizes the number of rows and columns, -1 where it is not given: of square matrices both are. */
function matrixDiag(
  diagonals: OnnxValue,
  band: Band,
  sizes: readonly [rows: number, columns: number],
  padding: OnnxValue,
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const shape = context.shape(diagonals);
  const own = band.count > 1 ? 2 : 1;
  if (shape === undefined || shape.length < own || (own === 2 && shape.at(-2) !== band.count)) {
    return undefined;
  }
  const [outer, longest] = [shape.slice(0, -own), shape.at(-1) ?? 0];
  const [leastRows, leastColumns] = [longest - Math.min(band.high, 0), longest + Math.max(band.low, 0)];
  const square = Math.max(leastRows, leastColumns);
  const isSquare = sizes[0] === -1 && sizes[1] === -1;
  const rows = isSquare ? square : sizes[0] === -1 ? leastRows : sizes[0];
  const columns = isSquare ? square : sizes[1] === -1 ? leastColumns : sizes[1];
  const isTooSmall = rows < leastRows || columns < leastColumns;
  if (isTooSmall || (rows !== leastRows && columns !== leastColumns) || rows * columns > MAX_ELEMENTS) {
    return undefined;
  }
  const given = band.count * longest;
  const chosen = new BigInt64Array(rows * columns).fill(BigInt(given));
  band.forEach(rows, columns, (inMatrix, inBand) => {
    chosen[inMatrix] = BigInt(inBand);
  });
  const write = new Writer(context);
  const vectors = asVectors(write, diagonals, outer, given, padding);
  return [picked(write, vectors, outer.length + 1, chosen, [...outer, rows, columns])];
}

/** The batch, rows and columns of matrices that have the diagonals of a band. */
interface Matrices {
  readonly outer: readonly number[];
  readonly rows: number;
  readonly columns: number;
  readonly longest: number;
}

function matricesOf(input: OnnxValue, band: Band, context: LoweringContext): Matrices | undefined {
  const shape = context.shape(input);
  if (shape === undefined || shape.length < 2) return undefined;
  const [outer, rows, columns] = [shape.slice(0, -2), shape.at(-2) ?? 0, shape.at(-1) ?? 0];
  const isWithin = accepted(() => band.checkWithin(rows, columns) ?? true);
  return isWithin && rows * columns <= MAX_ELEMENTS
    ? { outer, rows, columns, longest: band.longest(rows, columns) }
    : undefined;
}

function matrixDiagPart(
  input: OnnxValue,
  band: Band,
  padding: OnnxValue,
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const matrices = matricesOf(input, band, context);
  if (matrices === undefined) return undefined;
  const { outer, rows, columns, longest } = matrices;
  const chosen = new BigInt64Array(band.count * longest).fill(BigInt(rows * columns));
  band.forEach(rows, columns, (inMatrix, inBand) => {
    chosen[inBand] = BigInt(inMatrix);
  });
  const write = new Writer(context);
  const vectors = asVectors(write, input, outer, rows * columns, padding);
  return [picked(write, vectors, outer.length + 1, chosen, [...outer, ...band.shape(longest)])];
}

/** Replaces diagonals, by a selection from the elements of both inputs. */
function matrixSetDiag(
  input: OnnxValue,
  diagonals: OnnxValue,
  band: Band,
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const matrices = matricesOf(input, band, context);
  if (matrices === undefined) return undefined;
  const { outer, rows, columns, longest } = matrices;
  if (context.shape(diagonals)?.join() !== [...outer, ...band.shape(longest)].join()) return undefined;
  const size = rows * columns;
  const chosen = BigInt64Array.from({ length: size }, (_, i) => BigInt(i));
  band.forEach(rows, columns, (inMatrix, inBand) => {
    chosen[inMatrix] = BigInt(size + inBand);
  });
  const write = new Writer(context);
  const parts = [
    asVectors(write, input, outer, size),
    asVectors(write, diagonals, outer, band.count * longest),
  ];
  const all = write.same("Concat", parts, { axis: int(outer.length) });
  return [picked(write, all, outer.length + 1, chosen, [...outer, rows, columns])];
}

/** A tensor with the input on its diagonal, and the input's shape twice. */
function diag(input: OnnxValue, context: LoweringContext): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  if (context.rank(input) === 0) return undefined;
  const shape = write.shape(input);
  const flat = write.reshape(input, write.longs([-1]));
  return [write.reshape(diagonalMatrices(write, flat, 1), write.join(shape, shape))];
}

/** The diagonal of a tensor whose shape is another one twice. */
function diagPart(input: OnnxValue, context: LoweringContext): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const half = context.rank(input) / 2;
  if (half === 0) return [input];
  if (!Number.isInteger(half)) return undefined;
  const [first, second] = [write.shape(input, 0, half), write.shape(input, half)];
  const shape = write.unless(write.differ(first, second), first);
  const side = write.same("ReduceProd", [shape], { keepdims: int(1) });
  const matrix = write.reshape(input, write.join(side, side));
  return [write.reshape(mainDiagonals(write, matrix, 2), shape)];
}

function versions(name: string, lower: Lowering["lower"], shapeInputs: readonly number[]): Lowering[] {
  return ["V2", "V3"].map((version) => ({
    op: `${name}${version}`,
    types: { T: moved },
    shapeInputs,
    lower,
  }));
}

/** Diagonals of matrices. Those named by an input are packed as in the kernels. */
export const diagonalLowerings: readonly Lowering[] = [
  {
    op: "Diag",
    types: { T: limited },
    lower: (_, inputs, context) => diag(inputAt(inputs, 0), context),
  },
  {
    op: "DiagPart",
    types: { T: moved },
    lower: (_, inputs, context) => diagPart(inputAt(inputs, 0), context),
  },
  {
    op: "MatrixDiag",
    types: { T: [...limited, "bool"] },
    lower: (_, inputs, context) => {
      const rank = context.rank(inputAt(inputs, 0));
      return rank === 0 ? undefined : [diagonalMatrices(new Writer(context), inputAt(inputs, 0), rank)];
    },
  },
  {
    op: "MatrixDiagPart",
    types: { T: moved },
    lower: (_, inputs, context) => {
      const rank = context.rank(inputAt(inputs, 0));
      return rank < 2 ? undefined : [mainDiagonals(new Writer(context), inputAt(inputs, 0), rank)];
    },
  },
  {
    op: "MatrixSetDiag",
    types: { T: moved },
    lower: (_, inputs, context) =>
      matrixSetDiag(inputAt(inputs, 0), inputAt(inputs, 1), mainDiagonal, context),
  },
  ...versions(
    "MatrixDiag",
    (node, inputs, context) => {
      const diagonals = inputAt(inputs, 0);
      const band = bandAt(node, inputAt(inputs, 1), context);
      const rows = numberAt(context, inputAt(inputs, 2));
      const columns = numberAt(context, inputAt(inputs, 3));
      if (band === undefined || rows === undefined || columns === undefined) return undefined;
      const rank = context.rank(diagonals);
      return isMain(band) && rows === -1 && columns === -1 && rank > 0 && padded.has(diagonals.dtype)
        ? [diagonalMatrices(new Writer(context), diagonals, rank)]
        : matrixDiag(diagonals, band, [rows, columns], inputAt(inputs, 4), context);
    },
    [1, 2, 3],
  ),
  ...versions(
    "MatrixDiagPart",
    (node, inputs, context) => {
      const input = inputAt(inputs, 0);
      const band = bandAt(node, inputAt(inputs, 1), context);
      if (band === undefined) return undefined;
      return isMain(band) && context.rank(input) >= 2
        ? [mainDiagonals(new Writer(context), input, context.rank(input))]
        : matrixDiagPart(input, band, inputAt(inputs, 2), context);
    },
    [1],
  ),
  ...versions(
    "MatrixSetDiag",
    (node, inputs, context) => {
      const band = bandAt(node, inputAt(inputs, 2), context);
      return band && matrixSetDiag(inputAt(inputs, 0), inputAt(inputs, 1), band, context);
    },
    [],
  ),
];
