import type { DType } from "../../../../protocol/dtype.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { isSmallFloat } from "./dtypes.js";
import { fromFloat32, toFloat32 } from "./small-floats.js";

/** Which of several kernels of one op is taken for a node that more than one fits; 0 unless given. */
export const KernelPriority = {
  /** Before the usual one, for some of its dtypes. */
  special: 1,
  /** TensorFlow.js's, where it is faster and takes less. */
  converted: -10,
  /** For what TensorFlow.js does not take. */
  fallback: -20,
} as const;

/** One execution of a pure kernel. */
export type Compute = (inputs: readonly Tensor[]) => readonly Tensor[];

/** An estimate of the time that inputs take, in nanoseconds on one slow core. */
export type Cost = NonNullable<PureKernelDefinition["cost"]>;

export type KernelOptions = Omit<PureKernelDefinition, "kind" | "op" | "create">;

/**
 * A pure kernel.
 * @param create called once a node; reads the attributes.
 * @param options dtypes by type attribute, never resources or variants; the estimate of the cost, …
 */
export function pureKernel(
  op: string,
  create: (node: KernelNode) => Compute,
  options: KernelOptions,
): PureKernelDefinition {
  return { kind: "pure", op, create, ...options };
}

/** A cost estimate of so many nanoseconds for each element of the largest input. */
export function perElement(nanoseconds: number): Cost {
  return (_, inputs) => inputs.reduce((most, input) => Math.max(most, input.data.length), 0) * nanoseconds;
}

/** A cost estimate of so many nanoseconds for each element of all inputs together. */
export function perInput(nanoseconds: number): Cost {
  return (_, inputs) => inputs.reduce((sum, input) => sum + input.data.length, 0) * nanoseconds;
}

/** A cost estimate of so many nanoseconds for each element of a result that is larger than the inputs. */
export function perResult(nanoseconds: number, sizeOf: (inputs: readonly Tensor[]) => number): Cost {
  return (_, inputs) => sizeOf(inputs) * nanoseconds;
}

/**
 * Lets a kernel for float32 compute float16 and bfloat16, too: its inputs are widened, its float32 outputs rounded back
 * to the dtype of those inputs. For kernels that go by the dtypes of their inputs, not by the node's attributes.
 */
export function withSmallFloats(compute: Compute): Compute {
  return (inputs) => {
    const small: DType | undefined = inputs.find(({ dtype }) => isSmallFloat(dtype))?.dtype;
    if (small === undefined) {
      return compute(inputs);
    }
    const outputs = compute(inputs.map((input) => (input.dtype === small ? toFloat32(input) : input)));
    return outputs.map((output) => (output.dtype === "float32" ? fromFloat32(small, output) : output));
  };
}
