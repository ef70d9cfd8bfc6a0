/** Small tensors of integers that follow from shapes and constants, as TensorFlow folds them: "the last size, doubled". */
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { intsOfShape, type KnownInts, MAX_KNOWN_INTS } from "./known-ints.js";
import { resolveSlice, sliceMasks } from "./op-specs/strided-slice.js";
import { knownSize, type Shape } from "./shape.js";
import type { ShapeContext } from "./shape-context.js";
import { boolAttr, constantInt, constantInts, intAttr, within } from "./shape-rules/rule.js";

type Element = number | undefined;
type IntRule = (
  context: ShapeContext,
  shapes: readonly (Shape | undefined)[],
) => readonly (KnownInts | undefined)[];

const scalar = (element: Element): KnownInts => ({ rank: 0, elements: [element] });
const vector = (elements: readonly Element[]): KnownInts => ({ rank: 1, elements });

const passed: IntRule = (c) => [c.knownInts(0)];

/** Other integers are too small for every size. */
const cast: IntRule = (c) => {
  const type = c.attr("DstT")?.value;
  const isWide =
    type?.$case === "type" && (type.value === DataType.DT_INT32 || type.value === DataType.DT_INT64);
  return isWide ? [c.knownInts(0)] : [];
};

const pack: IntRule = (c) => {
  const parts = c.inputShapes.map((_, i) => c.knownInts(i));
  if (!c.inputShapes.every((shape) => shape?.length === 0)) return [];
  if (parts.every((part) => part === undefined)) return [];
  return [vector(parts.map((part) => part?.elements[0]))];
};

function joined(c: ShapeContext, first: number, end: number): readonly (KnownInts | undefined)[] {
  const elements: Element[] = [];
  for (let i = first; i < end; i++) {
    const size = c.inputShapes[i]?.length === 1 ? c.inputShapes[i]?.[0] : undefined;
    const part = c.knownInts(i);
    if (!part && (size === undefined || size < 0 || size > MAX_KNOWN_INTS)) return [];
    elements.push(...(part?.elements ?? new Array<Element>(size ?? 0).fill(undefined)));
  }
  return [vector(elements)];
}

const stridedSlice: IntRule = (c) => {
  const input = c.knownInts(0);
  const [begin, end, strides] = [1, 2, 3].map((i) => constantInts(c, i));
  if (input?.rank !== 1 || !begin || !end || !strides) return [];
  const masks = sliceMasks({ int: (attr) => intAttr(c, attr) ?? 0 });
  const slice = within(c, () => resolveSlice([input.elements.length], begin, end, strides, masks));
  const [first = 0, step = 1, count = 0] = [slice.begin[0], slice.stride[0], slice.sizes[0]];
  const elements = Array.from({ length: count }, (_, i) => input.elements[first + i * step]);
  if (slice.shape.length === 0) return [scalar(elements[0])];
  return slice.shape.length === 1 ? [vector(elements)] : [];
};

const slice: IntRule = (c) => {
  const input = c.knownInts(0);
  const [begin, size] = [constantInts(c, 1)?.[0], constantInts(c, 2)?.[0]];
  if (input?.rank !== 1 || begin === undefined || size === undefined) return [];
  return [vector(input.elements.slice(begin, size < 0 ? undefined : begin + size))];
};

const gather: IntRule = (c) => {
  const [params, indices] = [c.knownInts(0), c.knownInts(1)];
  if (params?.rank !== 1 || !indices || (intAttr(c, "batch_dims") ?? 0) !== 0) return [];
  const elements = indices.elements.map((i) => (i === undefined ? undefined : params.elements[i]));
  return [{ rank: indices.rank, elements }];
};

/** The same elements in another shape. */
const reshaped: IntRule = (c, shapes) => {
  const elements = c.knownInts(0)?.elements;
  const rank = shapes[0]?.length;
  return elements && (rank === 0 || rank === 1) ? [{ rank, elements }] : [];
};

function binary(compute: (a: number, b: number) => Element): IntRule {
  return (c) => {
    const [a, b] = [c.knownInts(0), c.knownInts(1)];
    if (!a || !b) return [];
    const length = Math.max(a.elements.length, b.elements.length);
    if ([a, b].some(({ elements }) => elements.length !== length && elements.length !== 1)) return [];
    const at = ({ elements }: KnownInts, i: number) => elements[elements.length === 1 ? 0 : i];
    const elements = Array.from({ length }, (_, i): Element => {
      const [x, y] = [at(a, i), at(b, i)];
      const value = x === undefined || y === undefined ? undefined : compute(x, y);
      return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
    });
    return [{ rank: a.rank === 0 && b.rank === 0 ? 0 : 1, elements }];
  };
}

const product: IntRule = (c) => {
  const elements = constantInts(c, 0);
  if (!elements || c.knownInts(0)?.rank !== 1) return [];
  const value = elements.reduce((all, one) => all * one, 1);
  if (!Number.isSafeInteger(value)) return [];
  return [boolAttr(c, "keep_dims") ? vector([value]) : scalar(value)];
};

const range: IntRule = (c, shapes) => {
  const [start, , step] = [0, 1, 2].map((i) => constantInt(c, i));
  const count = shapes[0]?.[0] ?? -1;
  if (start === undefined || step === undefined || count < 0 || count > MAX_KNOWN_INTS) return [];
  return [vector(Array.from({ length: count }, (_, i) => start + i * step))];
};

const fill: IntRule = (c, shapes) => {
  const [shape, value] = [shapes[0], c.knownInts(1)?.elements[0]];
  const size = knownSize(shape);
  if (value === undefined || !shape || shape.length > 1 || size === undefined || size > MAX_KNOWN_INTS)
    return [];
  return [{ rank: shape.length === 0 ? 0 : 1, elements: new Array<Element>(size).fill(value) }];
};

const unpack: IntRule = (c) => {
  const input = c.knownInts(0);
  return input?.rank === 1 ? input.elements.map(scalar) : [];
};

const variableShape: IntRule = (c) => [intsOfShape(c.handleShape(0))];

const rules = new Map<string, IntRule>([
  ["Shape", (c) => [intsOfShape(c.inputShapes[0])]],
  ["ShapeN", (c) => c.inputShapes.map(intsOfShape)],
  ["VariableShape", variableShape],
  ["Rank", (c) => (c.inputShapes[0] ? [scalar(c.inputShapes[0].length)] : [])],
  ["Size", (c) => [scalar(knownSize(c.inputShapes[0]))]],
  ...["Identity", "Snapshot", "StopGradient", "PreventGradient", "EnsureShape"].map(
    (op) => [op, passed] as const,
  ),
  ["Cast", cast],
  ["Pack", pack],
  ["ConcatV2", (c) => joined(c, 0, c.inputShapes.length - 1)],
  ["Concat", (c) => joined(c, 1, c.inputShapes.length)],
  ["StridedSlice", stridedSlice],
  ["Slice", slice],
  ["Gather", gather],
  ["GatherV2", gather],
  ["Reshape", reshaped],
  ["Squeeze", reshaped],
  ["ExpandDims", reshaped],
  ["Add", binary((a, b) => a + b)],
  ["AddV2", binary((a, b) => a + b)],
  ["Sub", binary((a, b) => a - b)],
  ["Mul", binary((a, b) => a * b)],
  ["FloorDiv", binary((a, b) => (b === 0 ? undefined : Math.floor(a / b)))],
  ["FloorMod", binary((a, b) => (b === 0 ? undefined : a - b * Math.floor(a / b)))],
  ["Maximum", binary(Math.max)],
  ["Minimum", binary(Math.min)],
  ["Prod", product],
  ["Range", range],
  ["Fill", fill],
  ["Unpack", unpack],
]);

/** The integers of a node's outputs, as far as they are known; undefined for most ops, which compute no shapes. */
export function intsOf(
  context: ShapeContext,
  shapes: readonly (Shape | undefined)[],
): readonly (KnownInts | undefined)[] | undefined {
  return rules.get(context.op)?.(context, shapes);
}
