/**
 * The inputs and outputs of a node, argument by argument: an OpDef with its number, type and type-list attributes
 * filled in from the node (op_def.proto: ArgDef).
 */
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_ArgDef, OpDef_AttrDef } from "../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import {
  attrOf,
  inputArgs,
  outputTypes,
  type SignatureArg,
} from "../../worker-runtime/graph/node-signature.js";
import { baseDataType, isReference } from "../../worker-runtime/protocol/dtype.js";

/** Finds the definition of an op or of a function of the graph's library. */
export interface OpLookup {
  (op: string): OpDef | undefined;
  /** The function of the graph's library with this name, with its body. */
  readonly functionNamed?: (name: string) => FunctionDef | undefined;
}

export interface Slot {
  /** Position among the node's data inputs or among its outputs. */
  readonly index: number;
  /** The argument's name, with a number if the argument accepts several: "a", "values[1]". */
  readonly label: string;
  readonly arg: OpDef_ArgDef;
  /** Position within an argument that accepts several. */
  readonly position: number;
  /** Base type; DT_INVALID while the attribute that decides it has no value. */
  readonly dtype: DataType;
  readonly isRef: boolean;
}

export interface NodeSignature {
  readonly opDef: OpDef;
  readonly inputs: readonly Slot[];
  readonly outputs: readonly Slot[];
  /** The last argument of variable length, to which one more input can be connected. */
  readonly growing: { readonly arg: OpDef_ArgDef; readonly at: number } | undefined;
}

/** By the attributes, which decide it together with the op: a node that is pinned or connected keeps them. */
const remembered = new WeakMap<
  NodeDef["attr"],
  { readonly opDef: OpDef; readonly signature: NodeSignature }
>();

/** Undefined when the op is not known. */
export function signatureOf(node: NodeDef, lookup: OpLookup): NodeSignature | undefined {
  const opDef = lookup(node.op);
  if (!opDef) return undefined;
  const known = remembered.get(node.attr);
  if (known?.opDef === opDef) return known.signature;
  const signature = expand(node, opDef);
  remembered.set(node.attr, { opDef, signature });
  return signature;
}

function expand(node: NodeDef, opDef: OpDef): NodeSignature {
  const inputs = slotsOf(inputArgs(opDef, node), opDef.inputArg);
  const outputs = slotsOf(outputTypes(opDef, node), opDef.outputArg);
  const arg = opDef.inputArg.findLast((candidate) => growsAlone(opDef, candidate));
  const last = arg && inputs.findLast((slot) => slot.arg === arg);
  const growing = arg && { arg, at: last ? last.index + 1 : slotsBefore(inputs, opDef, arg) };
  return { opDef, inputs, outputs, growing };
}

/**
 * False if several arguments share their number, as one cannot become longer without the others, and where a
 * function that the op calls decides how many there are.
 */
export function growsAlone(opDef: OpDef, arg: OpDef_ArgDef): boolean {
  const attr = arg.numberAttr || arg.typeListAttr;
  const sharing = opDef.inputArg.filter(({ numberAttr, typeListAttr }) =>
    [numberAttr, typeListAttr].includes(attr),
  );
  return attr !== "" && sharing.length === 1 && !opDef.attr.some(({ type }) => type === "func");
}

function slotsBefore(slots: readonly Slot[], opDef: OpDef, arg: OpDef_ArgDef): number {
  const index = opDef.inputArg.indexOf(arg);
  return slots.filter((slot) => opDef.inputArg.indexOf(slot.arg) < index).length;
}

function slotsOf(args: readonly SignatureArg[], defs: readonly OpDef_ArgDef[]): Slot[] {
  const byName = new Map(defs.map((arg) => [arg.name, arg]));
  return args.flatMap(({ name, argName, index: position, dtype, isRef }, index): Slot[] => {
    const arg = byName.get(argName);
    if (!arg) return [];
    return [
      {
        index,
        label: name,
        arg,
        position: position ?? 0,
        dtype: dtype === undefined ? DataType.DT_INVALID : baseDataType(dtype),
        isRef: isRef || (dtype !== undefined && isReference(dtype)),
      },
    ];
  });
}

/** The node's own value, or the op's default. */
export function attrOrDefault(node: NodeDef, opDef: OpDef, name: string): AttrValue | undefined {
  return attrOf(opDef, node, name);
}

export function attrDef(opDef: OpDef, name: string): OpDef_AttrDef | undefined {
  return opDef.attr.find((attr) => attr.name === name);
}

/** The types that an attribute of type "type" or "list(type)" may have; undefined: any. */
export function allowedTypes(opDef: OpDef, name: string): readonly DataType[] | undefined {
  const allowed = attrDef(opDef, name)?.allowedValues?.value;
  return allowed?.$case === "list" && allowed.value.type.length > 0 ? allowed.value.type : undefined;
}

/** Data inputs come first, control inputs after them (node_def.proto). */
export function dataInputs(node: NodeDef): readonly string[] {
  const firstControl = node.input.findIndex((input) => input.startsWith("^"));
  return firstControl < 0 ? node.input : node.input.slice(0, firstControl);
}

export function controlInputs(node: NodeDef): readonly string[] {
  return node.input.slice(dataInputs(node).length);
}
