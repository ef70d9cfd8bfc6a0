import type { DType } from "../../../../protocol/dtype.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { isSmallFloat } from "./dtypes.js";
import { fromFloat32, toFloat32 } from "./small-floats.js";

/** Decides between kernels of one op that fit the same node; defaults to 0. */
export const KernelPriority = {
  /** Preferred to the usual kernel, for some of its dtypes. */
  special: 1,
} as const;

/** One execution of a pure kernel. */
export type Compute = (inputs: readonly Tensor[]) => readonly Tensor[];

/** An estimate of the compute time for the given inputs, in nanoseconds on one slow core. */
export type Cost = NonNullable<PureKernelDefinition["cost"]>;

export type KernelOptions = Omit<PureKernelDefinition, "kind" | "op" | "create">;

/**
 * A pure kernel.
 * @param create called once per node; reads the attributes.
 * @param options dtypes by type attribute (never resources or variants), the cost estimate, …
 */
export function pureKernel(
  op: string,
  create: (node: KernelNode) => Compute,
  options: KernelOptions,
): PureKernelDefinition {
  return { kind: "pure", op, create, ...options };
}

/** A cost estimate of this many nanoseconds per element of the largest input. */
export function perElement(nanoseconds: number): Cost {
  return (_, inputs) => inputs.reduce((most, input) => Math.max(most, input.data.length), 0) * nanoseconds;
}

/** A cost estimate of this many nanoseconds per element of all inputs together. */
export function perInput(nanoseconds: number): Cost {
  return (_, inputs) => inputs.reduce((sum, input) => sum + input.data.length, 0) * nanoseconds;
}

/** A cost estimate of this many nanoseconds per element of a result that is larger than the inputs. */
export function perResult(nanoseconds: number, sizeOf: (inputs: readonly Tensor[]) => number): Cost {
  return (_, inputs) => sizeOf(inputs) * nanoseconds;
}

/** The dtype of the first input that is a small float. A loop, since this is called before each run of a kernel. */
function smallFloatOf(inputs: readonly Tensor[]): DType | undefined {
  for (const { dtype } of inputs) {
    if (isSmallFloat(dtype)) {
      return dtype;
    }
  }
  return undefined;
}

/**
 * Extends a float32 kernel to float16 and bfloat16: inputs are widened, and float32 outputs are rounded back to the
 * inputs' dtype. For kernels that depend on the dtypes of their inputs, not on the node's attributes.
 */
export function withSmallFloats(compute: Compute): Compute {
  return (inputs) => {
    const small = smallFloatOf(inputs);
    if (small === undefined) {
      return compute(inputs);
    }
    const outputs = compute(inputs.map((input) => (input.dtype === small ? toFloat32(input) : input)));
    return outputs.map((output) => (output.dtype === "float32" ? fromFloat32(small, output) : output));
  };
}
