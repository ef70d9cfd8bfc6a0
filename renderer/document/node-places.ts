/** The places of nodes on the canvas as attributes of theirs, as files keep them. */
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { LAYOUT_X_ATTR, LAYOUT_Y_ATTR } from "../../worker-runtime/graph/private-attrs.js";
import type { Point } from "./model.js";

/** The node with its place on the canvas as attributes of ours. */
export function withPosition(node: NodeDef, { x, y }: Point): NodeDef {
  return {
    ...node,
    attr: new Map(node.attr).set(LAYOUT_X_ATTR, floatAttr(x)).set(LAYOUT_Y_ATTR, floatAttr(y)),
  };
}

/** The node without the attributes that hold its place. */
export function withoutPosition(node: NodeDef): NodeDef {
  const attr = new Map(node.attr);
  attr.delete(LAYOUT_X_ATTR);
  attr.delete(LAYOUT_Y_ATTR);
  return { ...node, attr };
}

function floatAttr(value: number): AttrValue {
  return { value: { $case: "f", value } };
}

/** The place that a node's attributes say. */
export function positionOf(node: NodeDef): Point | undefined {
  const x = node.attr.get(LAYOUT_X_ATTR)?.value;
  const y = node.attr.get(LAYOUT_Y_ATTR)?.value;
  if (x?.$case !== "f" || y?.$case !== "f") return undefined;
  return Number.isFinite(x.value) && Number.isFinite(y.value) ? { x: x.value, y: y.value } : undefined;
}
