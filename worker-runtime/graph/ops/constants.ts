import type { DType } from "../../protocol/dtype.js";
import { elementsOfShape } from "../../protocol/shape.js";
import { Tensor } from "../../protocol/tensor.js";
import type { TensorValue } from "../../protocol/tensor-values.js";
import { UNKNOWN_RANK } from "../attr-values.js";
import { filledProto, zeroOf } from "../constant-proto.js";
import type { Graph } from "../graph.js";
import { addConstant } from "../graph-op-builder.js";
import type { Output } from "../operation.js";
import type { Shape } from "../shape.js";
import { intTensor, type OpOptions } from "./common.js";

/** From this many elements on, tf.zeros and tf.ones create a Fill node instead of a Const. */
const FILL_FROM_ELEMENTS = 1000;

export interface ConstantOptions extends OpOptions {
  /** Defaults to float32 for numbers, int64 for bigints, string for strings, bool for booleans. */
  readonly dtype?: DType | undefined;
  readonly shape?: readonly number[] | undefined;
}

/** A tensor of the same value in every run. */
export function constant(graph: Graph, value: TensorValue | Tensor, options: ConstantOptions = {}): Output {
  const tensor = value instanceof Tensor ? value : Tensor.of(value, options.dtype, options.shape);
  return addConstant(graph, tensor, options.name ?? "Const");
}

function filled(graph: Graph, shape: readonly number[], element: Tensor, name: string): Output {
  const { dtype } = element;
  if (elementsOfShape(shape) < FILL_FROM_ELEMENTS) {
    const value = { value: { $case: "tensor" as const, value: filledProto(dtype, shape, element) } };
    return graph.op("Const", [], { value, dtype }, name).output;
  }
  return graph.withNameScope(name, (scope) => {
    const dims = addConstant(graph, intTensor(shape), "shape_as_tensor");
    const value = addConstant(graph, element, "Const");
    return graph.op("Fill", [dims, value], { index_type: "int32" }, scope).output;
  });
}

/** A tensor of zeros (or false, or empty strings). */
export function zeros(graph: Graph, shape: readonly number[], options: ConstantOptions = {}): Output {
  return filled(graph, shape, zeroOf(options.dtype ?? "float32"), options.name ?? "zeros");
}

/** A tensor of ones. */
export function ones(graph: Graph, shape: readonly number[], options: ConstantOptions = {}): Output {
  const dtype = options.dtype ?? "float32";
  return filled(graph, shape, Tensor.of(dtype === "bool" ? true : 1, dtype, []), options.name ?? "ones");
}

/** A tensor that is fed in each run. Without a shape it accepts any; -1 is a dimension of any size. */
export function placeholder(graph: Graph, dtype: DType, shape?: Shape, options: OpOptions = {}): Output {
  const attrs = { dtype, shape: shape ?? UNKNOWN_RANK };
  return graph.op("Placeholder", [], attrs, options.name ?? "Placeholder").output;
}
