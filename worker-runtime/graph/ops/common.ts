import type { DType } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { Graph } from "../graph.js";
import { addConstant, type OpInput, type OpValue } from "../graph-op-builder.js";
import { Operation, Output } from "../operation.js";

/** The options of every op function. */
export interface OpOptions {
  /** Name within the current scope; defaults to the name that TensorFlow's Python API gives. */
  readonly name?: string | undefined;
}

/** The graph that the inputs belong to. @throws TensorFlowError INVALID_ARGUMENT if none of them is a tensor */
export function graphOf(...values: readonly OpInput[]): Graph {
  for (const value of values.flat()) {
    if (value instanceof Output || value instanceof Operation) return Graph.of(value);
  }
  throw invalidArgument(
    "At least one input has to be a tensor of a graph; make one with constant(graph, value).",
  );
}

/** The tensor of a value: itself, or a Const of the given name. */
export function toTensor(graph: Graph, value: OpValue, name: string, dtype?: DType): Output {
  if (value instanceof Output) return value;
  if (value instanceof Operation) return value.output;
  return addConstant(graph, value instanceof Tensor ? value : Tensor.of(value, dtype), name);
}

/** Integers as an int32 tensor, the form of shapes and axes. */
export function intTensor(values: number | readonly number[]): Tensor {
  return Tensor.of(values, "int32");
}

/** A shape or the like: a list of integers, or a tensor. */
export function intsOrTensor(value: readonly number[] | Output): Tensor | Output {
  return value instanceof Output ? value : intTensor(value);
}
