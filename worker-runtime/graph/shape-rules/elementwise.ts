/** Ops that compute element by element: shapes stay, merge or broadcast. */
import { broadcastShapes, mergeShapes, partialShapeFromProto, type Shape } from "../shape.js";
import {
  forOps,
  misfit,
  nameOf,
  ofRank,
  ofRankAtLeast,
  type Rules,
  type ShapeRule,
  sameSize,
  sizeAt,
  textAttr,
  what,
  whatOfBoth,
} from "./rule.js";

const UNCHANGED =
  "Identity Snapshot StopGradient PreventGradient CheckNumerics CheckNumericsV2 Print PrintV2 Cast Neg Abs Sign Square Sqrt " +
  "Rsqrt Exp Expm1 Log Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Sigmoid Relu Relu6 Elu Selu " +
  "Softplus Softsign LeakyRelu Floor Ceil Round Rint Reciprocal Inv LogicalNot Invert IsNan IsInf IsFinite OnesLike " +
  "ZerosLike Erf Erfc Erfinv Ndtri Lgamma Digamma BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 " +
  "BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Dawsn Expint FresnelCos FresnelSin Spence PopulationCount Real Imag Conj " +
  "Angle ComplexAbs Bucketize AsString StringLower StringUpper StringStrip StringLength StringToNumber StringToHashBucket " +
  "StringToHashBucketFast StringToHashBucketStrong StaticRegexReplace StaticRegexFullMatch " +
  "EncodeBase64 DecodeBase64 UnicodeScript UnicodeTranscode Substr DeepCopy FakeQuantWithMinMaxArgs " +
  "QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4 " +
  "RefIdentity DebugGradientIdentity DebugIdentity FakeQuantWithMinMaxArgsGradient RandomShuffle ClipByValue TanhGrad SigmoidGrad InvGrad ReciprocalGrad SqrtGrad " +
  "RsqrtGrad MatrixBandPart BatchMatrixBandPart DrawBoundingBoxes " +
  "DrawBoundingBoxesV2 LRN Roll LoopCond";
const MERGED = "ReluGrad Relu6Grad EluGrad SeluGrad SoftplusGrad SoftsignGrad LeakyReluGrad";
const BROADCAST =
  "Add AddV2 Sub Mul Div RealDiv FloorDiv TruncateDiv DivNoNan MulNoNan Mod FloorMod TruncateMod Pow Maximum Minimum " +
  "SquaredDifference Equal NotEqual Less LessEqual Greater GreaterEqual LogicalAnd LogicalOr Atan2 Xdivy Xlog1py Xlogy " +
  "BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift Complex Zeta Polygamma Igamma Igammac IgammaGradA NextAfter";

const unchanged: ShapeRule = ({ inputShapes, outputCount }) => new Array(outputCount).fill(inputShapes[0]);

const broadcast: ShapeRule = (c) => {
  const strict = c.attr("incompatible_shape_error")?.value;
  const [a, b] = c.inputShapes;
  if (strict?.$case === "b" && !strict.value) {
    return [a && b && areBroadcastable(a, b) ? broadcastShapes(a, b, whatOfBoth(c)) : undefined];
  }
  return [broadcastShapes(c.inputShapes[0], c.inputShapes[1], whatOfBoth(c))];
};

function areBroadcastable(a: Shape, b: Shape): boolean {
  return a.every((_, i) => {
    const [x, y] = [sizeAt(a, -1 - i), i < b.length ? sizeAt(b, -1 - i) : 1];
    return x === y || x === 1 || y === 1 || x < 0 || y < 0;
  });
}

/** All inputs have one shape. */
const merged: ShapeRule = (c) => [
  c.inputShapes.reduce<Shape | undefined>((shape, next) => mergeShapes(shape, next, what(c)), undefined),
];

/** The condition may also be a scalar, or a vector that chooses rows. */
const select: ShapeRule = (c) => {
  const [condition, a, b] = c.inputShapes;
  const result = mergeShapes(a, b, what(c));
  if (!condition || !result || condition.length === 0) return [result];
  if (condition.length === 1 && result.length >= 1) {
    sameSize(
      c,
      sizeAt(condition, 0),
      sizeAt(result, 0),
      () => "the condition must have one element for each row.",
    );
    return [result];
  }
  return [mergeShapes(condition, result, what(c))];
};

const selectV2: ShapeRule = (c) => {
  const [condition, a, b] = c.inputShapes;
  return [broadcastShapes(condition, broadcastShapes(a, b, what(c)), what(c))];
};

const broadcastAll: ShapeRule = (c) => {
  const [first, ...rest] = c.inputShapes;
  return [rest.reduce((shape, next) => broadcastShapes(shape, next, what(c)), first)];
};

const biasAdd: ShapeRule = (c) => {
  const bias = ofRank(c, 1, 1);
  const isFirst = textAttr(c, "data_format") === "NCHW";
  const value = ofRankAtLeast(c, 0, isFirst ? 3 : 2);
  if (!value) return [undefined];
  const axis = isFirst ? 1 : value.length - 1;
  const size = sameSize(
    c,
    sizeAt(value, axis),
    sizeAt(bias, 0),
    () =>
      `${nameOf(c, 1)} has ${sizeAt(bias, 0)} elements, but ${nameOf(c, 0)} has ${sizeAt(value, axis)} channels.`,
  );
  return [value.with(axis, size)];
};

const biasAddGrad: ShapeRule = (c) => {
  const isFirst = textAttr(c, "data_format") === "NCHW";
  const gradient = ofRankAtLeast(c, 0, isFirst ? 3 : 2);
  return [[sizeAt(gradient, isFirst ? 1 : -1)]];
};

const atLeast =
  (rank: number): ShapeRule =>
  (c) => [ofRankAtLeast(c, 0, rank)];

/** Colours: the last size is 3. */
const colours: ShapeRule = (c) => {
  const images = ofRankAtLeast(c, 0, 1);
  if (!images) return [undefined];
  const channels = sizeAt(images, -1);
  sameSize(c, channels, 3, () => `${nameOf(c, 0)} must have 3 channels, but has ${channels}.`);
  return [images.with(images.length - 1, 3)];
};

const accumulate: ShapeRule = (c) => {
  const shape = c.attr("shape")?.value;
  return [shape?.$case === "shape" ? partialShapeFromProto(shape.value) : undefined];
};

const approximateEqual: ShapeRule = (c) => {
  mergeShapes(c.inputShapes[0], c.inputShapes[1], what(c));
  return [c.inputShapes[0]];
};

const addN: ShapeRule = (c) => [
  c.inputShapes.reduce<Shape | undefined>(
    (shape, next) => (shape && next ? mergeShapes(shape, next, what(c)) : (shape ?? next)),
    undefined,
  ),
];

const cumulative: ShapeRule = (c) => [c.inputShapes[0]];

const strings: ShapeRule = (c) => {
  const shapes = c.inputShapes.filter((shape) => shape?.length !== 0);
  if (shapes.length === 0) return [[]];
  if (shapes.some((shape) => shape === undefined)) return [undefined];
  return [shapes.reduce<Shape | undefined>((shape, next) => mergeShapes(shape, next, what(c)), undefined)];
};

const ensured: ShapeRule = (c) => {
  const wanted = c.attr("shape")?.value;
  if (wanted?.$case !== "shape" || wanted.value.unknownRank) return [c.inputShapes[0]];
  return [
    mergeShapes(
      c.inputShapes[0],
      wanted.value.dim.map(({ size }) => Number(size)),
      what(c),
    ),
  ];
};

const identityN: ShapeRule = (c) => c.inputShapes;

const cross: ShapeRule = (c) => {
  const both = mergeShapes(c.inputShapes[0], c.inputShapes[1], what(c));
  if (both && sizeAt(both, -1) >= 0 && sizeAt(both, -1) !== 3) throw misfit(c, "the last size must be 3.");
  return [both];
};

export const elementwiseRules: Rules = [
  ...forOps(UNCHANGED, unchanged),
  ...forOps(MERGED, merged),
  ...forOps(BROADCAST, broadcast),
  ["ApproximateEqual", approximateEqual],
  ["AddN", addN],
  ["AccumulateNV2", accumulate],
  ["Select", select],
  ["SelectV2", selectV2],
  ["Betainc", broadcastAll],
  ["BiasAdd", biasAdd],
  ["BiasAddV1", biasAdd],
  ["BiasAddGrad", biasAddGrad],
  ...forOps("Softmax LogSoftmax FFT IFFT", atLeast(1)),
  ...forOps("FFT2D IFFT2D", atLeast(2)),
  ...forOps("FFT3D IFFT3D AdjustContrastv2 AdjustHue AdjustSaturation", atLeast(3)),
  ...forOps("RGBToHSV HSVToRGB", colours),
  ...forOps("Cumsum Cumprod CumulativeLogsumexp", cumulative),
  ["StringJoin", strings],
  ...forOps("RegexReplace RegexFullMatch", unchanged, { 1: 0, 2: 0 }),
  ["EnsureShape", ensured],
  ["IdentityN", identityN],
  ["Cross", cross],
];
