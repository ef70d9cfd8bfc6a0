/** Learning rates that change with the steps, as those of tf.compat.v1.train: scalars of float32. */
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import type { Variable } from "../variable.js";

type Step = Variable | Output;
type Call = (type: string, inputs: readonly (Output | number)[]) => Output;

/** The step as a float32, and how nodes are added to its graph. */
function begin(globalStep: Step): {
  readonly graph: Graph;
  readonly step: Output;
  readonly call: Call;
} {
  const step = "value" in globalStep ? globalStep.value : globalStep;
  const graph = Graph.of(step);
  const call = (type: string, inputs: readonly (Output | number)[]) => graph.op(type, inputs).output;
  return { graph, call, step: graph.op("Cast", [step], { DstT: "float32" }).output };
}

/** learningRate · decayRate ^ (step / decaySteps); with `staircase`, the exponent is an integer. */
export function exponentialDecay(
  learningRate: number,
  globalStep: Step,
  decaySteps: number,
  decayRate: number,
  { staircase = false }: { readonly staircase?: boolean } = {},
): Output {
  const { call, step } = begin(globalStep);
  const exponent = call("RealDiv", [step, decaySteps]);
  return call("Mul", [
    call("Pow", [decayRate, staircase ? call("Floor", [exponent]) : exponent]),
    learningRate,
  ]);
}

/** As `exponentialDecay` with the rate e^-decayRate. */
export function naturalExpDecay(
  learningRate: number,
  globalStep: Step,
  decaySteps: number,
  decayRate: number,
  options: { readonly staircase?: boolean } = {},
): Output {
  return exponentialDecay(learningRate, globalStep, decaySteps, Math.exp(-decayRate), options);
}

/** learningRate / (1 + decayRate · step / decaySteps); with `staircase`, the quotient of the steps is an integer. */
export function inverseTimeDecay(
  learningRate: number,
  globalStep: Step,
  decaySteps: number,
  decayRate: number,
  { staircase = false }: { readonly staircase?: boolean } = {},
): Output {
  const { call, step } = begin(globalStep);
  const periods = call("RealDiv", [step, decaySteps]);
  const decayed = call("Mul", [staircase ? call("Floor", [periods]) : periods, decayRate]);
  return call("RealDiv", [learningRate, call("AddV2", [decayed, 1])]);
}

/**
 * values[i] until step boundaries[i], included; the last value after the last boundary.
 * @throws TensorFlowError INVALID_ARGUMENT unless there is one value more than boundaries
 */
export function piecewiseConstant(
  globalStep: Step,
  boundaries: readonly number[],
  values: readonly number[],
): Output {
  const [first, ...rest] = values;
  if (first === undefined || rest.length !== boundaries.length) {
    throw invalidArgument(
      `${boundaries.length} boundaries take ${boundaries.length + 1} values, but ${values.length} were given.`,
    );
  }
  const { call, graph, step } = begin(globalStep);
  const initial = graph.op("Const", [], { dtype: "float32", value: Tensor.of(first, "float32") }).output;
  return boundaries.reduce<Output>(
    (rate, boundary, i) =>
      graph.op("SelectV2", [call("Greater", [step, boundary]), rest[i] ?? first, rate]).output,
    initial,
  );
}

export interface PolynomialDecayOptions {
  /** Defaults to 0.0001. */
  readonly endLearningRate?: number | undefined;
  /** Defaults to 1. */
  readonly power?: number | undefined;
  /** Begins again, from ever longer periods, instead of staying at the end. Defaults to false. */
  readonly cycle?: boolean | undefined;
}

/** From the learning rate to the end in decaySteps, by a power of the steps that are left. */
export function polynomialDecay(
  learningRate: number,
  globalStep: Step,
  decaySteps: number,
  options: PolynomialDecayOptions = {},
): Output {
  const { endLearningRate = 0.0001, power = 1, cycle = false } = options;
  const { call, step } = begin(globalStep);
  const ratio = (): Output => {
    if (!cycle) return call("RealDiv", [call("Minimum", [step, decaySteps]), decaySteps]);
    const periods = call("Maximum", [call("Ceil", [call("RealDiv", [step, decaySteps])]), 1]);
    return call("RealDiv", [step, call("Mul", [periods, decaySteps])]);
  };
  const left = call("Pow", [call("Sub", [1, ratio()]), power]);
  return call("AddV2", [call("Mul", [left, learningRate - endLearningRate]), endLearningRate]);
}

/** (1 + cos(π · fraction)) / 2 */
function wave(call: Call, fraction: Output): Output {
  return call("Mul", [call("AddV2", [call("Cos", [call("Mul", [fraction, Math.PI])]), 1]), 0.5]);
}

/** Along half a wave of the cosine, from the learning rate to its share alpha. */
export function cosineDecay(
  learningRate: number,
  globalStep: Step,
  decaySteps: number,
  { alpha = 0 }: { readonly alpha?: number } = {},
): Output {
  const { call, step } = begin(globalStep);
  const done = call("RealDiv", [call("Minimum", [step, decaySteps]), decaySteps]);
  return call("Mul", [call("AddV2", [call("Mul", [wave(call, done), 1 - alpha]), alpha]), learningRate]);
}

export interface CosineRestartsOptions {
  /** How many times as long each period is as the one before. Defaults to 2. */
  readonly tMul?: number | undefined;
  /** How many times as high each period begins as the one before. Defaults to 1. */
  readonly mMul?: number | undefined;
  /** The share of the learning rate that is left at the end of a period. Defaults to 0. */
  readonly alpha?: number | undefined;
}

/** `cosineDecay` that begins again after each period (SGDR, Loshchilov and Hutter 2016). */
export function cosineDecayRestarts(
  learningRate: number,
  globalStep: Step,
  firstDecaySteps: number,
  { tMul = 2, mMul = 1, alpha = 0 }: CosineRestartsOptions = {},
): Output {
  const { call, step } = begin(globalStep);
  const done = call("RealDiv", [step, firstDecaySteps]);
  const [restarts, fraction] = tMul === 1 ? evenPeriods(call, done) : longerPeriods(call, done, tMul);
  const height = call("Mul", [wave(call, fraction), call("Pow", [mMul, restarts])]);
  return call("Mul", [call("AddV2", [call("Mul", [height, 1 - alpha]), alpha]), learningRate]);
}

/** How many periods are over, and the fraction of the current one. */
type Period = readonly [restarts: Output, fraction: Output];

function evenPeriods(call: Call, done: Output): Period {
  const restarts = call("Floor", [done]);
  return [restarts, call("Sub", [done, restarts])];
}

/** The position in periods of which each is tMul times as long as the one before. */
function longerPeriods(call: Call, done: Output, tMul: number): Period {
  const powers = call("Sub", [1, call("Mul", [done, 1 - tMul])]);
  const restarts = call("Floor", [call("RealDiv", [call("Log", [powers]), Math.log(tMul)])]);
  const length = call("Pow", [tMul, restarts]);
  const before = call("RealDiv", [call("Sub", [1, length]), 1 - tMul]);
  return [restarts, call("RealDiv", [call("Sub", [done, before]), length])];
}

export interface LinearCosineOptions {
  /** Waves of the cosine in the steps. Defaults to 0.5. */
  readonly numPeriods?: number | undefined;
  /** Added to the linear part. Defaults to 0. */
  readonly alpha?: number | undefined;
  /** Added to the product. Defaults to 0.001. */
  readonly beta?: number | undefined;
}

/** The product of a linear decay and a cosine (Bello et al. 2017). */
export function linearCosineDecay(
  learningRate: number,
  globalStep: Step,
  decaySteps: number,
  options: LinearCosineOptions = {},
): Output {
  return linearCosine(learningRate, globalStep, decaySteps, options, (_call, _step, linear) => linear);
}

export interface NoisyLinearCosineOptions extends LinearCosineOptions {
  /** The variance of the noise at the first step. Defaults to 1. */
  readonly initialVariance?: number | undefined;
  /** The power of the steps by which the variance is divided. Defaults to 0.55. */
  readonly varianceDecay?: number | undefined;
  /** The seed of the noise; another one in each session unless given. */
  readonly seed?: number | undefined;
}

/** `linearCosineDecay` with normally distributed noise on the linear part. */
export function noisyLinearCosineDecay(
  learningRate: number,
  globalStep: Step,
  decaySteps: number,
  { initialVariance = 1, varianceDecay = 0.55, seed = 0, ...options }: NoisyLinearCosineOptions = {},
): Output {
  return linearCosine(learningRate, globalStep, decaySteps, options, (call, step, linear) => {
    const divisor = call("Pow", [call("AddV2", [step, 1]), varianceDecay]);
    const deviation = call("Sqrt", [call("RealDiv", [initialVariance, divisor])]);
    const shape = Tensor.of([], "int32", [0]);
    const noise = Graph.of(step).op("RandomStandardNormal", [shape], { dtype: "float32", seed }).output;
    return call("AddV2", [linear, call("Mul", [noise, deviation])]);
  });
}

/** @param decayed the linear part, from what is left of the steps */
function linearCosine(
  learningRate: number,
  globalStep: Step,
  decaySteps: number,
  { numPeriods = 0.5, alpha = 0, beta = 0.001 }: LinearCosineOptions,
  decayed: (call: Call, step: Output, linear: Output) => Output,
): Output {
  const { call, step: current } = begin(globalStep);
  const step = call("Minimum", [current, decaySteps]);
  const linear = decayed(call, step, call("RealDiv", [call("Sub", [decaySteps, step]), decaySteps]));
  const waves = wave(call, call("Mul", [call("RealDiv", [step, decaySteps]), 2 * numPeriods]));
  const rate = call("AddV2", [call("Mul", [call("AddV2", [linear, alpha]), waves]), beta]);
  return call("Mul", [rate, learningRate]);
}
