import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { StatefulKernelDefinition } from "../kernel.js";
import { checkedSize } from "../support/allocation.js";
import { indexTypes } from "../support/dtypes.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import {
  type Distribution,
  type RandomFloat,
  standardNormal,
  truncatedNormal,
  uniform,
  uniformFullInt,
  uniformInt,
} from "./distributions.js";
import { fillTensorInTurns, shapeOf } from "./fill.js";
import { generatorOf } from "./seeded-generator.js";

export const randomFloatTypes = [
  "float16",
  "bfloat16",
  "float32",
  "float64",
] as const satisfies readonly DType[];
export const randomIntTypes = ["int32", "int64"] as const satisfies readonly DType[];
/** The dtypes of ops whose numbers cover the full range of the dtype. */
export const randomBitTypes = ["int32", "uint32", "int64", "uint64"] as const satisfies readonly DType[];

/** Narrows a dtype that a kernel is registered for with `randomFloatTypes`. @throws TensorFlowError INVALID_ARGUMENT */
export function randomFloatOf(dtype: DType): RandomFloat {
  const found = randomFloatTypes.find((one) => one === dtype);
  if (found === undefined) {
    throw invalidArgument(`There are no random numbers with a fraction of dtype ${dtype}.`);
  }
  return found;
}

/** Narrows a dtype that a kernel is registered for with `randomIntTypes`. @throws TensorFlowError INVALID_ARGUMENT */
export function randomIntOf(dtype: DType): "int32" | "int64" {
  if (dtype !== "int32" && dtype !== "int64") {
    throw invalidArgument(`There are no random whole numbers of dtype ${dtype}.`);
  }
  return dtype;
}

/**
 * The full-range distribution of a dtype that a kernel is registered for with `randomBitTypes`.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function fullIntOf(dtype: DType): Distribution {
  const found = randomBitTypes.find((one) => one === dtype);
  if (found === undefined) {
    throw invalidArgument(`There are no random whole numbers of dtype ${dtype}.`);
  }
  return uniformFullInt(found);
}

/**
 * The uniform distribution between two scalars.
 * @throws TensorFlowError INVALID_ARGUMENT for bounds that are not scalars or form an empty range.
 */
export function uniformBetween(dtype: "int32" | "int64", minval: Tensor, maxval: Tensor): Distribution {
  for (const [name, { shape }] of Object.entries({ minval, maxval })) {
    if (shape.length !== 0) {
      throw invalidArgument(`${name} must be 0-D, got shape ${cppShapeText(shape)}`);
    }
  }
  const low = wholeNumber(minval);
  const high = wholeNumber(maxval);
  if (low >= high) {
    throw invalidArgument(`Need minval < maxval, got ${low} >= ${high}`);
  }
  return uniformInt(dtype, low, high);
}

function wholeNumber(scalar: Tensor): bigint {
  const value = scalar.data[0];
  return typeof value === "number" || typeof value === "bigint" ? BigInt(value) : 0n;
}

function floatKernel(op: string, make: (dtype: RandomFloat) => Distribution): StatefulKernelDefinition {
  return {
    kind: "stateful",
    op,
    types: { dtype: randomFloatTypes, T: indexTypes },
    facts: { neverWaits: true },
    create(node) {
      const dtype = randomFloatOf(node.type("dtype"));
      const distribution = make(dtype);
      const generator = generatorOf(node);
      return (context) => {
        const { inputs, step } = context;
        const shape = shapeOf(tensorAt(inputs, 0));
        const stream = generator(context).reserveOutputs(checkedSize(dtype, shape));
        return fillTensorInTurns(dtype, shape, distribution, stream, step.signal);
      };
    },
  };
}

const uniformIntKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "RandomUniformInt",
  types: { Tout: randomIntTypes, T: indexTypes },
  facts: { neverWaits: true },
  create(node) {
    const dtype = randomIntOf(node.type("Tout"));
    const generator = generatorOf(node);
    return (context) => {
      const { inputs, step } = context;
      const distribution = uniformBetween(dtype, tensorAt(inputs, 1), tensorAt(inputs, 2));
      const shape = shapeOf(tensorAt(inputs, 0));
      const stream = generator(context).reserveOutputs(checkedSize(dtype, shape));
      return fillTensorInTurns(dtype, shape, distribution, stream, step.signal);
    };
  },
};

/** Stateful random ops: the same numbers as TensorFlow for the same seeds, step by step. */
export const statefulRandomKernels: readonly StatefulKernelDefinition[] = [
  floatKernel("RandomUniform", uniform),
  floatKernel("RandomStandardNormal", standardNormal),
  floatKernel("TruncatedNormal", truncatedNormal),
  uniformIntKernel,
];
