import type { AttrValue, NameAttrList } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { mergeDevice } from "../../../cluster/device-name.js";
import { stringListAttr } from "../../../graph/attr-values.js";
import {
  COLOCATION_ATTR,
  colocationGroup,
  colocationGroups,
  nodeOfGroup,
} from "../../../graph/colocation-groups.js";
import { formatEdge, parseEdge } from "../../../graph/edge.js";
import { instantiateBody } from "../../../graph/functions/instantiate-body.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { structureOf } from "../../../graph/structural-ops.js";
import { invalidArgument } from "../../../protocol/status.js";
import { makeNodeDef } from "./graph-node.js";

/** The functions of a graph, and the ops that its nodes may have. */
export interface FunctionTools {
  readonly functions: ReadonlyMap<string, FunctionDef>;
  /** With the functions. */
  readonly ops: OpRegistry;
}

/** How a body is inserted into a graph. */
export interface InlineSite {
  /** Prefix of the names of the body's nodes, separated by "/". */
  readonly prefix: string;
  /** The device of the caller: the default for the body's nodes. */
  readonly device: string;
  /** The arguments, as in NodeDef.input. */
  readonly inputs: readonly string[];
  /** A node that the body's nodes without inputs wait for. */
  readonly pivot: string;
}

export interface InlinedBody {
  readonly nodes: readonly NodeDef[];
  /** The function's results, as in NodeDef.input. */
  readonly results: readonly string[];
  readonly resultTypes: readonly AttrValue[];
  /** Nodes that must have run before the call is over, as control inputs. */
  readonly ends: readonly string[];
}

/** The nodes of a function's body under new names. @throws TensorFlowError INVALID_ARGUMENT */
export function inlineBody(callee: NameAttrList, site: InlineSite, tools: FunctionTools): InlinedBody {
  const definition = tools.functions.get(callee.name);
  if (definition === undefined) {
    throw invalidArgument(`Failed to find function "${callee.name}" in function library.`);
  }
  const { prefix, device, inputs, pivot } = site;
  const body = instantiateBody(definition, callee.attr, tools.ops);
  const names = new Set(body.map(({ name }) => name));
  const nodes: NodeDef[] = [];
  const results: string[] = [];
  const resultTypes: AttrValue[] = [];
  for (const node of body) {
    const type = node.attr.get("T");
    const { boundary } = structureOf(node.op);
    if (boundary === "argument" && type !== undefined) {
      const input = inputs[indexOf(node)] ?? "";
      const taken = makeNodeDef(`${prefix}/${node.name}`, "Identity", [["T", type]]);
      nodes.push({ ...taken, device, input: [input] });
    } else if (boundary === "result" && type !== undefined) {
      results[indexOf(node)] = renamed(node.input[0] ?? "", prefix);
      resultTypes[indexOf(node)] = type;
    } else {
      nodes.push({
        ...node,
        name: `${prefix}/${node.name}`,
        device: mergeDevice(device, node.device),
        input: node.input.length === 0 ? [`^${pivot}`] : node.input.map((input) => renamed(input, prefix)),
        attr: withRenamedClasses(node.attr, prefix, names),
      });
    }
  }
  const ends = [...definition.controlRet.values()].map((name) => `^${prefix}/${name}`);
  return { nodes, results, resultTypes, ends };
}

function indexOf({ attr }: NodeDef): number {
  const value = attr.get("index")?.value;
  return value?.$case === "i" ? Number(value.value) : 0;
}

function renamed(input: string, prefix: string): string {
  const edge = parseEdge(input);
  return formatEdge({ ...edge, node: `${prefix}/${edge.node}` });
}

/** "loc:@x" of a node of the body refers to the body. */
function withRenamedClasses(
  attrs: Map<string, AttrValue>,
  prefix: string,
  names: ReadonlySet<string>,
): Map<string, AttrValue> {
  const groups = colocationGroups(attrs);
  if (groups.length === 0) {
    return attrs;
  }
  const renamedGroups = groups.map((group) => {
    const name = nodeOfGroup(group) ?? group;
    return names.has(name) ? colocationGroup(`${prefix}/${name}`) : group;
  });
  return new Map(attrs).set(COLOCATION_ATTR, stringListAttr(renamedGroups));
}
