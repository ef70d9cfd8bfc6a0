import type { DType } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import type { Graph } from "../graph.js";
import { addConstant } from "../graph-op-builder.js";
import { Output } from "../operation.js";
import { intTensor, type OpOptions } from "./common.js";

/** TensorFlow's graph seed if only an op seed is given (random_seed.py). */
const DEFAULT_GRAPH_SEED = 87654321;

export interface RandomOptions extends OpOptions {
  /** Defaults to float32. */
  readonly dtype?: DType | undefined;
  /** With a seed, the numbers are the same in every session; without it, they differ each time. */
  readonly seed?: number | undefined;
}

function seeds(options: RandomOptions): { seed: number; seed2: number } {
  return options.seed === undefined
    ? { seed: 0, seed2: 0 }
    : { seed: DEFAULT_GRAPH_SEED, seed2: options.seed };
}

function shapeInput(graph: Graph, shape: readonly number[] | Output): Output {
  return shape instanceof Output ? shape : addConstant(graph, intTensor(shape), "shape");
}

export interface NormalOptions extends RandomOptions {
  readonly mean?: number | undefined;
  readonly stddev?: number | undefined;
}

function normal(type: string, defaultName: string) {
  return (graph: Graph, shape: readonly number[] | Output, options: NormalOptions = {}): Output => {
    const dtype = options.dtype ?? "float32";
    return graph.withNameScope(options.name ?? defaultName, (scope) => {
      const sizes = shapeInput(graph, shape);
      const mean = addConstant(graph, Tensor.of(options.mean ?? 0, dtype), "mean");
      const stddev = addConstant(graph, Tensor.of(options.stddev ?? 1, dtype), "stddev");
      const numbers = graph.op(type, [sizes], { dtype, ...seeds(options) });
      const scaled = graph.op("Mul", [numbers, stddev], {}, "mul");
      return graph.op("AddV2", [scaled, mean], {}, scope).output;
    });
  };
}

/** Normally distributed numbers; mean and standard deviation default to 0 and 1. */
export const randomNormal = normal("RandomStandardNormal", "random_normal");
/** Like `randomNormal`, without numbers more than two standard deviations from the mean. */
export const truncatedNormal = normal("TruncatedNormal", "truncated_normal");

export interface UniformOptions extends RandomOptions {
  readonly min?: number | undefined;
  /** Defaults to 1; required for integers. */
  readonly max?: number | undefined;
}

/** Uniformly distributed numbers from min (inclusive) to max (exclusive). */
export function randomUniform(
  graph: Graph,
  shape: readonly number[] | Output,
  options: UniformOptions = {},
): Output {
  const dtype = options.dtype ?? "float32";
  const min = options.min ?? 0;
  if ((dtype === "int32" || dtype === "int64") && options.max === undefined) {
    throw invalidArgument(`Say up to where (max) the random ${dtype} numbers go.`);
  }
  return graph.withNameScope(options.name ?? "random_uniform", (scope) => {
    const sizes = shapeInput(graph, shape);
    const unit = min === 0 && options.max === undefined;
    // Python omits operations without effect: numbers from 0 to 1 are used unchanged.
    if (unit && dtype !== "int32" && dtype !== "int64")
      return graph.op("RandomUniform", [sizes], { dtype, ...seeds(options) }).output;
    const low = addConstant(graph, Tensor.of(min, dtype), "min");
    const high = addConstant(graph, Tensor.of(options.max ?? 1, dtype), "max");
    if (dtype === "int32" || dtype === "int64") {
      return graph.op("RandomUniformInt", [sizes, low, high], { ...seeds(options) }, scope).output;
    }
    const numbers = graph.op("RandomUniform", [sizes], { dtype, ...seeds(options) });
    if (min === 0) return graph.op("Mul", [numbers, high]).output;
    const spread = graph.op("Sub", [high, low], {}, "sub");
    return graph.op("AddV2", [graph.op("Mul", [numbers, spread], {}, "mul"), low], {}, scope).output;
  });
}
