/** Fixes that would make the shapes that reach a node fit, tried with the node's own rule. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { knownSize } from "../../worker-runtime/graph/shape.js";
import { tryInferOutputs } from "../../worker-runtime/graph/shape-inference.js";
import { texts } from "../texts/texts.js";
import type { Shape, ShapeMap } from "./shapes.js";
import { shapeContextOf } from "./shapes.js";
import { type OpLookup, signatureOf } from "./signature.js";

const words = texts.document.shapeFixes;

export type ShapeFix = {
  /** The text of its button: "Reshape a to [-1, 784]". */
  readonly label: string;
  readonly input: number;
} & (
  | { readonly kind: "reshape"; readonly sizes: readonly number[] }
  | { readonly kind: "transpose"; readonly order: readonly number[] }
  /** Sets an attribute by which the op transposes the input itself. */
  | { readonly kind: "flag"; readonly attr: string; readonly value: boolean }
);

/** Fixes offered at most: the likeliest. */
const MAX_FIXES = 3;

/** Single changes of one input after which the node's shapes fit, likeliest first. */
export function shapeFixes(
  node: NodeDef,
  nodes: ReadonlyMap<string, NodeDef>,
  lookup: OpLookup,
  shapes: ShapeMap,
): readonly ShapeFix[] {
  const signature = signatureOf(node, lookup);
  const context = signature && shapeContextOf(node, nodes, signature, shapes);
  if (!context || !shapes.errors.has(node.name)) return [];
  const fixes: ShapeFix[] = [];
  const { inputShapes } = context;
  const tryShape = (index: number, shape: Shape, fix: ShapeFix) => {
    const changed = { ...context, inputShapes: inputShapes.with(index, shape) };
    if (tryInferOutputs(changed).problem === undefined) fixes.push(fix);
  };
  for (const [input, shape] of inputShapes.entries()) {
    const label = signature.inputs[input]?.label ?? "";
    const flag = TRANSPOSING[node.op]?.[input];
    if (!shape || isParameter(node.op, input)) continue;
    const order = swapped(shape.length);
    const transposed = order.map((axis) => shape[axis] ?? -1);
    if (order.length > 0 && flag !== undefined) {
      const now = context.attr(flag)?.value;
      const value = !(now?.$case === "b" && now.value);
      tryShape(input, transposed, {
        kind: "flag",
        label: words.flag({ input: label }),
        input,
        attr: flag,
        value,
      });
    } else if (order.length > 0) {
      tryShape(input, transposed, {
        kind: "transpose",
        label: words.transpose({ input: label }),
        input,
        order,
      });
    }
    for (const sizes of reshapes(shape, inputShapes)) {
      const fix: ShapeFix = {
        kind: "reshape",
        label: words.reshape({ input: label, shape: sizesText(sizes) }),
        input,
        sizes,
      };
      tryShape(input, reshaped(shape, sizes), fix);
    }
  }
  const isReshape = ({ kind }: ShapeFix) => kind === "reshape";
  return [...fixes.filter((fix) => !isReshape(fix)), ...fixes.filter(isReshape)].slice(0, MAX_FIXES);
}

/** Attributes by which an op transposes its inputs. */
const TRANSPOSING: Readonly<Record<string, readonly string[]>> = {
  MatMul: ["transpose_a", "transpose_b"],
  SparseMatMul: ["transpose_a", "transpose_b"],
  BatchMatMul: ["adj_x", "adj_y"],
  BatchMatMulV2: ["adj_x", "adj_y"],
  BatchMatMulV3: ["adj_x", "adj_y"],
};

/** Axes and sizes are not reshaped: their values are to be changed. */
function isParameter(op: string, input: number): boolean {
  return (
    input > 0 &&
    /^(Reshape|Transpose|ConcatV2|Slice|StridedSlice|Gather|Tile|Pad|Split|ExpandDims|BroadcastTo|Resize|Sum|Mean|Max|Min|Prod|Arg)/.test(
      op,
    )
  );
}

/** The order of dimensions with the last two exchanged; empty for fewer. */
function swapped(rank: number): readonly number[] {
  if (rank < 2) return [];
  return [...Array.from({ length: rank - 2 }, (_, axis) => axis), rank - 1, rank - 2];
}

/** Shapes with the same elements that ops often ask for, -1 for whatever is left. */
function reshapes(shape: NonNullable<Shape>, others: readonly Shape[]): readonly (readonly number[])[] {
  const size = knownSize(shape);
  const known = others.filter(
    (other): other is NonNullable<Shape> =>
      other !== undefined && other !== shape && size !== undefined && knownSize(other) === size,
  );
  const rows = shape.slice(1);
  const last = shape.at(-1) ?? -1;
  const flat = knownSize(rows);
  return [
    ...known,
    ...(shape.length > 2 && flat !== undefined ? [[-1, flat]] : []),
    ...(shape.length > 2 && last >= 0 ? [[-1, last]] : []),
    ...(shape.length === 1
      ? [
          [1, -1],
          [-1, 1],
        ]
      : []),
    // A single image, as a batch.
    ...(shape.length === 3 && size !== undefined ? [[1, ...shape]] : []),
    ...(shape.length > 0 && shape.includes(1) && size !== undefined
      ? [shape.filter((one) => one !== 1)]
      : []),
  ];
}

function reshaped(shape: NonNullable<Shape>, sizes: readonly number[]): Shape {
  const size = knownSize(shape);
  const rest = sizes.filter((one) => one >= 0).reduce((product, one) => product * one, 1);
  return sizes.map((one) => (one >= 0 ? one : size === undefined || rest === 0 ? -1 : size / rest));
}

function sizesText(sizes: readonly number[]): string {
  return `[${sizes.join(", ")}]`;
}
