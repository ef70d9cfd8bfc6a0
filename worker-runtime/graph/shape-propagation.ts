import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import { type Tensor, tensorFromProto } from "../protocol/tensor.js";
import { intsOfTensor, type KnownInts } from "./known-ints.js";
import type { OutputFacts, ShapeContext } from "./shape-context.js";
import { tryInferOutputs } from "./shape-inference.js";

/** The part of an operation that shape propagation needs. */
export interface ShapedOperation {
  readonly name: string;
  readonly type: string;
  readonly attrs: ReadonlyMap<string, AttrValue>;
  readonly inputs: readonly { readonly op: ShapedOperation; readonly index: number }[];
  readonly outputs: readonly unknown[];
  readonly factsSoFar: readonly OutputFacts[] | undefined;
  setFacts(facts: readonly OutputFacts[]): void;
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

/**
 * The facts about an operation that shape rules may use; inputs whose shapes have not been computed yet count as
 * unknown.
 */
export function shapeContextOf(op: ShapedOperation): ShapeContext {
  const factsOf = (index: number): OutputFacts | undefined => {
    const input = op.inputs[index];
    return input?.op.factsSoFar?.[input.index];
  };
  return {
    node: op.name,
    op: op.type,
    attr: (name) => op.attrs.get(name),
    inputShapes: op.inputs.map((input) => input.op.factsSoFar?.[input.index]?.shape),
    constantInput: (index) => constantValueOf(op.inputs[index]?.op),
    knownInts: (index) => factsOf(index)?.ints ?? intsOfTensor(constantValueOf(op.inputs[index]?.op)),
    handleShape: (index) => factsOf(index)?.behind,
    outputCount: op.outputs.length,
  };
}

/** The integers of a tensor as far as they are known before a run: of a Const, or computed from shapes. */
export function knownIntsOf(x: {
  readonly op: ShapedOperation;
  readonly index: number;
}): KnownInts | undefined {
  return propagateShapes(x.op)[x.index]?.ints ?? intsOfTensor(constantValueOf(x.op));
}

/**
 * Infers the shapes of an operation and its dependencies. Not recursive, since graphs are deeper than the call stack.
 * Values fed back by a loop count as unknown, and so do the outputs of nodes with incompatible inputs.
 */
export function propagateShapes(last: ShapedOperation): readonly OutputFacts[] {
  const entered = new Set<ShapedOperation>();
  const stack = [last];
  for (let op = stack.at(-1); op; op = stack.at(-1)) {
    if (!op.factsSoFar && !entered.has(op)) {
      entered.add(op);
      stack.push(
        ...op.inputs.map((input) => input.op).filter((source) => !source.factsSoFar && !entered.has(source)),
      );
      continue;
    }
    stack.pop();
    if (!op.factsSoFar) op.setFacts(tryInferOutputs(shapeContextOf(op)).facts);
  }
  return last.factsSoFar ?? [];
}
