/** The window's settings of a function besides its nodes: places of its arguments and results, frames and notes. */
import { getTextEncoding } from "@bufbuild/protobuf/wire";
import { type AttrValue, AttrValue_ListValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import { PRIVATE_ATTR_PREFIX } from "../../worker-runtime/graph/private-attrs.js";
import { annotationsOf } from "./annotations.js";
import { type BorderSlot, remapped } from "./border-change.js";
import type { Annotation, Point } from "./model.js";

/** Attributes of the function: x and y of each argument, and of each result, NaN where there is none. */
const PLACES: Readonly<Record<string, string>> = {
  _Arg: `${PRIVATE_ATTR_PREFIX}argument_places`,
  _Retval: `${PRIVATE_ATTR_PREFIX}result_places`,
};
/** JSON, as in the collection of a document. */
const ANNOTATIONS = `${PRIVATE_ATTR_PREFIX}annotations`;

/** Finds the place of an argument or a result by its op and index. */
export function borderPlaces({ attr }: FunctionDef): (op: string, index: number) => Point | undefined {
  return (op, index) => {
    const value = attr.get(PLACES[op] ?? "")?.value;
    const [x, y] = value?.$case === "list" ? value.value.f.slice(2 * index, 2 * index + 2) : [];
    return x !== undefined && y !== undefined && Number.isFinite(x) && Number.isFinite(y)
      ? { x, y }
      : undefined;
  };
}

const annotationsRead = new WeakMap<FunctionDef["attr"], readonly Annotation[]>();

/** The frames and notes of a function's body. */
export function bodyAnnotations({ attr }: FunctionDef): readonly Annotation[] {
  const known = annotationsRead.get(attr);
  if (known) return known;
  const value = attr.get(ANNOTATIONS)?.value;
  const annotations = value?.$case === "s" ? annotationsOf(parsed(value.value)) : [];
  annotationsRead.set(attr, annotations);
  return annotations;
}

function parsed(json: Uint8Array): unknown {
  try {
    return JSON.parse(getTextEncoding().decodeUtf8(json));
  } catch {
    return undefined;
  }
}

/** The function's attributes with these settings; the same ones if they have them already. */
export function withSettings(
  { attr }: FunctionDef,
  places: Readonly<Record<string, readonly (Point | undefined)[]>>,
  annotations: readonly Annotation[],
): FunctionDef["attr"] {
  const result = new Map(attr);
  for (const [op, key] of Object.entries(PLACES)) {
    const points = places[op] ?? [];
    if (points.every((point) => point === undefined)) result.delete(key);
    else result.set(key, floats(points.flatMap((point) => [point?.x ?? Number.NaN, point?.y ?? Number.NaN])));
  }
  if (annotations.length === 0) result.delete(ANNOTATIONS);
  else result.set(ANNOTATIONS, { value: { $case: "s", value: encoded(annotations) } });
  const isSame =
    result.size === attr.size && [...result].every(([key, value]) => sameValue(value, attr.get(key)));
  return isSame ? attr : result;
}

function encoded(annotations: readonly Annotation[]): Uint8Array {
  return getTextEncoding().encodeUtf8(JSON.stringify(annotations));
}

function floats(f: number[]): AttrValue {
  return { value: { $case: "list", value: { ...AttrValue_ListValue.fromPartial({}), f } } };
}

/** tf.function's notes on a function: the shape of each argument. */
const INPUT_SHAPES = "_input_shapes";

/** The function's attributes with the shapes of its arguments after a change of these; the same ones if none has any. */
export function withInputShapes(
  attr: FunctionDef["attr"],
  slots: readonly BorderSlot[],
  count: number,
): FunctionDef["attr"] {
  const value = attr.get(INPUT_SHAPES)?.value;
  if (value?.$case !== "list" || value.value.shape.length !== count) return attr;
  const shape = remapped(value.value.shape, slots, { dim: [], unknownRank: true });
  const isSame = shape.length === count && shape.every((one, index) => one === value.value.shape[index]);
  if (isSame) return attr;
  return new Map(attr).set(INPUT_SHAPES, { value: { $case: "list", value: { ...value.value, shape } } });
}

/** Whether two values of settings are equal; others are compared by identity. */
function sameValue({ value: one }: AttrValue, other: AttrValue | undefined): boolean {
  if (one === other?.value) return true;
  if (one?.$case === "s" && other?.value?.$case === "s") return sameItems(one.value, other.value.value);
  if (one?.$case === "list" && other?.value?.$case === "list")
    return sameItems(one.value.f, other.value.value.f);
  return false;
}

function sameItems(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  return one.length === other.length && Array.from(one).every((item, index) => Object.is(item, other[index]));
}
