import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_ArgDef } from "../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";

/** One input or output of a node: an argument of its op, or one tensor of an argument that is a list. */
export interface SignatureArg {
  /** Unique within the node's inputs (or outputs): the argument's name, with its place for a list: "values[1]". */
  readonly name: string;
  /** The name of the op's argument. */
  readonly argName: string;
  /** Place within an argument that is a list. */
  readonly index: number | undefined;
  /** Base type, never a reference type; undefined where an attribute that decides it is missing. */
  readonly dtype: DataType | undefined;
  /** Whether the tensor is a reference (an old-style variable). */
  readonly isRef: boolean;
}

/** What the signature needs of a node. */
export type NodeAttrs = Pick<NodeDef, "attr">;

/** A node's attribute, or the op's default where the node has none. */
export function attrOf(opDef: OpDef, node: NodeAttrs, name: string): AttrValue | undefined {
  return node.attr.get(name) ?? opDef.attr.find((attr) => attr.name === name)?.defaultValue;
}

function typeOf(value: AttrValue | undefined): DataType | undefined {
  return value?.value?.$case === "type" && value.value.value !== DataType.DT_INVALID
    ? value.value.value
    : undefined;
}

/** How many tensors a list argument has: its number attribute, or the least that the op allows while that is missing. */
function lengthOf(opDef: OpDef, node: NodeAttrs, numberAttr: string): number {
  const value = attrOf(opDef, node, numberAttr)?.value;
  if (value?.$case === "i") return Number(value.value);
  const attr = opDef.attr.find((a) => a.name === numberAttr);
  return attr?.hasMinimum ? Number(attr.minimum) : 0;
}

/** The length of an argument: undefined for one that is no list. */
export function argLength(opDef: OpDef, node: NodeAttrs, arg: OpDef_ArgDef): number | undefined {
  if (arg.numberAttr !== "") return lengthOf(opDef, node, arg.numberAttr);
  if (arg.typeListAttr === "") return undefined;
  const value = attrOf(opDef, node, arg.typeListAttr)?.value;
  return value?.$case === "list" ? value.value.type.length : 0;
}

function expand(opDef: OpDef, node: NodeAttrs, args: readonly OpDef_ArgDef[]): SignatureArg[] {
  const out: SignatureArg[] = [];
  for (const arg of args) {
    const length = argLength(opDef, node, arg);
    const list = arg.typeListAttr === "" ? undefined : attrOf(opDef, node, arg.typeListAttr)?.value;
    const single = arg.typeAttr !== "" ? typeOf(attrOf(opDef, node, arg.typeAttr)) : arg.type || undefined;
    for (let i = 0; i < (length ?? 1); i++) {
      const dtype = list?.$case === "list" ? list.value.type[i] : single;
      out.push({
        name: length === undefined ? arg.name : `${arg.name}[${i}]`,
        argName: arg.name,
        index: length === undefined ? undefined : i,
        dtype: dtype === DataType.DT_INVALID ? undefined : dtype,
        isRef: arg.isRef,
      });
    }
  }
  return out;
}

/** The data inputs of a node, in the order in which `NodeDef.input` lists them. Control inputs follow after these. */
export function inputArgs(opDef: OpDef, node: NodeAttrs): SignatureArg[] {
  return expand(opDef, node, opDef.inputArg);
}

/** The outputs of a node in the order of their numbers: "node:0", "node:1", … */
export function outputTypes(opDef: OpDef, node: NodeAttrs): SignatureArg[] {
  return expand(opDef, node, opDef.outputArg);
}

/** Whether a tensor of one type may be connected to an input: equal, or not yet decided. References fit values. */
export function typesFit(
  output: Pick<SignatureArg, "dtype" | "isRef">,
  input: Pick<SignatureArg, "dtype" | "isRef">,
): boolean {
  if (input.isRef && !output.isRef) return false;
  return output.dtype === undefined || input.dtype === undefined || output.dtype === input.dtype;
}
