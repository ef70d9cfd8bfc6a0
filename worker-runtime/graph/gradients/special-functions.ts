/** Gradients of special functions of each element. Facts from tensorflow/python/ops/math_grad.py. */
import type { Output } from "../operation.js";
import { ofBoth, sumToShape } from "./broadcasting.js";
import type { GradientRule, GradientRules, OpGradient } from "./gradient.js";

function derivative(of: (at: OpGradient) => Output): GradientRule {
  return (at) => [at.call("Mul", [at.g, of(at)])];
}

/** A quotient by x, with its limit where x is 0. */
function limitAtZero(at: OpGradient, limit: number, quotient: Output): Output {
  const { call, x } = at;
  const zero = call("ZerosLike", [x]);
  return call("SelectV2", [call("Equal", [x, zero]), call("AddV2", [zero, limit]), quotient]);
}

/** x^(a-1) · e^(-x) / Γ(a) */
function ofGamma({ call, x: a, input }: OpGradient, x: Output = input(1)): Output {
  const power = call("Mul", [call("Sub", [a, 1]), call("Log", [x])]);
  return call("Exp", [call("Sub", [call("Sub", [power, x]), call("Lgamma", [a])])]);
}

/** Incomplete gamma functions: the lower one grows with x as the upper one falls. */
function incompleteGamma(sign: 1 | -1): GradientRule {
  return (at) => {
    const { call, x: a } = at;
    const x = at.input(1);
    const signed = (slope: Output) => call("Mul", [at.g, sign === 1 ? slope : call("Neg", [slope])]);
    return ofBoth(
      at,
      () => signed(call("IgammaGradA", [a, x])),
      () => signed(ofGamma(at, x)),
    );
  };
}

/** The gradient of samples with respect to the parameter, by implicit reparameterization (Figurnov et al. 2018). */
function gammaSamples(parameter: number): GradientRule {
  return (at) => {
    const alpha = at.input(parameter);
    const slope = at.call("Mul", [at.g, at.call("RandomGammaGrad", [alpha, at.y])]);
    return at.op.inputs.map((_, input) => (input === parameter ? sumToShape(at, alpha, slope) : undefined));
  };
}

export const SPECIAL_FUNCTIONS: GradientRules = {
  Digamma: derivative(({ call, x }) => call("Polygamma", [call("OnesLike", [x]), x])),
  Polygamma: (at) => {
    const { call, x: order } = at;
    const slope = call("Polygamma", [call("AddV2", [order, 1]), at.input(1)]);
    return [
      undefined,
      ofBoth(
        at,
        () => at.g,
        () => call("Mul", [at.g, slope]),
      )[1],
    ];
  },
  Zeta: (at) => {
    const { call, x } = at;
    const slope = call("Mul", [call("Neg", [x]), call("Zeta", [call("AddV2", [x, 1]), at.input(1)])]);
    return [
      undefined,
      ofBoth(
        at,
        () => at.g,
        () => call("Mul", [at.g, slope]),
      )[1],
    ];
  },
  Igamma: incompleteGamma(1),
  Igammac: incompleteGamma(-1),
  Ndtri: derivative(({ call, y }) =>
    call("Mul", [call("Exp", [call("Mul", [call("Square", [y]), 0.5])]), Math.sqrt(2 * Math.PI)]),
  ),
  BesselI0: derivative(({ call, x }) => call("BesselI1", [x])),
  BesselI0e: derivative(({ call, x, y }) =>
    call("Sub", [call("BesselI1e", [x]), call("Mul", [call("Sign", [x]), y])]),
  ),
  BesselI1: derivative((at) => {
    const { call, x, y } = at;
    return limitAtZero(at, 0.5, call("Sub", [call("BesselI0", [x]), call("RealDiv", [y, x])]));
  }),
  BesselI1e: derivative((at) => {
    const { call, x, y } = at;
    const factor = call("AddV2", [call("Sign", [x]), call("Reciprocal", [x])]);
    return limitAtZero(at, 0.5, call("Sub", [call("BesselI0e", [x]), call("Mul", [y, factor])]));
  }),
  Betainc: (at) => {
    const { call, g } = at;
    const [a, b, x] = [at.input(0), at.input(1), at.input(2)];
    const both = call("AddV2", [call("Lgamma", [a]), call("Lgamma", [b])]);
    const logBeta = call("Sub", [both, call("Lgamma", [call("AddV2", [a, b])])]);
    const tails = call("AddV2", [
      call("Xlog1py", [call("Sub", [b, 1]), call("Neg", [x])]),
      call("Xlogy", [call("Sub", [a, 1]), x]),
    ]);
    const slope = call("Mul", [call("Exp", [call("Sub", [tails, logBeta])]), g]);
    const [sizes, result] = [at.shapeOf(x), call("Shape", [slope])];
    const axes = at.graph.op("BroadcastGradientArgs", [result, sizes]).outputAt(1);
    // TensorFlow has none for a and b.
    return [undefined, undefined, call("Reshape", [call("Sum", [slope, axes]), sizes])];
  },
  RandomGamma: gammaSamples(1),
  StatelessRandomGammaV2: gammaSamples(2),
  StatelessRandomGammaV3: gammaSamples(4),
  NextAfter: (at) =>
    ofBoth(
      at,
      () => at.g,
      () => at.call("ZerosLike", [at.g]),
    ),
};
