/**
 * For which ops and dtypes the engine has kernels: "Cast SrcT=int8" for each dtype that a type attribute may have, the
 * bare name for an op without type attributes.
 */
import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_AttrDef } from "../../../../protos/generated/tensorflow/op_def.js";
import { KernelNode } from "../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import type { KernelRegistry } from "../../../../worker-runtime/engines/portable/kernels/registry.js";
import { dataTypes } from "../../../../worker-runtime/engines/portable/kernels/support/dtypes.js";
import { attrOf } from "../../../../worker-runtime/graph/node-signature.js";
import { bundledOpRegistry } from "../../../../worker-runtime/graph/op-registry.js";
import {
  baseDataType,
  type DType,
  dataTypeOf,
  dtypeOf,
  dtypes,
} from "../../../../worker-runtime/protocol/dtype.js";

/** The number of choices of dtypes beyond which only some are tried. */
const MAX_CHOICES = 5000;

/** Which dtype each type attribute has; a list of types has one entry. */
export type Choice = ReadonlyMap<string, DType>;

export const pairText = (op: string, attr: string, dtype: DType): string => `${op} ${attr}=${dtype}`;

const isTypeAttr = ({ type }: OpDef_AttrDef): boolean => type === "type" || type === "list(type)";

/** The attributes of an op that are dtypes or lists of them. */
export const typeAttrs = (opDef: OpDef): OpDef_AttrDef[] => opDef.attr.filter(isTypeAttr);

/** Every choice of dtypes that an op's definition allows; of many attributes, those that differ from others in one. */
export function choicesOf(opDef: OpDef): Choice[] {
  const allowed = typeAttrs(opDef).map((attr) => [attr.name, allowedTypes(attr)] as const);
  const total = allowed.reduce((product, [, types]) => product * types.length, 1);
  if (total > MAX_CHOICES) {
    // Ops with so many are those of functions and data sets, where no dtype depends on another one.
    return dtypes.map(
      (dtype) =>
        new Map(allowed.map(([name, types]) => [name, types.includes(dtype) ? dtype : firstOf(types)])),
    );
  }
  return allowed.reduce<Choice[]>(
    (choices, [name, types]) =>
      choices.flatMap((one) => types.map((type) => new Map([...one, [name, type]]))),
    [new Map()],
  );
}

const firstOf = (types: readonly DType[]): DType => types[0] ?? "float32";

function allowedTypes({ allowedValues }: OpDef_AttrDef): readonly DType[] {
  const list = allowedValues?.value?.$case === "list" ? allowedValues.value.value.type : [];
  return list.length === 0 ? dtypes : dtypes.filter((dtype) => list.includes(dataTypeOf(dtype)));
}

const noList = { s: [], i: [], f: [], b: [], type: [], shape: [], tensor: [], func: [] };

/** A value that an attribute may have, where its op has no default. */
function anyValue({ type, minimum, allowedValues }: OpDef_AttrDef): AttrValue["value"] {
  const texts = allowedValues?.value?.$case === "list" ? allowedValues.value.value.s : [];
  switch (type) {
    case "int":
      return { $case: "i", value: minimum > 1n ? minimum : 1n };
    case "float":
      return { $case: "f", value: 1 };
    case "bool":
      return { $case: "b", value: false };
    case "string":
      return { $case: "s", value: texts[0] ?? new Uint8Array(0) };
    case "shape":
      return { $case: "shape", value: { dim: [], unknownRank: false } };
    case "func":
      return { $case: "func", value: { name: "function", attr: new Map() } };
    case "list(int)":
      // As the sizes and strides of windows in images are.
      return { $case: "list", value: { ...noList, i: [1n, 1n, 1n, 1n] } };
    default:
      return { $case: "list", value: noList };
  }
}

/** A node of an op with a choice of dtypes. */
export function nodeOf(opDef: OpDef, choice: Choice): KernelNode {
  const attrs = opDef.attr.flatMap((attr) => {
    const dtype = choice.get(attr.name);
    if (dtype === undefined) {
      return attr.defaultValue === undefined ? [[attr.name, { value: anyValue(attr) }] as const] : [];
    }
    const type = dataTypeOf(dtype);
    const value: AttrValue["value"] =
      attr.type === "type"
        ? { $case: "type", value: type }
        : { $case: "list", value: { ...noList, type: [type] } };
    return [[attr.name, { value }] as const];
  });
  return new KernelNode(NodeDef.fromPartial({ name: "node", op: opDef.name, attr: new Map(attrs) }), opDef);
}

/** The choices of dtypes for which an op has a kernel. */
export function registeredChoices(kernels: KernelRegistry, op: string): Choice[] {
  const opDef = bundledOpRegistry().require(op);
  return choicesOf(opDef).filter((choice) => kernels.find(nodeOf(opDef, choice), "CPU") !== undefined);
}

/** The dtypes of tensors: handles and variants hold no elements to compare. */
const compared: ReadonlySet<DType> = new Set(dataTypes);

/** The pairs of the registry by op: all of them, or those of some ops. */
export function registeredPairs(
  kernels: KernelRegistry,
  ops: readonly string[] = kernels.ops(),
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    ops.map((op) => {
      const choices = registeredChoices(kernels, op);
      const pairs = choices.flatMap((choice) =>
        choice.size === 0
          ? [op]
          : [...choice].flatMap(([attr, dtype]) => (compared.has(dtype) ? [pairText(op, attr, dtype)] : [])),
      );
      return [op, new Set(pairs)];
    }),
  );
}

/** The pairs that a node shows; none for a call of a function by its name. */
export function pairsOfNode({ op, attr }: Pick<NodeDef, "op" | "attr">): string[] {
  const opDef = bundledOpRegistry().get(op);
  if (opDef === undefined) {
    return [];
  }
  const attrs = typeAttrs(opDef);
  if (attrs.length === 0) {
    return [op];
  }
  return attrs.flatMap(({ name }) => {
    const value = attrOf(opDef, { attr }, name)?.value;
    const types = value?.$case === "type" ? [value.value] : value?.$case === "list" ? value.value.type : [];
    return types.map((type) => pairText(op, name, dtypeOf(baseDataType(type))));
  });
}
