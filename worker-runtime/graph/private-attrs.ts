import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";

/** The prefix of Tensordeck's own node attributes: a node's position on the canvas, its notes. */
export const PRIVATE_ATTR_PREFIX = "_tensordeck_";

/** Floats: x and y of a node's top left corner, in canvas pixels at 100 %. */
export const LAYOUT_X_ATTR = `${PRIVATE_ATTR_PREFIX}x`;
export const LAYOUT_Y_ATTR = `${PRIVATE_ATTR_PREFIX}y`;

/** The argument without Tensordeck's own attributes; the same object if it has none. */
function strip<T extends { readonly attr: Map<string, AttrValue> }>(holder: T): T {
  let found = false;
  for (const key of holder.attr.keys()) found ||= key.startsWith(PRIVATE_ATTR_PREFIX);
  if (!found) return holder;
  return {
    ...holder,
    attr: new Map([...holder.attr].filter(([key]) => !key.startsWith(PRIVATE_ATTR_PREFIX))),
  };
}

/** The collection of the MetaGraphDef with one text: the document's settings as JSON. */
export const DOCUMENT_COLLECTION = "tensordeck";

/**
 * The graph in the form that is sent to a master: without Tensordeck's own attributes of nodes and of
 * functions. TensorFlow would ignore them, but not recognise nodes that differ only in position as identical.
 * The argument is not modified; parts without such attributes are shared with the result.
 */
export function stripPrivateAttrs(graph: GraphDef): GraphDef {
  const library = graph.library && {
    ...graph.library,
    function: graph.library.function.map((f) => ({ ...strip(f), nodeDef: f.nodeDef.map(strip) })),
  };
  return { ...graph, node: graph.node.map(strip), library };
}
