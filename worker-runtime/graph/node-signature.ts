import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_ArgDef } from "../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";

/** One input or output of a node: an argument of its op, or one tensor of an argument that is a list. */
export interface SignatureArg {
  /** Unique within the node's inputs (or outputs): the argument's name, with an index if it is a list: "values[1]". */
  readonly name: string;
  /** The name of the op's argument. */
  readonly argName: string;
  /** Index within a list argument. */
  readonly index: number | undefined;
  /** Base type, never a reference type; undefined if the attribute that determines it is missing. */
  readonly dtype: DataType | undefined;
  /** Whether the tensor is a reference (an old-style variable). */
  readonly isRef: boolean;
}

/** The part of a node that the signature depends on. */
export type NodeAttrs = Pick<NodeDef, "attr">;

/** A node's attribute, or the op's default if it has none. */
export function attrOf(opDef: OpDef, node: NodeAttrs, name: string): AttrValue | undefined {
  return node.attr.get(name) ?? opDef.attr.find((attr) => attr.name === name)?.defaultValue;
}

function typeOf(value: AttrValue | undefined): DataType | undefined {
  return value?.value?.$case === "type" && value.value.value !== DataType.DT_INVALID
    ? value.value.value
    : undefined;
}

/** The length of a list argument: its number attribute, or the op's minimum if that is missing. */
function lengthOf(opDef: OpDef, node: NodeAttrs, numberAttr: string): number {
  const value = attrOf(opDef, node, numberAttr)?.value;
  if (value?.$case === "i") return Number(value.value);
  const attr = opDef.attr.find((a) => a.name === numberAttr);
  return attr?.hasMinimum ? Number(attr.minimum) : 0;
}

/** The length of a list argument; undefined for other arguments. */
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

/** Arguments that are not lists and share at most one type attribute, with their expansions by its value. */
interface SimpleArgs {
  /** "" if there is none. */
  readonly typeAttr: string;
  readonly expanded: Map<DataType | undefined, readonly SignatureArg[]>;
}

/** By the arguments of an op's definition; undefined for those that are not simple. */
const simpleArgs = new WeakMap<readonly OpDef_ArgDef[], SimpleArgs | undefined>();

/** The largest type to cache: invalid types in a graph must not fill the memory. */
const MAX_KEPT_TYPE = 255;

function simpleArgsOf(args: readonly OpDef_ArgDef[]): SimpleArgs | undefined {
  if (simpleArgs.has(args)) {
    return simpleArgs.get(args);
  }
  const typeAttrs = new Set(args.map(({ typeAttr }) => typeAttr).filter((attr) => attr !== ""));
  const areLists = args.some(({ numberAttr, typeListAttr }) => numberAttr !== "" || typeListAttr !== "");
  const simple =
    areLists || typeAttrs.size > 1 ? undefined : { typeAttr: [...typeAttrs][0] ?? "", expanded: new Map() };
  simpleArgs.set(args, simple);
  return simple;
}

/** Like `expand`, but nodes of the same op and dtype share the result, since a graph has thousands of them. */
function expandOnce(opDef: OpDef, node: NodeAttrs, args: readonly OpDef_ArgDef[]): readonly SignatureArg[] {
  const simple = simpleArgsOf(args);
  if (simple === undefined) return expand(opDef, node, args);
  const type = simple.typeAttr === "" ? undefined : typeOf(attrOf(opDef, node, simple.typeAttr));
  const known = simple.expanded.get(type);
  if (known !== undefined) return known;
  const expanded = expand(opDef, node, args);
  if (type === undefined || type <= MAX_KEPT_TYPE) simple.expanded.set(type, expanded);
  return expanded;
}

/** The data inputs of a node, in the order in which `NodeDef.input` lists them. Control inputs follow. */
export function inputArgs(opDef: OpDef, node: NodeAttrs): readonly SignatureArg[] {
  return expandOnce(opDef, node, opDef.inputArg);
}

/** The outputs of a node in the order of their numbers: "node:0", "node:1", … */
export function outputTypes(opDef: OpDef, node: NodeAttrs): readonly SignatureArg[] {
  return expandOnce(opDef, node, opDef.outputArg);
}

/** Whether a tensor of one type may be connected to an input: equal, or not yet known. References match values. */
export function typesFit(
  output: Pick<SignatureArg, "dtype" | "isRef">,
  input: Pick<SignatureArg, "dtype" | "isRef">,
): boolean {
  if (input.isRef && !output.isRef) return false;
  return output.dtype === undefined || input.dtype === undefined || output.dtype === input.dtype;
}
