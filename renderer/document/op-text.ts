/** Op definitions in words. Pure. */
import type { OpDef, OpDef_ArgDef, OpDef_AttrDef } from "../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { dtypeName } from "../../worker-runtime/protocol/dtype.js";
import { texts } from "../texts/texts.js";
import { attrText } from "./attr-text.js";

const words = texts.document.opText;

function argType({ type, typeAttr, typeListAttr, numberAttr, isRef }: OpDef_ArgDef): string {
  const one = type === DataType.DT_INVALID ? typeAttr || typeListAttr : dtypeName(type);
  const text = numberAttr === "" ? one : `${numberAttr} × ${one}`;
  return isRef ? `ref ${text}` : text;
}

/** "(a: T, b: T) → product: T". */
export function signatureText(opDef: OpDef): string {
  const args = (list: readonly OpDef_ArgDef[]) =>
    list.map((arg) => `${arg.name}: ${argType(arg)}`).join(", ");
  const outputs = opDef.outputArg.length > 0 ? args(opDef.outputArg) : words.nothing;
  return `(${args(opDef.inputArg)}) → ${outputs}`;
}

export interface AttrNote {
  readonly name: string;
  readonly text: string;
}

/** Attributes that the user can set; with those that only count or type the inputs last. */
export function attrNotes(opDef: OpDef): AttrNote[] {
  return opDef.attr
    .filter(({ name }) => !name.startsWith("_"))
    .map((attr) => ({ name: attr.name, text: attrNote(attr) }));
}

function attrNote(attr: OpDef_AttrDef): string {
  const allowed = attr.allowedValues?.value;
  const choices =
    allowed?.$case === "list"
      ? [
          ...allowed.value.type.map(dtypeName),
          ...allowed.value.s.map((bytes) => new TextDecoder().decode(bytes)),
        ]
      : [];
  const parts = [choices.length > 0 ? choices.join(", ") : attr.type];
  if (attr.hasMinimum) parts.push(words.atLeast({ minimum: Number(attr.minimum) }));
  if (attr.defaultValue) parts.push(words.default({ value: attrText(attr.defaultValue) || '""' }));
  return parts.join(", ");
}

/** TensorFlow's own page of an op. */
export function docsUrl(op: string): string {
  return `https://www.tensorflow.org/api_docs/python/tf/raw_ops/${op}`;
}
