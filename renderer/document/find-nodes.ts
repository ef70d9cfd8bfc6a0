/** Finds nodes by name, op, device, attribute, dtype and shape. Pure. */
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { dtypeName } from "../../worker-runtime/protocol/dtype.js";
import { attrText } from "./attr-text.js";
import { deviceText } from "./edits/place.js";
import { type ShapeMap, shapeText } from "./shapes.js";

type Condition = (node: NodeDef) => boolean;

/**
 * Nodes that fulfil every word of a query, in the document's order; those whose last name begins with the first word
 * come first. A word is part of the name, op or device; "op:", "device:", "dtype:", "shape:" and "attr:" say what it is
 * part of, as in "op:conv shape:[?,112 attr:padding=SAME".
 */
export function findNodes(nodes: ReadonlyMap<string, NodeDef>, shapes: ShapeMap, query: string): NodeDef[] {
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const conditions = words.map((word) => conditionOf(word, shapes));
  const found = [...nodes.values()].filter((node) => conditions.every((holds) => holds(node)));
  const [first = ""] = words;
  if (first === "" || first.includes(":")) return found;
  const begins = ({ name }: NodeDef) => name.toLowerCase().startsWith(first, name.lastIndexOf("/") + 1);
  return [...found.filter(begins), ...found.filter((node) => !begins(node))];
}

function conditionOf(word: string, shapes: ShapeMap): Condition {
  const [, key = "", value = ""] = /^(op|device|dtype|shape|attr):(.*)$/.exec(word) ?? [];
  switch (key) {
    case "op":
      return ({ op }) => op.toLowerCase().includes(value);
    case "device":
      return ({ device }) => hasDevice(device, value);
    case "dtype":
      return ({ attr }) => [...attr.values()].some((one) => typeText(one).includes(value));
    case "shape":
      return ({ name }) =>
        (shapes.outputs.get(name) ?? []).some((shape) => shapeText(shape).toLowerCase().includes(value));
    case "attr":
      return ({ attr }) =>
        [...attr].some(([name, one]) => `${name}=${attrText(one)}`.toLowerCase().includes(value));
    default:
      return ({ name, op, device }) =>
        name.toLowerCase().includes(word) || op.toLowerCase().includes(word) || hasDevice(device, word);
  }
}

function hasDevice(device: string, part: string): boolean {
  return (
    device !== "" && (device.toLowerCase().includes(part) || deviceText(device).toLowerCase().includes(part))
  );
}

/** "float32" of an attribute that is a type; "" of any other. */
function typeText({ value }: AttrValue): string {
  return value?.$case === "type" ? dtypeName(value.value).toLowerCase() : "";
}
