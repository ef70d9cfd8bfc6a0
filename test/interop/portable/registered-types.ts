/** For which dtypes TensorFlow and this engine have kernels on the CPU. */
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_AttrDef } from "../../../protos/generated/tensorflow/op_def.js";
import { KernelNode } from "../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import type { KernelRegistry } from "../../../worker-runtime/engines/portable/kernels/registry.js";
import { dataTypes } from "../../../worker-runtime/engines/portable/kernels/support/dtypes.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";
import { type DType, dataTypeOf, dtypes } from "../../../worker-runtime/protocol/dtype.js";
import { tensorflowResult } from "../../support/tensorflow-script.js";

/** The types that a kernel takes, by type attribute. */
export type Constraints = Readonly<Record<string, readonly number[]>>;

const script = `
import json
from tensorflow.python.framework import kernels
found = {}
for kernel in kernels.get_all_registered_kernels().kernel:
    if kernel.device_type in ("CPU", "DEFAULT") and not kernel.label:
        found.setdefault(kernel.op, []).append({c.name: list(c.allowed_values.list.type) for c in kernel.constraint})
print("RESULT " + json.dumps(found))
`;

/** What a real TensorFlow has registered for the CPU, by op. */
export function registeredByTensorflow(): Promise<Readonly<Record<string, readonly Constraints[]>>> {
  return tensorflowResult(script);
}

/** Of more choices of dtypes than this only some are tried. */
const MAX_CHOICES = 5000;

/** Which dtype each type attribute has. */
type Choice = ReadonlyMap<string, DType>;

/** Every choice of dtypes that an op's definition allows. */
function choicesOf(opDef: OpDef): Choice[] {
  const attrs = opDef.attr.filter(({ type }) => type === "type" || type === "list(type)");
  const allowed = attrs.map((attr) => [attr.name, allowedTypes(attr)] as const);
  const total = allowed.reduce((product, [, types]) => product * types.length, 1);
  // Ops with so many are those of functions, whose types are no matter of their kernels.
  const tried =
    total <= MAX_CHOICES ? allowed : allowed.map(([name, types]) => [name, types.slice(0, 2)] as const);
  return tried.reduce<Choice[]>(
    (choices, [name, types]) =>
      choices.flatMap((one) => types.map((type) => new Map([...one, [name, type]]))),
    [new Map()],
  );
}

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

function nodeOf(opDef: OpDef, choice: Choice): KernelNode {
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

const textOf = (choice: Choice): string => [...choice].map(([name, dtype]) => `${name}=${dtype}`).join(",");

export interface Comparison {
  /** Choices that this engine takes and TensorFlow refuses: "Round(T=int8)". */
  readonly surplus: readonly string[];
  /** The dtypes of data that TensorFlow takes and this engine refuses: "AvgPool T: float16 bfloat16 float64". */
  readonly lacking: readonly string[];
}

/** Compares all ops of this engine with what TensorFlow has registered, for each choice of dtypes. */
export function compareRegistrations(
  kernels: KernelRegistry,
  registered: Readonly<Record<string, readonly Constraints[]>>,
): Comparison {
  const surplus: string[] = [];
  const lacking: string[] = [];
  for (const op of kernels.ops()) {
    const opDef = bundledOpRegistry().require(op);
    const theirs = registered[op];
    // TensorFlow replaces such an op by others before it looks for kernels.
    if (theirs === undefined) continue;
    const [taken, refused] = [new Set<string>(), new Set<string>()];
    for (const choice of choicesOf(opDef)) {
      const isTheirs = theirs.some((constraints) =>
        [...choice].every(([name, dtype]) => constraints[name]?.includes(dataTypeOf(dtype)) ?? true),
      );
      const isOurs = kernels.find(nodeOf(opDef, choice), "CPU") !== undefined;
      if (isOurs && !isTheirs) surplus.push(`${op}(${textOf(choice)})`);
      if (isTheirs) for (const [name, dtype] of choice) (isOurs ? taken : refused).add(`${name} ${dtype}`);
    }
    for (const { name } of opDef.attr) {
      const missing = dataTypes.filter((dtype) => {
        const one = `${name} ${dtype}`;
        return refused.has(one) && !taken.has(one);
      });
      if (missing.length > 0) lacking.push(`${op} ${name}: ${missing.join(" ")}`);
    }
  }
  return { surplus, lacking };
}
