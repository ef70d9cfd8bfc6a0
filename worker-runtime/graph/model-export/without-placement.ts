import type { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { COLOCATION_ATTR } from "../colocation-groups.js";

/** The graph for machines that have other tasks and devices: placed wherever it is loaded. */
export function withoutPlacement(graph: GraphDef): GraphDef {
  const library = graph.library && {
    ...graph.library,
    function: graph.library.function.map((one) => ({ ...one, nodeDef: one.nodeDef.map(unplaced) })),
  };
  return { ...graph, node: graph.node.map(unplaced), library };
}

function unplaced(node: NodeDef): NodeDef {
  if (node.device === "" && !node.attr.has(COLOCATION_ATTR)) return node;
  const attr = new Map(node.attr);
  attr.delete(COLOCATION_ATTR);
  return { ...node, device: "", attr };
}
