import { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { bundledOpRegistry } from "../../../../graph/op-registry.js";
import { type DType, dataTypeOf } from "../../../../protocol/dtype.js";
import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { Reduction } from "../../collectives/ring.js";
import { KernelNode } from "../kernel-node.js";
import { arithmeticKernels } from "../math/arithmetic.js";
import { integerDivisionKernels } from "../math/integer-division.js";
import { KernelRegistry } from "../registry.js";
import { isLong } from "../support/dtypes.js";

const mergeOps: Readonly<Record<string, string>> = { Add: "Add", Mul: "Mul", Min: "Minimum", Max: "Maximum" };

const kernels = new KernelRegistry().add(...arithmeticKernels, ...integerDivisionKernels);

/**
 * The reduction that a node's attributes name.
 * @param groupSize the number of merged tensors, by which the final op "Div" divides.
 * @throws TensorFlowError INVALID_ARGUMENT for an unknown op.
 */
export function reductionOf(
  mergeOp: string,
  finalOp: string,
  dtype: DType,
): (groupSize: number) => Reduction {
  const op = mergeOps[mergeOp];
  if (op === undefined) {
    throw invalidArgument(`merge_op must be one of {"Add", "Mul", "Min", "Max"} but got ${mergeOp}`);
  }
  if (finalOp !== "Id" && finalOp !== "Div") {
    throw invalidArgument(`final_op must be one of {"Id", "Div"} but got ${finalOp}`);
  }
  const merge = binary(op, dtype);
  const divide = finalOp === "Div" ? binary("Div", dtype) : undefined;
  return (groupSize) => ({
    merge,
    finish: (merged) =>
      divide === undefined
        ? merged
        : divide(merged, Tensor.of(isLong(dtype) ? BigInt(groupSize) : groupSize, dtype)),
  });
}

/** The kernel of an arithmetic op for tensors of one dtype, as a function of two tensors. */
function binary(op: string, dtype: DType): (x: Tensor, y: Tensor) => Tensor {
  const attr = new Map([["T", { value: { $case: "type", value: dataTypeOf(dtype) } as const }]]);
  const node = new KernelNode(
    NodeDef.fromPartial({ name: op, op, input: ["x", "y"], attr }),
    bundledOpRegistry().require(op),
  );
  const kernel = kernels.find(node, "CPU");
  if (kernel?.kind !== "pure") {
    throw internalError(`There is no ${op} for ${dtype}.`);
  }
  const compute = kernel.create(node);
  return (x, y) => {
    const [result] = compute([x, y]);
    if (result === undefined) {
      throw internalError(`${op} made nothing.`);
    }
    return result;
  };
}
