/** Executions of one op, with nothing of a graph around it. No test framework here: benchmarks use this, too. */
import { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import type { OpDef } from "../../../../../protos/generated/tensorflow/op_def.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import type { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { type AttrInput, toAttrValue, typeAttr } from "../../../../../worker-runtime/graph/attr-values.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import type { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { type Outcome, outcomeOfError } from "./outcome.js";

/** One execution of an op. */
export interface OpCase {
  readonly op: string;
  readonly inputs: readonly Tensor[];
  /** Attributes other than those that follow from the inputs (types and lengths of lists). */
  readonly attrs?: Readonly<Record<string, AttrInput>>;
  /** How many units in the last place floats may differ (4 unless given); 0 compares bits, signs of zero included. */
  readonly ulps?: number;
  /** Floats nearer than this are equal, too: where TensorFlow itself sums in another order. */
  readonly absolute?: number;
  /** Units are those of the largest element. */
  readonly atLargest?: boolean;
  /** Only the kind of outcome counts where TensorFlow fails: its code is not compared. */
  readonly anyCode?: boolean;
}

/** The result of a run of a case. */
export type CaseOutcome =
  | Outcome
  /** There is no kernel for these dtypes. */
  | { readonly missing: string };

/** A node of the case's op whose type and length attributes follow from its inputs. */
export function nodeOf({ op, inputs, attrs = {} }: OpCase): KernelNode {
  const opDef = bundledOpRegistry().require(op);
  const node = NodeDef.fromPartial({ name: "node", op });
  for (const [name, value] of inferAttrs(opDef, inputs)) {
    node.attr.set(name, value);
  }
  for (const [name, value] of Object.entries(attrs)) {
    const attr = opDef.attr.find((candidate) => candidate.name === name);
    if (attr === undefined) {
      throw new Error(`${op} has no attribute ${name}.`);
    }
    node.attr.set(name, toAttrValue(attr, value));
  }
  return new KernelNode(node, opDef);
}

function inferAttrs(opDef: OpDef, inputs: readonly Tensor[]) {
  const values: [string, ReturnType<typeof typeAttr>][] = [];
  const lists = opDef.inputArg.filter((arg) => arg.numberAttr !== "" || arg.typeListAttr !== "").length;
  // Lists of one op are of one length wherever an op has several.
  const length = lists === 0 ? 0 : (inputs.length - (opDef.inputArg.length - lists)) / lists;
  let next = 0;
  for (const arg of opDef.inputArg) {
    const isList = arg.numberAttr !== "" || arg.typeListAttr !== "";
    const own = inputs.slice(next, next + (isList ? length : 1));
    next += own.length;
    const attrOf = (name: string) => opDef.attr.find((attr) => attr.name === name);
    const number = arg.numberAttr === "" ? undefined : attrOf(arg.numberAttr);
    if (number !== undefined) {
      values.push([number.name, toAttrValue(number, length)]);
    }
    const list = arg.typeListAttr === "" ? undefined : attrOf(arg.typeListAttr);
    if (list !== undefined) {
      values.push([
        list.name,
        toAttrValue(
          list,
          own.map(({ dtype }) => dtype),
        ),
      ]);
    }
    const [first] = own;
    if (arg.typeAttr !== "" && first !== undefined) {
      values.push([arg.typeAttr, typeAttr(first.dtype)]);
    }
  }
  return values;
}

/** Runs a case through our kernels. */
export function runCase(opCase: OpCase, kernels: KernelRegistry = createKernelRegistry()): CaseOutcome {
  try {
    const node = nodeOf(opCase);
    const kernel = kernels.find(node, "CPU");
    if (kernel === undefined) {
      return { missing: `no kernel: ${JSON.stringify(kernels.explain(node, "CPU"))}` };
    }
    if (kernel.kind !== "pure") {
      throw new Error(`${opCase.op} has no pure kernel.`);
    }
    return { outputs: kernel.create(node)(opCase.inputs) };
  } catch (error) {
    return outcomeOfError(error);
  }
}
