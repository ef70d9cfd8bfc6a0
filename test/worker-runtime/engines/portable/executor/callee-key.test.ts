import { expect, test } from "vitest";
import { type AttrValue, NameAttrList } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { calleeKey } from "../../../../../worker-runtime/engines/portable/executor/callee-key.js";
import { typeAttr } from "../../../../../worker-runtime/graph/attr-values.js";

const callee = (name: string, attr: Record<string, AttrValue>) =>
  NameAttrList.fromPartial({ name, attr: new Map(Object.entries(attr)) });
const functionOf = (value: NameAttrList): AttrValue => ({ value: { $case: "func", value } });

test("the order of attributes does not count, nor that of an attribute that is a callee itself", () => {
  const [T, S] = [typeAttr("float32"), typeAttr("int32")];
  const key = calleeKey(callee("f", { T, g: functionOf(callee("g", { S, T })) }));
  expect(calleeKey(callee("f", { g: functionOf(callee("g", { T, S })), T }))).toBe(key);
  expect(calleeKey(callee("f", { T, g: functionOf(callee("g", { S: T, T })) }))).not.toBe(key);
  expect(calleeKey(callee("h", { T, g: functionOf(callee("g", { S, T })) }))).not.toBe(key);
});
