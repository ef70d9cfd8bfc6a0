import { NameAttrList } from "../../../../protos/generated/tensorflow/attr_value.js";

/** A key that is equal for equivalent callees, regardless of the order of their attributes. */
export function calleeKey({ name, attr }: NameAttrList): string {
  const sorted = new Map([...attr].sort(([a], [b]) => (a < b ? -1 : 1)));
  const encoded = NameAttrList.encode(NameAttrList.fromPartial({ name, attr: sorted })).finish();
  return Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength).toString("base64");
}
