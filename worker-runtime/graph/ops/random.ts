import type { DType } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import type { Graph } from "../graph.js";
import { addConstant } from "../graph-op-builder.js";
import { Output } from "../operation.js";
import { intTensor, type OpOptions } from "./common.js";

/** TensorFlow's seed of a graph where only an op's seed is given (random_seed.py). */
const DEFAULT_GRAPH_SEED = 87654321;

export interface RandomOptions extends OpOptions {
  /** float32 unless given. */
  readonly dtype?: DType | undefined;
  /** The same numbers in every session; without it, others each time. */
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

/** Numbers of a normal distribution, mean 0 and standard deviation 1 unless given. */
export const randomNormal = normal("RandomStandardNormal", "random_normal");
/** As `randomNormal`, without numbers more than two standard deviations from the mean. */
export const truncatedNormal = normal("TruncatedNormal", "truncated_normal");

export interface UniformOptions extends RandomOptions {
  readonly min?: number | undefined;
  /** 1 unless given; whole numbers need it. */
  readonly max?: number | undefined;
}

/** Numbers from min up to, not including, max. */
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
    // Python leaves out what changes nothing: from 0 to 1, the numbers are used as they are made.
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
