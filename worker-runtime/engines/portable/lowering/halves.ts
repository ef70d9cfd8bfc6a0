import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import type { DType } from "../../../protocol/dtype.js";
import type { KernelTypes } from "../kernels/kernel.js";
import { KernelNode } from "../kernels/kernel-node.js";
import { hasCpuKernelOf } from "../kernels/registered-types.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import type { Lowering, LoweringContext, UpdateLowering } from "./lowering.js";
import { Writer } from "./writer.js";

/** Attributes with the dtype of an op's values, of which a node has one. */
const VALUE_ATTRIBUTES = ["T", "Tparams", "dtype"] as const;

/**
 * The same lowering for nodes of float16: as in the kernels (`withSmallFloats`), and in TensorFlow's, it is computed in
 * float32 and the results are rounded. ONNX Runtime's CPU provider has hardly any operators of float16.
 * @returns undefined for an op without a lowering for float32, or without a kernel for float16.
 */
export function ofHalves(lowering: Lowering): Lowering | undefined {
  const types = lowering.hasNoHalves ? undefined : typesOfHalves(lowering);
  const isHalf = ({ outputs }: KernelNode, index: number) => outputs[index]?.dtype === DataType.DT_HALF;
  return types && { ...lowering, types, lower: widened(lowering, isHalf) };
}

/** As `ofHalves`, for an op that changes variables: new values that are not just copied. */
export function updateOfHalves(lowering: UpdateLowering): UpdateLowering | undefined {
  const types = lowering.isCopy ? undefined : typesOfHalves(lowering);
  return types && { ...lowering, types, lower: widened(lowering, () => true) };
}

function typesOfHalves({ op, types }: Pick<Lowering, "op" | "types">): KernelTypes | undefined {
  const attr = VALUE_ATTRIBUTES.find((name) => types[name]?.includes("float32"));
  if (attr === undefined || !hasCpuKernelOf(op, attr, "float16")) {
    return undefined;
  }
  return Object.fromEntries(
    Object.entries(types).map(([name, dtypes]): [string, readonly DType[]] => {
      const halves = dtypes.includes("float32") ? [...dtypes, "float16" as const] : dtypes;
      return [name, name === attr ? ["float16"] : halves];
    }),
  );
}

/** @param isHalf whether a result of a node is of float16. */
function widened(
  { lower }: Pick<Lowering, "lower">,
  isHalf: (node: KernelNode, index: number) => boolean,
): Lowering["lower"] {
  return (node, inputs, context) => {
    const write = new Writer(context);
    const halves = new Map<string, OnnxValue>();
    const wide = inputs.map((input) => {
      if (input.dtype !== "float16") return input;
      const value = write.cast(input, "float32");
      halves.set(value.name, input);
      return value;
    });
    const outputs = lower(withoutHalves(node), wide, contextOf(context, halves));
    return outputs?.map((output, index) => (isHalf(node, index) ? write.cast(output, "float16") : output));
  };
}

/** The node as if its halves were float32. */
function withoutHalves(node: KernelNode): KernelNode {
  const attr = new Map(
    [...node.def.attr].map(([name, attribute]) => {
      const { value } = attribute;
      const isHalf = value?.$case === "type" && value.value === DataType.DT_HALF;
      return [
        name,
        isHalf ? { ...attribute, value: { $case: "type" as const, value: DataType.DT_FLOAT } } : attribute,
      ];
    }),
  );
  return new KernelNode({ ...node.def, attr }, node.opDef, node.scope);
}

/** The questions that a lowering may ask about its inputs: for those that were widened, all but their values. */
function contextOf(context: LoweringContext, widened: ReadonlyMap<string, OnnxValue>): LoweringContext {
  const given = (value: OnnxValue) => widened.get(value.name) ?? value;
  return {
    model: context.model,
    isOnGpu: context.isOnGpu,
    blockedChannels: context.blockedChannels,
    rank: (input) => context.rank(given(input)),
    shape: (input) => context.shape(given(input)),
    likelyShape: (input) => context.likelyShape(given(input)),
    value: (input) => (widened.has(input.name) ? undefined : context.value(input)),
  };
}
