import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import { type Tensor, tensorFromProto } from "../protocol/tensor.js";
import { partialShapeFromProto, type Shape } from "./shape.js";
import type { ShapeContext } from "./shape-context.js";
import { tryInferOutputShapes } from "./shape-inference.js";

/** The part of an operation that shape propagation needs. */
export interface ShapedOperation {
  readonly name: string;
  readonly type: string;
  readonly attrs: ReadonlyMap<string, AttrValue>;
  readonly inputs: readonly { readonly op: ShapedOperation; readonly index: number }[];
  readonly outputs: readonly unknown[];
  readonly shapesSoFar: readonly (Shape | undefined)[] | undefined;
  setShapes(shapes: readonly (Shape | undefined)[]): void;
}

/** The value of a Const; undefined for other operations. */
function constantValueOf(op: ShapedOperation | undefined): Tensor | undefined {
  const value = op?.type === "Const" ? op.attrs.get("value")?.value : undefined;
  if (value?.$case !== "tensor") return undefined;
  try {
    return tensorFromProto(value.value);
  } catch {
    // A Const with an invalid value gives no shapes; its error is reported when it runs.
    return undefined;
  }
}

/** The shape of the value behind a resource variable's handle; undefined if it is unknown or not such a handle. */
function handleShapeOf(op: ShapedOperation | undefined): Shape | undefined {
  const shape = op?.type === "VarHandleOp" ? op.attrs.get("shape")?.value : undefined;
  return shape?.$case === "shape" ? partialShapeFromProto(shape.value) : undefined;
}

/**
 * The facts about an operation that shape rules may use; inputs whose shapes have not been computed yet count as
 * unknown.
 */
export function shapeContextOf(op: ShapedOperation): ShapeContext {
  return {
    node: op.name,
    op: op.type,
    attr: (name) => op.attrs.get(name),
    inputShapes: op.inputs.map((input) => input.op.shapesSoFar?.[input.index]),
    constantInput: (index) => constantValueOf(op.inputs[index]?.op),
    handleShape: (index) => handleShapeOf(op.inputs[index]?.op),
    outputCount: op.outputs.length,
  };
}

/**
 * Infers the shapes of an operation and its dependencies. Not recursive, since graphs are deeper than the call stack.
 * Values fed back by a loop count as unknown, and so do the outputs of nodes with incompatible inputs.
 */
export function propagateShapes(last: ShapedOperation): readonly (Shape | undefined)[] {
  const entered = new Set<ShapedOperation>();
  const stack = [last];
  for (let op = stack.at(-1); op; op = stack.at(-1)) {
    if (!op.shapesSoFar && !entered.has(op)) {
      entered.add(op);
      stack.push(
        ...op.inputs.map((input) => input.op).filter((source) => !source.shapesSoFar && !entered.has(source)),
      );
      continue;
    }
    stack.pop();
    if (!op.shapesSoFar) op.setShapes(tryInferOutputShapes(shapeContextOf(op)).shapes);
  }
  return last.shapesSoFar ?? [];
}
