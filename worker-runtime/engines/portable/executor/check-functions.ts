import type { AttrValue, NameAttrList } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef, FunctionDefLibrary } from "../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { parseDeviceName } from "../../../cluster/device-name.js";
import { instantiateBody } from "../../../graph/functions/instantiate-body.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { structureOf } from "../../../graph/structural-ops.js";
import { TensorFlowError } from "../../../protocol/status.js";
import { KernelNode } from "../kernels/kernel-node.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { calleeKey } from "./callee-key.js";
import type { MissingKernels } from "./missing-kernels.js";

/**
 * Maximum number of checked bodies, one for each function and its attribute values. A library may call itself with ever
 * new values; problems of unchecked bodies are reported when they are called.
 */
const MAX_BODIES = 2000;

/** The context of the check. */
export interface FunctionCheck {
  readonly library: FunctionDefLibrary;
  /** TensorFlow's ops and the library's functions. */
  readonly ops: OpRegistry;
  readonly kernels: KernelRegistry;
  /** The type of the device of nodes that name none. */
  readonly deviceType: string;
}

/** Checks the functions that nodes call, and those that these call, for nodes without a kernel. */
export function addMissingOfFunctions(
  nodes: readonly NodeDef[],
  check: FunctionCheck,
  missing: MissingKernels,
): void {
  const functions = new Map<string, FunctionDef>();
  for (const definition of check.library.function) {
    functions.set(definition.signature?.name ?? "", definition);
  }
  const seen = new Set<string>();
  const called = nodes.flatMap(calleesOf);
  for (let callee = called.pop(); callee !== undefined && seen.size < MAX_BODIES; callee = called.pop()) {
    const definition = functions.get(callee.name);
    const key = definition === undefined ? "" : calleeKey(callee);
    if (definition === undefined || seen.has(key)) {
      continue;
    }
    seen.add(key);
    const { name } = callee;
    const unknown = definition.nodeDef.filter(({ op }) => !check.ops.has(op));
    for (const node of unknown) {
      missing.addUnknownOp(node.op, `${name}/${node.name}`);
    }
    const body = unknown.length > 0 ? definition.nodeDef : bodyOf(definition, callee, check.ops);
    for (const node of body) {
      called.push(...calleesOf(node));
      if (check.ops.has(node.op) && !functions.has(node.op) && structureOf(node.op).boundary === undefined) {
        addIfMissing({ ...node, name: `${name}/${node.name}` }, check, missing);
      }
    }
  }
}

/** The nodes of a body for these values of its attributes; the library's own nodes if it is invalid. */
function bodyOf(definition: FunctionDef, { attr }: NameAttrList, ops: OpRegistry): readonly NodeDef[] {
  return unlessUnsound(() => instantiateBody(definition, attr, ops)) ?? definition.nodeDef;
}

function addIfMissing(
  def: NodeDef,
  { ops, kernels, deviceType }: FunctionCheck,
  missing: MissingKernels,
): void {
  if (kernels.of(def.op).length === 0) {
    missing.addOp(def.op, def.name);
    return;
  }
  unlessUnsound(() => {
    const node = new KernelNode(def, ops.require(def.op));
    const type = parseDeviceName(def.device).type ?? deviceType;
    if (kernels.find(node, type) === undefined) {
      missing.add(node, type, kernels);
    }
  });
}

/** Other problems of a body are reported when it is called, as in TensorFlow. */
function unlessUnsound<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof TensorFlowError) {
      return undefined;
    }
    throw error;
  }
}

/** Functions that a node may call: its op, and what its attributes name. */
function calleesOf({ op, attr }: NodeDef): readonly NameAttrList[] {
  return [{ name: op, attr }, ...[...attr.values()].flatMap(({ value }) => functionsIn(value))];
}

function functionsIn(value: AttrValue["value"]): readonly NameAttrList[] {
  switch (value?.$case) {
    case "func":
      return [value.value];
    case "list":
      return value.value.func;
    default:
      return [];
  }
}
