/** Initial values of variables, as of tf.compat.v1's initializers: with equal seeds, the same numbers. */
import type { DType } from "../../protocol/dtype.js";
import { elementsOfShape } from "../../protocol/shape.js";
import { Tensor } from "../../protocol/tensor.js";
import type { TensorValue } from "../../protocol/tensor-values.js";
import type { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import { transpose } from "./array.js";
import { constant, ones, zeros } from "./constants.js";
import { multiply } from "./math.js";
import {
  type NormalOptions,
  randomNormal,
  randomUniform,
  truncatedNormal,
  type UniformOptions,
} from "./random.js";

/** Makes the initial value of a variable. */
export type Initializer = (graph: Graph, shape: readonly number[], dtype: DType) => Output;

type Seeded = { readonly seed?: number | undefined };

export function zerosInitializer(): Initializer {
  return (graph, shape, dtype) => zeros(graph, shape, { dtype });
}

export function onesInitializer(): Initializer {
  return (graph, shape, dtype) => ones(graph, shape, { dtype });
}

/** @param value one number for all elements, or the elements */
export function constantInitializer(value: TensorValue | Tensor): Initializer {
  return (graph, shape, dtype) => {
    if (value instanceof Tensor) return constant(graph, value);
    const one = Tensor.of(value, dtype);
    if (one.shape.length > 0) return constant(graph, value, { dtype, shape });
    return graph.op("Fill", [Tensor.of(shape, "int32", [shape.length]), one]).output;
  };
}

export function randomNormalInitializer(options: Omit<NormalOptions, "dtype" | "name"> = {}): Initializer {
  return (graph, shape, dtype) => randomNormal(graph, shape, { ...options, dtype });
}

export function truncatedNormalInitializer(options: Omit<NormalOptions, "dtype" | "name"> = {}): Initializer {
  return (graph, shape, dtype) => truncatedNormal(graph, shape, { ...options, dtype });
}

export function randomUniformInitializer(options: Omit<UniformOptions, "dtype" | "name"> = {}): Initializer {
  return (graph, shape, dtype) => randomUniform(graph, shape, { ...options, dtype });
}

/** How many inputs and outputs each unit has: of kernels [height, width, …, inputs, outputs] and of matrices. */
function fans(shape: readonly number[]): { readonly fanIn: number; readonly fanOut: number } {
  const [last, before] = [shape.at(-1) ?? 1, shape.at(-2)];
  if (before === undefined) return { fanIn: last, fanOut: last };
  const window = elementsOfShape(shape.slice(0, -2));
  return { fanIn: before * window, fanOut: last * window };
}

/** The standard deviation of a normal distribution of deviation 1 that is cut at twice the deviation. */
const TRUNCATED_DEVIATION = 0.87962566103423978;

export interface VarianceScalingOptions extends Seeded {
  /** Defaults to 1. */
  readonly scale?: number | undefined;
  /** The divisor of the variance; defaults to "fanIn". */
  readonly mode?: "fanIn" | "fanOut" | "fanAverage" | undefined;
  /** Defaults to "truncatedNormal". */
  readonly distribution?: "truncatedNormal" | "uniform" | undefined;
}

/** Random numbers whose variance suits the number of a unit's inputs or outputs. */
export function varianceScalingInitializer(options: VarianceScalingOptions = {}): Initializer {
  const { scale = 1, mode = "fanIn", distribution = "truncatedNormal", seed } = options;
  return (graph, shape, dtype) => {
    const { fanIn, fanOut } = fans(shape);
    const count = { fanIn, fanOut, fanAverage: (fanIn + fanOut) / 2 }[mode];
    const variance = scale / Math.max(1, count);
    if (distribution === "uniform") {
      const limit = Math.sqrt(3 * variance);
      return randomUniform(graph, shape, { min: -limit, max: limit, seed, dtype });
    }
    const stddev = Math.sqrt(variance) / TRUNCATED_DEVIATION;
    return truncatedNormal(graph, shape, { stddev, seed, dtype });
  };
}

export function glorotUniformInitializer({ seed }: Seeded = {}): Initializer {
  return varianceScalingInitializer({ mode: "fanAverage", distribution: "uniform", seed });
}

export function glorotNormalInitializer({ seed }: Seeded = {}): Initializer {
  return varianceScalingInitializer({ mode: "fanAverage", seed });
}

export function heUniformInitializer({ seed }: Seeded = {}): Initializer {
  return varianceScalingInitializer({ scale: 2, distribution: "uniform", seed });
}

export function heNormalInitializer({ seed }: Seeded = {}): Initializer {
  return varianceScalingInitializer({ scale: 2, seed });
}

/** A matrix with orthogonal rows or columns, whichever are fewer; of more dimensions, the last one counts. */
export function orthogonalInitializer({
  gain = 1,
  seed,
}: Seeded & { readonly gain?: number } = {}): Initializer {
  return (graph, shape, dtype) => {
    const columns = shape.at(-1) ?? 1;
    const rows = elementsOfShape(shape.slice(0, -1));
    const long = [Math.max(rows, columns), Math.min(rows, columns)];
    const factors = graph.op("Qr", [randomNormal(graph, long, { seed, dtype })], { full_matrices: false });
    const signs = graph.op("Sign", [graph.op("MatrixDiagPart", [factors.outputAt(1)])]);
    const scaled = multiply(factors.outputAt(0), signs);
    const matrix = rows < columns ? transpose(scaled, [1, 0]) : scaled;
    return multiply(graph.op("Reshape", [matrix, Tensor.of(shape, "int32")]), gain);
  };
}
