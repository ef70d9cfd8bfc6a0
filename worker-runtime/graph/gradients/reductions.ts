/** Gradients of what combines elements along dimensions. */
import type { Output } from "../operation.js";
import { knownSize } from "../shape.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";

/** The reduced dimensions, counted from the front, if they are known. */
function knownAxes(at: OpGradient): readonly number[] | undefined {
  const rank = at.x.shape?.length;
  const axes = at.knownInts(1);
  if (rank === undefined) return undefined;
  return axes?.map((axis) => (axis < 0 ? axis + rank : axis));
}

/** The shape of the input with size 1 along the reduced dimensions. */
function keptShape(at: OpGradient): Output {
  const { call, x } = at;
  const axes = knownAxes(at);
  if (axes && x.shape) {
    const sizes = x.shape.map((size, i) => (axes.includes(i) ? 1 : size));
    const unknown = sizes.filter((size) => size < 0).length;
    if (unknown === 0 || (unknown === 1 && !sizes.includes(0))) return at.ints(sizes);
  }
  const shape = call("Shape", [x]);
  const rank = call("Rank", [x]);
  const reduced = call("Cast", [at.input(1)], { DstT: "int32" });
  const positions = call("Range", [0, rank, 1]);
  const fromFront = call("Reshape", [
    call("FloorMod", [call("AddV2", [reduced, rank]), rank]),
    at.ints([-1]),
  ]);
  return call("DynamicStitch", [
    [positions, fromFront],
    [shape, call("OnesLike", [fromFront])],
  ]);
}

/** A result, or its gradient, with the reduced dimensions. */
function kept(at: OpGradient, result: Output): Output {
  return at.flag("keep_dims") ? result : at.call("Reshape", [result, keptShape(at)]);
}

function spread(at: OpGradient): Output {
  return at.call("BroadcastTo", [kept(at, at.g), at.shapeOf(at.x)]);
}

/** How many elements of the input make one of the result, in the input's dtype. */
function elementsPerResult(at: OpGradient): Output {
  const { call, x, y } = at;
  const [all, results] = [knownSize(x.shape), knownSize(y.shape)];
  if (all !== undefined && results !== undefined) {
    return call("Cast", [at.ints(all / Math.max(results, 1))], { DstT: x.dtype });
  }
  const count = call("FloorDiv", [call("Size", [x]), call("Maximum", [call("Size", [y]), 1])]);
  return call("Cast", [count], { DstT: x.dtype });
}

/** Elements that tie for the largest or smallest share the gradient. */
const extreme: GradientRule = (at) => {
  const { call, x } = at;
  const isExtreme = call("Cast", [call("Equal", [kept(at, at.y), x])], { DstT: x.dtype });
  const ties = call("Sum", [isExtreme, at.input(1)], { keep_dims: true });
  return [call("Mul", [call("RealDiv", [isExtreme, ties]), kept(at, at.g)]), undefined];
};

/** The product of all others, without a division, so that zeros are no exception. */
const product: GradientRule = (at) => {
  const { call, x } = at;
  const axes = knownAxes(at);
  const rank = x.shape?.length;
  if (!axes || rank === undefined) throw at.needs(`the rank of ${x.name} and the reduced dimensions`);
  if (rank === 0) return [at.g, undefined];
  const others = Array.from({ length: rank }, (_, i) => i).filter((i) => !axes.includes(i));
  const order = [...axes, ...others];
  const turned = call("Transpose", [x, at.ints(order)]);
  const turnedShape = call("Shape", [turned]);
  const reducedCount = call("Prod", [call("Slice", [turnedShape, [0], [axes.length]]), 0]);
  const flat = call("Reshape", [turned, call("Pack", [[reducedCount, at.ints(-1)]])]);
  const before = call("Cumprod", [flat, 0], { exclusive: true });
  const after = call("Cumprod", [flat, 0], { exclusive: true, reverse: true });
  const back = call("Reshape", [call("Mul", [before, after]), turnedShape]);
  const inverse = order.map((_, i) => order.indexOf(i));
  return [call("Mul", [call("Transpose", [back, at.ints(inverse)]), kept(at, at.g)]), undefined];
};

/** The least numbers of dtypes, whose sums with others stay numbers. */
const LEAST: Readonly<Record<string, number>> = {
  float16: -65_504,
  bfloat16: -3.3895313892515355e38,
  float32: -3.4028234663852886e38,
  float64: -Number.MAX_VALUE,
};

export const REDUCTIONS: GradientRules = {
  Sum: (at) => [spread(at), undefined],
  Mean: (at) => [at.call("RealDiv", [spread(at), elementsPerResult(at)]), undefined],
  Max: extreme,
  Min: extreme,
  Prod: product,
  EuclideanNorm: (at) => {
    const { call, x } = at;
    return [call("Mul", [call("RealDiv", [x, kept(at, at.y)]), kept(at, at.g)]), undefined];
  },
  L2Loss: ({ call, x, g }) => [call("Mul", [x, g])],
  CumulativeLogsumexp: (at) => {
    const { call, x, y, g } = at;
    const attrs = { ...at.attrs("exclusive"), reverse: !at.flag("reverse") };
    const least = call("Cast", [LEAST[x.dtype] ?? Number.NEGATIVE_INFINITY], { DstT: x.dtype });
    // Only logarithms of positive numbers exist, so those of both signs are summed apart.
    const ofSign = (signed: Output) => {
      const logs = call("SelectV2", [call("Greater", [signed, 0]), call("Log", [signed]), least]);
      const sums = call("CumulativeLogsumexp", [call("Sub", [logs, y]), at.input(1)], attrs);
      return call("Exp", [call("AddV2", [sums, x])]);
    };
    return [call("Sub", [ofSign(g), ofSign(call("Neg", [g]))]), undefined];
  },
  NthElement: (at) => {
    const { call, x, y, g } = at;
    const equal = call("Cast", [call("Equal", [call("ExpandDims", [y, -1]), x])], { DstT: g.dtype });
    const count = call("Sum", [equal, at.ints(-1)], { keep_dims: true });
    return [call("Mul", [call("RealDiv", [equal, count]), call("ExpandDims", [g, -1])]), undefined];
  },
  Cumsum: (at) => {
    const attrs = { ...at.attrs("exclusive"), reverse: !at.flag("reverse") };
    return [at.call("Cumsum", [at.g, at.input(1)], attrs), undefined];
  },
  Cumprod: (at) => {
    const { call, x, g } = at;
    const attrs = { ...at.attrs("exclusive"), reverse: !at.flag("reverse") };
    const sums = call("Cumsum", [call("Mul", [at.y, g]), at.input(1)], attrs);
    return [call("RealDiv", [sums, x]), undefined];
  },
};
