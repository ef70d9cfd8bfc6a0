import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";

/** The prefix of Tensordeck's own node attributes: a node's position on the canvas, its notes. */
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

/** The collection of the MetaGraphDef with one text: the document's settings as JSON. */
export const DOCUMENT_COLLECTION = "tensordeck";

/**
 * The graph in the form that is sent to a master: without Tensordeck's own node attributes, including those in
 * functions. TensorFlow would ignore them, but not recognise nodes that differ only in position as identical.
 * The argument is not modified; parts without such attributes are shared with the result.
 */
export function stripPrivateAttrs(graph: GraphDef): GraphDef {
  const library = graph.library && {
    ...graph.library,
    function: graph.library.function.map((f) => ({ ...f, nodeDef: f.nodeDef.map(stripNode) })),
  };
  return { ...graph, node: graph.node.map(stripNode), library };
}
