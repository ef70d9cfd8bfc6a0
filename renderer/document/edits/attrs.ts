import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { texts } from "../../texts/texts.js";
import { Draft, followTypes } from "../follow-types.js";
import { type GraphDocument, MISSING_INPUT } from "../model.js";
import { replaceNodes } from "../operations.js";
import { controlInputs, dataInputs, type OpLookup, signatureOf } from "../signature.js";
import { convertTensor } from "../values.js";
import { wiringOf } from "../wiring.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.attrs;

/**
 * Sets or, with undefined, removes an attribute. If the attribute counts the inputs, their list is adjusted; if it
 * types a constant, its value is; and the types of everything after the node follow its outputs.
 */
export function setAttr(
  document: GraphDocument,
  lookup: OpLookup,
  name: string,
  attrName: string,
  value: AttrValue | undefined,
): EditResult {
  const before = document.nodes.get(name);
  if (!before) return refused(texts.document.edits.common.noNode({ node: name }));
  const attr = new Map(before.attr);
  if (value) attr.set(attrName, value);
  else attr.delete(attrName);
  if (before.op === "Const") keepConstTogether(attr, attrName);
  const changed: NodeDef = { ...before, attr };
  const draft = new Draft(document.nodes);
  draft.set(withInputCount(before, changed, lookup));
  const wiring = wiringOf(document.nodes);
  const consumers = (node: string) => (wiring.outgoing.get(node) ?? []).map((edge) => edge.to);
  followTypes(draft, lookup, consumers(name), consumers);
  return edit({
    label: words.label({ attribute: attrName, node: name }),
    operations: replaceNodes(draft.replaced()),
  });
}

/** A Const states its dtype twice: as an attribute and in its value. */
function keepConstTogether(attr: Map<string, AttrValue>, changed: string): void {
  const dtype = attr.get("dtype")?.value;
  const tensor = attr.get("value")?.value;
  if (tensor?.$case !== "tensor") return;
  if (changed === "dtype" && dtype?.$case === "type" && tensor.value.dtype !== dtype.value) {
    attr.set("value", { value: { $case: "tensor", value: convertTensor(tensor.value, dtype.value) } });
  } else if (changed === "value") {
    attr.set("dtype", { value: { $case: "type", value: tensor.value.dtype } });
  }
}

/** Inputs by the argument they belong to, so that a longer argument does not shift those after it. */
function withInputCount(before: NodeDef, after: NodeDef, lookup: OpLookup): NodeDef {
  const old = signatureOf(before, lookup);
  const now = signatureOf(after, lookup);
  if (!old || !now || old.inputs.length === now.inputs.length) return after;
  const texts = dataInputs(before);
  const key = (slot: { arg: { name: string }; position: number }) => `${slot.arg.name} ${slot.position}`;
  const byKey = new Map(old.inputs.map((slot) => [key(slot), texts[slot.index] ?? MISSING_INPUT]));
  const input = now.inputs.map((slot) => byKey.get(key(slot)) ?? MISSING_INPUT);
  return { ...after, input: [...input, ...controlInputs(before)] };
}
