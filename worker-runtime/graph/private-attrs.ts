import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";

/** Begins the node attributes that are Tensordeck's own: a node's place on the canvas, its notes. */
export const PRIVATE_ATTR_PREFIX = "_tensordeck_";

/** Floats: x and y of a node's top left corner, in canvas pixels at 100 %. */
export const LAYOUT_X_ATTR = `${PRIVATE_ATTR_PREFIX}x`;
export const LAYOUT_Y_ATTR = `${PRIVATE_ATTR_PREFIX}y`;

function stripNode(node: NodeDef): NodeDef {
  let found = false;
  for (const key of node.attr.keys()) found ||= key.startsWith(PRIVATE_ATTR_PREFIX);
  if (!found) return node;
  return { ...node, attr: new Map([...node.attr].filter(([key]) => !key.startsWith(PRIVATE_ATTR_PREFIX))) };
}

/** The MetaGraphDef's collection of one text: how the document is run, as JSON. */
export const DOCUMENT_COLLECTION = "tensordeck";

/**
 * The graph as it is sent to a master: without Tensordeck's own node attributes, in functions, too. TensorFlow would
 * ignore them, but two nodes that differ only in their place would not be recognised as the same.
 * The argument stays as it is; what has no such attributes is shared with the result.
 */
export function stripPrivateAttrs(graph: GraphDef): GraphDef {
  const library = graph.library && {
    ...graph.library,
    function: graph.library.function.map((f) => ({ ...f, nodeDef: f.nodeDef.map(stripNode) })),
  };
  return { ...graph, node: graph.node.map(stripNode), library };
}
