import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";

/** Attributes of a copy of a node: its placement follows the state that it uses, not other nodes of a function. */
export function withoutPlace(attr: ReadonlyMap<string, AttrValue>): Map<string, AttrValue> {
  const result = new Map(attr);
  result.delete("_class");
  return result;
}
