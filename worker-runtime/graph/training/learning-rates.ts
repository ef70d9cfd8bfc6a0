/** Learning rates that change with the steps, as those of tf.compat.v1.train: scalars of float32. */
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import type { Variable } from "../variable.js";

type Step = Variable | Output;

/** The step as a float32, and how nodes are added to its graph. */
function begin(globalStep: Step): {
  readonly graph: Graph;
  readonly step: Output;
  readonly call: (type: string, inputs: readonly (Output | number)[]) => Output;
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

/** Along half a wave of the cosine, from the learning rate to its share alpha. */
export function cosineDecay(
  learningRate: number,
  globalStep: Step,
  decaySteps: number,
  { alpha = 0 }: { readonly alpha?: number } = {},
): Output {
  const { call, step } = begin(globalStep);
  const done = call("RealDiv", [call("Minimum", [step, decaySteps]), decaySteps]);
  const wave = call("Mul", [call("AddV2", [call("Cos", [call("Mul", [done, Math.PI])]), 1]), 0.5]);
  return call("Mul", [call("AddV2", [call("Mul", [wave, 1 - alpha]), alpha]), learningRate]);
}
