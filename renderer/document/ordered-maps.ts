/**
 * Graphs with one encoding. A protobuf map has no order, so the attributes of a node come in another one from a text file
 * than from the code that made the node.
 */
import type { AttrValue, NameAttrList } from "../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";

/** The graph with its maps in the order of their keys. What is in order already is shared with the argument. */
export function withOrderedMaps(graph: GraphDef): GraphDef {
  const library = graph.library && {
    ...graph.library,
    function: graph.library.function.map(orderedFunction),
  };
  return { ...graph, node: graph.node.map(orderedNode), library };
}

function orderedNode(node: NodeDef): NodeDef {
  const attr = orderedAttrs(node.attr);
  return attr === node.attr ? node : { ...node, attr };
}

function orderedFunction(definition: FunctionDef): FunctionDef {
  const { attr, ret, controlRet, argAttr, resourceArgUniqueId, nodeDef } = definition;
  return {
    ...definition,
    attr: orderedAttrs(attr),
    ret: ordered(ret),
    controlRet: ordered(controlRet),
    argAttr: ordered(argAttr),
    resourceArgUniqueId: ordered(resourceArgUniqueId),
    nodeDef: nodeDef.map(orderedNode),
  };
}

function orderedAttrs(attrs: Map<string, AttrValue>): Map<string, AttrValue> {
  const sorted = ordered(attrs);
  const changed = [...sorted].flatMap(([name, value]) => {
    const whole = orderedAttr(value);
    return whole === value ? [] : [[name, whole] as const];
  });
  return changed.length === 0 ? sorted : new Map([...sorted, ...changed]);
}

/** The names of functions in it have attributes of their own. */
function orderedAttr(attr: AttrValue): AttrValue {
  const { value } = attr;
  if (value?.$case === "func") return { ...attr, value: { ...value, value: orderedCall(value.value) } };
  if (value?.$case !== "list" || value.value.func.length === 0) return attr;
  const func = value.value.func.map(orderedCall);
  return { ...attr, value: { ...value, value: { ...value.value, func } } };
}

function orderedCall(call: NameAttrList): NameAttrList {
  return { ...call, attr: orderedAttrs(call.attr) };
}

function ordered<K extends string | number, V>(map: Map<K, V>): Map<K, V> {
  let last: K | undefined;
  for (const key of map.keys()) {
    if (last !== undefined && key < last) {
      return new Map([...map].sort(([one], [other]) => (one < other ? -1 : 1)));
    }
    last = key;
  }
  return map;
}
