import type { DType } from "../../protocol/dtype.js";
import type { Graph } from "../graph.js";
import type { Output } from "../operation.js";
import { integers } from "./gradient.js";

/** Zeros in the shape of a variable's value. @param handle of the variable */
export function zerosOfVariable(graph: Graph, handle: Output, dtype: DType): Output {
  const zero = graph.op("Cast", [integers(graph, 0)], { DstT: dtype });
  return graph.op("Fill", [graph.op("VariableShape", [handle]), zero]).output;
}

/** A value of which nobody uses the elements. A list may still be asked for zeros like it. */
export function unusedValue(graph: Graph, dtype: DType): Output {
  if (dtype !== "variant") return graph.op("FakeParam", [], { dtype, shape: [] }).output;
  return graph.op("EmptyTensorList", [-1, -1], { element_dtype: "float32", shape_type: "int32" }).output;
}
