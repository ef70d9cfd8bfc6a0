import { onnxDataType } from "../../../../../worker-runtime/engines/portable/onnx/tensor-proto.js";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { ALL, type Draw, FLOATS, LARGE, NUMBERS, type OpSpecification, SIGNED } from "./draw.js";

const unary = (dtypes: readonly DType[], from = -6): OpSpecification => ({
  draw: (draw) => ({ inputs: [draw.fed(draw.pick(dtypes), draw.shape(), { from })] }),
});

/** Two inputs, either of which may be the larger one. */
function pair(draw: Draw, [one, other]: readonly [DType, DType], isDivision = false) {
  const shape = draw.shape();
  const inputs = [
    draw.fed(one, draw.seldom() ? draw.narrower(shape) : shape),
    draw.either(other, draw.flag() ? draw.narrower(shape) : shape, isDivision ? { from: 1 } : {}),
  ];
  return { inputs };
}

const arithmetic = (isDivision = false): OpSpecification => ({
  draw(draw) {
    const dtype = draw.pick(draw.opset < 14 ? LARGE : NUMBERS);
    return pair(draw, [dtype, dtype], isDivision);
  },
});

const binary = (dtypes: readonly DType[]): OpSpecification => ({
  draw(draw) {
    const dtype = draw.pick(dtypes);
    return pair(draw, [dtype, dtype]);
  },
});

const variadic = (dtypes: readonly DType[]): OpSpecification => ({
  draw(draw) {
    const [dtype, shape] = [draw.pick(dtypes), draw.shape()];
    const more = Array.from({ length: draw.int(0, 2) }, () => draw.either(dtype, draw.narrower(shape)));
    return { inputs: [draw.fed(dtype, shape), ...more] };
  },
});

const withFloats = (...names: readonly string[]): OpSpecification => ({
  draw: (draw) => ({
    inputs: [draw.fed(draw.pick(FLOATS), draw.shape())],
    attributes: draw.attributes(
      Object.fromEntries(names.map((name) => [name, draw.maybe(() => ({ float: draw.int(0, 8) / 4 }))])),
    ),
  }),
});

/** Integers are large enough to have the powers of small numbers. */
const pow: OpSpecification = {
  draw(draw) {
    const base = draw.pick([...FLOATS, "int32", "int64"] as const);
    const exponent = draw.pick(NUMBERS);
    const shape = draw.shape();
    return {
      inputs: [
        draw.fed(base, shape, { from: 1, to: 4 }),
        draw.either(exponent, draw.narrower(shape), { from: 0, to: 4 }),
      ],
    };
  },
};

const clip: OpSpecification = {
  draw(draw) {
    const dtype = draw.pick(NUMBERS);
    const bound = () => draw.maybe(() => draw.either(dtype, []));
    return { inputs: [draw.fed(dtype, draw.shape()), bound(), bound()] };
  },
};

const prelu: OpSpecification = {
  draw(draw) {
    const dtype = draw.pick(draw.opset < 16 ? FLOATS : LARGE);
    const shape = draw.shape();
    return { inputs: [draw.fed(dtype, shape), draw.either(dtype, draw.narrower(shape))] };
  },
};

const where: OpSpecification = {
  draw(draw) {
    const [dtype, shape] = [draw.pick(ALL), draw.shape()];
    const part = () => (draw.flag() ? shape : draw.narrower(shape));
    return { inputs: [draw.fed("bool", part()), draw.either(dtype, part()), draw.either(dtype, part())] };
  },
};

const cast: OpSpecification = {
  draw: (draw) => {
    const [from, to] = [draw.pick(ALL), draw.pick(ALL)];
    // ONNX leaves open what becomes of negative numbers in a type that has none.
    const range = to.startsWith("uint") ? { from: 0 } : {};
    return { inputs: [draw.fed(from, draw.shape(), range)], attributes: { to: onnxDataType(to) } };
  },
};

const dropout: OpSpecification = {
  draw: (draw) => {
    const ratio = draw.maybe(() => draw.scalar(0.25, "float32"));
    return { inputs: [draw.fed(draw.pick(FLOATS), draw.shape()), ratio], outputs: draw.int(1, 2) };
  },
};

export const ELEMENTWISE: Readonly<Record<string, OpSpecification>> = {
  ...{ Add: arithmetic(), Sub: arithmetic(), Mul: arithmetic(), Div: arithmetic(true), Pow: pow },
  ...{ Max: variadic(NUMBERS), Min: variadic(NUMBERS), Sum: variadic(FLOATS) },
  ...{ Neg: unary([...FLOATS, ...SIGNED]), Abs: unary(NUMBERS), Sign: unary(NUMBERS), Erf: unary(FLOATS) },
  ...{
    Sqrt: unary(FLOATS, 0),
    Exp: unary(FLOATS),
    Log: unary(FLOATS, 0.25),
    Reciprocal: unary(FLOATS, 0.25),
  },
  ...{
    Floor: unary(FLOATS),
    Ceil: unary(FLOATS),
    Round: unary(FLOATS),
    Sin: unary(FLOATS),
    Cos: unary(FLOATS),
  },
  ...{ Sigmoid: unary(FLOATS), Tanh: unary(FLOATS), Softplus: unary(FLOATS), Softsign: unary(FLOATS) },
  Relu: {
    draw: (draw) => ({
      inputs: [draw.fed(draw.pick(draw.opset < 14 ? FLOATS : [...FLOATS, ...SIGNED]), draw.shape())],
    }),
  },
  ...{ Identity: unary(ALL), Not: unary(["bool"]), Clip: clip, PRelu: prelu, Where: where, Cast: cast },
  Gelu: {
    since: 20,
    draw: (draw) => ({
      inputs: [draw.fed(draw.pick(FLOATS), draw.shape())],
      attributes: draw.attributes({ approximate: draw.maybe(() => draw.pick(["none", "tanh"])) }),
    }),
  },
  ...{ Equal: binary(ALL), Less: binary(NUMBERS), Greater: binary(NUMBERS), And: binary(["bool"]) },
  ...{ LessOrEqual: { since: 16, ...binary(NUMBERS) }, GreaterOrEqual: { since: 16, ...binary(NUMBERS) } },
  ...{ Or: binary(["bool"]), Elu: withFloats("alpha"), LeakyRelu: withFloats("alpha") },
  ...{
    HardSigmoid: withFloats("alpha", "beta"),
    HardSwish: { since: 14, ...withFloats() },
    Dropout: dropout,
  },
};
