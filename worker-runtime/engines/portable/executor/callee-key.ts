import { type AttrValue, NameAttrList } from "../../../../protos/generated/tensorflow/attr_value.js";

/** A key that is equal for equivalent callees, regardless of the order of their attributes. */
export function calleeKey(callee: NameAttrList): string {
  const encoded = NameAttrList.encode(withSortedAttributes(callee)).finish();
  return Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength).toString("base64");
}

/** Attributes that are callees themselves have theirs sorted, too. */
function withSortedAttributes({ name, attr }: NameAttrList): NameAttrList {
  const sorted = [...attr].sort(([a], [b]) => (a < b ? -1 : 1));
  return NameAttrList.fromPartial({
    name,
    attr: new Map(sorted.map(([key, value]) => [key, withSortedCallees(value)])),
  });
}

function withSortedCallees(attr: AttrValue): AttrValue {
  const { value } = attr;
  if (value?.$case === "func") {
    return { value: { $case: "func", value: withSortedAttributes(value.value) } };
  }
  if (value?.$case === "list" && value.value.func.length > 0) {
    const func = value.value.func.map(withSortedAttributes);
    return { value: { $case: "list", value: { ...value.value, func } } };
  }
  return attr;
}
