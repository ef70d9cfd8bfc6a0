/** What random graphs grow by: each rule adds one or a few nodes if there are values that it can be applied to. */
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { integers } from "../arbitraries.js";
import { imageRules } from "./image-rules.js";
import { product, type RandomGraph, ROWS, type Value } from "./random-graph.js";

type Rule = (g: RandomGraph) => void;

const isExact = ({ grid }: Value): boolean => grid !== undefined;
const rank = ({ shape }: Value): number => shape.length;
const elements = ({ shape }: Value): number => product(shape.map((size) => (size === ROWS ? 4 : size)));
/** Axes whose size does not differ between steps. */
const fixedAxes = ({ shape }: Value): number[] => shape.flatMap((size, axis) => (size > 0 ? axis : []));

function scalar(g: RandomGraph, value: number): Tensor {
  return Tensor.of(value, g.dtype);
}

/** Functions of one floating tensor, with the bound of the result. */
const unary: Readonly<Record<string, (bound: number) => number>> = {
  Tanh: () => 1,
  Sigmoid: () => 1,
  Softplus: (bound) => bound + 1,
  Elu: (bound) => Math.max(bound, 1),
  Selu: (bound) => 2 * Math.max(bound, 1),
  Softsign: () => 1,
  Erf: () => 1,
  LeakyRelu: (bound) => bound,
  Expm1: (bound) => Math.exp(bound),
  Exp: (bound) => Math.exp(bound),
};

/** Functions that do not round. */
const exactUnary: readonly string[] = ["Relu", "Neg", "Abs", "Identity", "Square"];
/** Functions whose results would differ by much for inputs that differ by little. */
const steps: readonly string[] = ["Floor", "Ceil", "Round", "Sign"];

const functions: readonly Rule[] = [
  (g) => {
    const op = g.draw.of(Object.keys(unary));
    const isSteep = op === "Exp" || op === "Expm1";
    const single = ["Softplus", "Softsign", "Erf"].includes(op);
    const x = g.pickFloat(({ bound, dtype }) => (!isSteep || bound <= 2) && (!single || dtype === "float32"));
    if (x !== undefined) g.add(g.op(op, [x]), unary[op]?.(x.bound) ?? 0, undefined);
  },
  (g) => {
    const op = g.draw.of(exactUnary);
    const x = g.pickFloat(({ bound }) => op !== "Square" || bound <= 4);
    if (x === undefined) return;
    const grid = x.grid === undefined ? undefined : x.grid * (op === "Square" ? 2 : 1);
    g.add(g.op(op, [x]), op === "Square" ? x.bound ** 2 : x.bound, grid);
  },
  (g) => {
    const x = g.pickFloat(isExact);
    if (x !== undefined) g.add(g.op(g.draw.of(steps), [x]), x.bound + 1, 0);
  },
  (g) => {
    const x = g.pickFloat();
    if (x === undefined) return;
    // Away from the infinities at 0.
    const above = g.op("AddV2", [g.op("Abs", [x]), scalar(g, g.draw.of([0.5, 1, 2]))]);
    const op = g.draw.of(["Sqrt", "Rsqrt", "Log", "Reciprocal"]);
    g.add(g.op(op, [above]), x.bound + 2, undefined);
  },
];

/** Whether two shapes broadcast to one whatever the number of rows. */
function broadcast(left: Value, right: Value): boolean {
  const [a, b] = [[...left.shape].reverse(), [...right.shape].reverse()];
  return a.every((size, i) => b[i] === undefined || b[i] === size || size === 1 || b[i] === 1);
}

function pair(g: RandomGraph, fits: (value: Value) => boolean): readonly [Value, Value] | undefined {
  const x = g.pick(fits);
  const y = x && g.pick((other) => fits(other) && other.dtype === x.dtype && broadcast(x, other));
  return x && y && elements(x) * elements(y) < 100_000 ? [x, y] : undefined;
}

const bothGrids = (x: Value, y: Value, join: (a: number, b: number) => number): number | undefined =>
  x.grid === undefined || y.grid === undefined ? undefined : join(x.grid, y.grid);
const finer = (a: number, b: number): number => Math.max(a, b);

const combinations: readonly Rule[] = [
  (g) => {
    const found = pair(g, ({ dtype }) => dtype !== "bool");
    if (found === undefined) return;
    const [x, y] = found;
    const op = g.draw.of(["AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"]);
    const both = x.bound + y.bound;
    if (op === "Mul")
      g.add(
        g.op(op, [x, y]),
        x.bound * y.bound,
        bothGrids(x, y, (a, b) => a + b),
      );
    else if (op === "SquaredDifference")
      g.add(
        g.op(op, [x, y]),
        both ** 2,
        bothGrids(x, y, (a, b) => 2 * finer(a, b)),
      );
    else g.add(g.op(op, [x, y]), both, bothGrids(x, y, finer));
  },
  (g) => {
    const found = pair(g, ({ dtype }) => dtype === g.dtype);
    if (found === undefined) return;
    const [x, y] = found;
    const divisor = g.op("AddV2", [g.op("Square", [y]), scalar(g, 1)]);
    g.add(g.op("RealDiv", [x, divisor]), x.bound, undefined);
  },
  (g) => {
    const found = pair(g, (value) => value.dtype !== "bool" && isExact(value));
    const op = g.draw.of(["Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"]);
    if (found !== undefined) g.add(g.op(op, found), 1, 0);
  },
  (g) => {
    const found = pair(g, ({ dtype }) => dtype === "bool");
    if (found !== undefined) g.add(g.op(g.draw.of(["LogicalAnd", "LogicalOr"]), found), 1, 0);
    const flags = g.pick(({ dtype }) => dtype === "bool");
    if (flags !== undefined && g.draw.chance(30)) g.add(g.op("LogicalNot", [flags]), 1, 0);
  },
  (g) => {
    const flags = g.pick(({ dtype }) => dtype === "bool");
    const x = flags && g.pickFloat((value) => broadcast(flags, value));
    const y = x && g.pickFloat((value) => broadcast(flags, value) && broadcast(x, value));
    if (flags && x && y)
      g.add(g.op("SelectV2", [flags, x, y]), Math.max(x.bound, y.bound), bothGrids(x, y, finer));
  },
];

const numbers: readonly Rule[] = [
  (g) => {
    const x = g.pick((value) => isExact(value) || value.dtype === "bool");
    if (x === undefined) return;
    const DstT = g.draw.of([g.dtype, "int32", "int64"] as const);
    if (x.dtype !== DstT) g.add(g.op("Cast", [x], { DstT }), x.bound, DstT === g.dtype ? x.grid : 0);
  },
  (g) => {
    const x = g.pick(({ dtype }) => dtype === "int32" || dtype === "int64");
    if (x === undefined) return;
    const divisor = g.draw.of([-3, -2, 2, 3, 5]);
    const op = g.draw.of(["FloorDiv", "FloorMod"]);
    g.add(g.op(op, [x, integers(x.dtype, [divisor], [])]), op === "FloorDiv" ? x.bound : 5, 0);
  },
  (g) => {
    const x = g.pick(
      (value) => (value.dtype === "int32" || value.dtype === "int64") && elements(value) < 200,
    );
    if (x === undefined) return;
    const depth = g.draw.int(2, 5);
    const index = g.op("FloorMod", [x, integers(x.dtype, [depth], [])]);
    if (g.draw.chance(40)) g.add(g.op("OneHot", [index, depth, scalar(g, 1), scalar(g, -0.5)]), 1, 1);
    else {
      const table = g.weights([depth, g.draw.int(1, 4)]);
      g.add(g.op("GatherV2", [table, index, 0]), 1, table.grid);
    }
  },
  (g) => {
    const x = g.pickFloat((value) => isExact(value) && fixedAxes(value).length > 0);
    if (x === undefined) return;
    const op = g.draw.of(["ArgMax", "ArgMin"]);
    const axis = g.draw.of(fixedAxes(x));
    g.add(
      g.op(op, [x, axis], { output_type: g.draw.of(["int32", "int64"] as const) }),
      x.shape[axis] ?? 0,
      0,
    );
  },
];

const matrices: readonly Rule[] = [
  (g) => {
    const x = g.pickFloat((value) => rank(value) === 2 && (value.shape[1] ?? 0) > 0);
    if (x === undefined) return;
    const [inner, outer] = [x.shape[1] ?? 0, g.draw.int(1, 8)];
    const transpose_b = g.draw.chance(30);
    const w = g.weights(transpose_b ? [outer, inner] : [inner, outer]);
    const y = g.op("MatMul", [x, w], { transpose_b });
    const bound = x.bound * inner;
    if (g.draw.chance(50))
      g.add(
        y,
        bound,
        bothGrids(x, w, (a, b) => a + b),
      );
    else g.add(g.op("BiasAdd", [y, g.weights([outer])]), bound + 1, undefined);
  },
  (g) => {
    const x = g.pickFloat(
      (value) => rank(value) === 2 && value.shape[0] === ROWS && (value.shape[1] ?? 0) > 0,
    );
    const y =
      x && g.pickFloat((value) => rank(value) === 2 && value.shape[0] === ROWS && (value.shape[1] ?? 0) > 0);
    if (x && y) g.add(g.op("MatMul", [x, y], { transpose_a: true }), x.bound * y.bound * 8, undefined);
  },
  (g) => {
    const x = g.pickFloat((value) => rank(value) === 3 && (value.shape[2] ?? 0) > 0);
    if (x === undefined) return;
    const inner = x.shape[2] ?? 0;
    if (g.draw.chance(40))
      g.add(g.op("BatchMatMulV2", [x, x], { adj_y: true }), x.bound ** 2 * inner, undefined);
    else g.add(g.op("BatchMatMulV2", [x, g.weights([inner, g.draw.int(1, 5)])]), x.bound * inner, undefined);
  },
  (g) => {
    const x = g.pickFloat((value) => rank(value) === 2 && (value.shape[1] ?? 0) > 1);
    if (x === undefined) return;
    const kind = g.draw.int(0, 3);
    const classes = x.shape[1] ?? 0;
    if (kind === 0) g.add(g.op("Softmax", [x]), 1, undefined);
    else if (kind === 1) g.add(g.op("LogSoftmax", [x]), 2 * x.bound + 3, undefined);
    else if (kind === 2) {
      const labels = g.pickFloat((value) => value.shape.join() === x.shape.join());
      if (labels === undefined) return;
      const loss = g.op("SoftmaxCrossEntropyWithLogits", [x, g.op("Softmax", [labels])]);
      g.add(loss, 2 * x.bound + 3, undefined);
    } else {
      const labels = g.pick(
        ({ dtype, shape }) => dtype.startsWith("int") && shape.length === 1 && shape[0] === x.shape[0],
      );
      if (labels === undefined) return;
      const index = g.op("FloorMod", [labels, integers(labels.dtype, [classes], [])]);
      g.add(g.op("SparseSoftmaxCrossEntropyWithLogits", [x, index]), 2 * x.bound + 3, undefined);
    }
  },
];

const reductions: readonly Rule[] = [
  (g) => {
    const x = g.pickFloat((value) => rank(value) > 0);
    if (x === undefined) return;
    const op = g.draw.of(["Sum", "Mean", "Max", "Min"]);
    const axes = g.draw.some(x.shape.map((_, axis) => axis));
    const overRows = axes.some((axis) => x.shape[axis] === ROWS);
    if (overRows && op !== "Sum") g.needsRows = true;
    const count = product(axes.map((axis) => (x.shape[axis] === ROWS ? 8 : (x.shape[axis] ?? 1))));
    const given = axes.map((axis) => (g.draw.chance(50) ? axis : axis - rank(x)));
    const output = g.op(op, [x, integers("int32", given)], { keep_dims: g.draw.chance(50) });
    g.add(output, op === "Sum" ? x.bound * count : x.bound, op === "Mean" ? undefined : x.grid);
  },
  (g) => {
    const x = g.pickFloat((value) => fixedAxes(value).length > 0);
    if (x === undefined) return;
    const axis = g.draw.of(fixedAxes(x));
    const attrs = { exclusive: g.draw.chance(30), reverse: g.draw.chance(30) };
    g.add(g.op("Cumsum", [x, axis], attrs), x.bound * (x.shape[axis] ?? 1), x.grid);
  },
];

/** The same elements, or some of them, in other places. */
const arrangements: readonly ((g: RandomGraph, x: Value) => void)[] = [
  (g, x) => {
    const perm = g.draw.shuffled(x.shape.map((_, axis) => axis));
    g.add(g.op("Transpose", [x, integers("int32", perm)]), x.bound, x.grid);
  },
  (g, x) => g.add(g.op("ExpandDims", [x, g.draw.int(-rank(x) - 1, rank(x))]), x.bound, x.grid),
  (g, x) => {
    const squeeze_dims = x.shape.flatMap((size, axis) => (size === 1 ? axis : []));
    // Without a list, it would depend on the number of rows.
    if (squeeze_dims.length > 0) g.add(g.op("Squeeze", [x], { squeeze_dims }), x.bound, x.grid);
  },
  (g, x) => {
    // All but the rows in one dimension, or it divided in two.
    const fixed = x.shape.slice(1);
    if (rank(x) < 1 || fixed.includes(ROWS)) return;
    const size = product(fixed);
    const factor = [2, 3, 4].find((each) => size % each === 0);
    const sizes = factor === undefined || g.draw.chance(50) ? [size] : [size / factor, factor];
    const [first = ROWS] = x.shape;
    g.add(g.op("Reshape", [x, integers("int32", [first, ...sizes])]), x.bound, x.grid);
  },
  (g, x) => {
    const y = g.pick((other) => other.dtype === x.dtype && other.shape.join() === x.shape.join());
    if (y === undefined) return;
    const [bound, grid] = [Math.max(x.bound, y.bound), bothGrids(x, y, finer)];
    const axes = fixedAxes(x);
    if (axes.length === 0 || g.draw.chance(40)) {
      g.add(g.op("Pack", [[x, y]], { axis: g.draw.int(-rank(x) - 1, rank(x)) }), bound, grid);
    } else g.add(g.op("ConcatV2", [[x, y], g.draw.of(axes)]), bound, grid);
  },
  (g, x) => {
    const axes = fixedAxes(x).filter((axis) => (x.shape[axis] ?? 0) % 2 === 0);
    if (axes.length === 0) return;
    const { op } = g.op("Split", [g.draw.of(axes), x], { num_split: 2 });
    for (const output of op.outputs) g.add(output, x.bound, x.grid);
  },
  (g, x) => {
    const begin = x.shape.map((size) => (size === ROWS ? 0 : g.draw.int(0, size - 1)));
    const size = x.shape.map((each, axis) => (each === ROWS ? -1 : g.draw.int(1, each - (begin[axis] ?? 0))));
    g.add(g.op("Slice", [x, integers("int32", begin), integers("int32", size)]), x.bound, x.grid);
  },
  (g, x) => {
    if (rank(x) === 0) return;
    const masks = { begin_mask: 0, end_mask: 0, shrink_axis_mask: 0 };
    const strides = x.shape.map((size) => (size === ROWS ? g.draw.of([1, -1]) : g.draw.of([1, 1, 2, -1])));
    const begin = x.shape.map((size, axis) => {
      if (size !== ROWS && g.draw.chance(25)) {
        masks.shrink_axis_mask |= 1 << axis;
        strides[axis] = 1;
        return g.draw.int(0, size - 1);
      }
      masks.begin_mask |= 1 << axis;
      masks.end_mask |= 1 << axis;
      return 0;
    });
    const end = begin.map((from) => from + 1);
    const inputs = [begin, end, strides].map((list) => integers("int32", list));
    g.add(g.op("StridedSlice", [x, ...inputs], masks), x.bound, x.grid);
  },
  (g, x) => {
    if (rank(x) === 0 || elements(x) > 500 || x.dtype === "bool") return;
    const amounts = x.shape.flatMap((size) =>
      size === ROWS ? [0, 0] : [g.draw.int(0, 2), g.draw.int(0, 1)],
    );
    const paddings = integers("int32", amounts, [rank(x), 2]);
    const isMirror = g.draw.chance(30) && x.shape.every((size) => size === ROWS || size > 2);
    const output = isMirror
      ? g.op("MirrorPad", [x, paddings], { mode: g.draw.of(["REFLECT", "SYMMETRIC"]) })
      : g.op("Pad", [x, paddings]);
    g.add(output, x.bound, x.grid);
  },
  (g, x) => {
    if (rank(x) === 0 || elements(x) > 200) return;
    const multiples = x.shape.map((size) => (size === ROWS ? 1 : g.draw.int(1, 2)));
    g.add(g.op("Tile", [x, integers("int32", multiples)]), x.bound, x.grid);
  },
  (g, x) => {
    const axes = g.draw.some(x.shape.map((_, axis) => axis));
    g.add(g.op("ReverseV2", [x, integers("int32", axes)]), x.bound, x.grid);
  },
  (g, x) => {
    const axes = fixedAxes(x);
    if (axes.length === 0) return;
    const axis = g.draw.of(axes);
    const rows = Array.from({ length: g.draw.int(1, 4) }, () => g.draw.int(0, (x.shape[axis] ?? 1) - 1));
    g.add(g.op("GatherV2", [x, integers("int64", rows), axis]), x.bound, x.grid);
  },
];

const shaping: readonly Rule[] = arrangements.map((rule) => (g) => {
  const x = g.pick(({ shape }) => shape.length < 5);
  if (x !== undefined) rule(g, x);
});

const families: readonly (readonly Rule[])[] = [
  functions,
  combinations,
  numbers,
  matrices,
  reductions,
  shaping,
  imageRules,
  // More often than the rest.
  functions,
  matrices,
];

/** Adds nodes to a graph: one or a few, or none if there are no inputs for them. */
export function grow(g: RandomGraph): void {
  g.draw.of(g.draw.of(families))(g);
}
