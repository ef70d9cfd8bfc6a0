import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { COLOCATION_ATTR } from "../../graph/colocation-groups.js";

/** The attributes of a copied node: its placement follows the state that it uses, not other nodes of a function. */
export function withoutPlace(attr: ReadonlyMap<string, AttrValue>): Map<string, AttrValue> {
  const result = new Map(attr);
  result.delete(COLOCATION_ATTR);
  return result;
}
