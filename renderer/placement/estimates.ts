/** Sizes of tensors and times of nodes as far as they follow from shapes, for what no trace has measured. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { DataType } from "../../protos/generated/tensorflow/types.js";
import { isVariable } from "../../worker-runtime/graph/initialisers.js";
import { dtypeName, isDType, itemSize } from "../../worker-runtime/protocol/dtype.js";
import type { Shape, ShapeMap } from "../document/shapes.js";
import { dataInputs, type OpLookup, signatureOf } from "../document/signature.js";
import { parseInput } from "../document/tensor-names.js";

/** Assumed rates of a CPU, which measured times replace. */
const FLOP_PER_MICRO = 10_000;
const BYTES_PER_MICRO = 2_000;
/** For starting one node. */
const MICROS_PER_NODE = 3;
/** Assumed for elements of types without a fixed size, such as strings. */
const BYTES_PER_STRING = 32;

export interface TensorSize {
  readonly bytes: number;
  /** False if a dimension is unknown; it then counts as 1. */
  readonly known: boolean;
}

const NOTHING: TensorSize = { bytes: 0, known: true };

/** The bytes of a tensor by its shape and type. */
export function sizeByShape(shape: Shape, dtype: DataType): TensorSize {
  const name = dtypeName(dtype);
  const element = (isDType(name) ? itemSize(name) : 0) || (name === "string" ? BYTES_PER_STRING : 0);
  if (element === 0) return NOTHING;
  if (shape === undefined) return { bytes: element, known: false };
  return {
    bytes: shape.reduce((product, size) => product * (size < 0 ? 1 : size), element),
    known: !shape.some((size) => size < 0),
  };
}

/** The facts about the nodes of a graph that shapes tell. */
export class ShapeEstimates {
  readonly #lookup: OpLookup;
  readonly #shapes: ShapeMap;

  constructor(lookup: OpLookup, shapes: ShapeMap) {
    this.#lookup = lookup;
    this.#shapes = shapes;
  }

  sizeOf(node: NodeDef, output: number): TensorSize {
    const slot = signatureOf(node, this.#lookup)?.outputs[output];
    return slot ? sizeByShape(this.#shapes.outputs.get(node.name)?.[output], slot.dtype) : NOTHING;
  }

  /** The bytes of all outputs of a node. */
  outputBytes(node: NodeDef): number {
    const outputs = signatureOf(node, this.#lookup)?.outputs ?? [];
    return outputs.reduce((sum, { index }) => sum + this.sizeOf(node, index).bytes, 0);
  }

  /** The bytes that a variable or a constant keeps in memory between steps; 0 for other nodes. */
  residentBytes(node: NodeDef): number {
    if (node.op === "Const") return this.outputBytes(node);
    if (!isVariable(node)) return 0;
    const shape = node.attr.get("shape")?.value;
    const dtype = node.attr.get("dtype")?.value;
    if (shape?.$case !== "shape" || shape.value.unknownRank || dtype?.$case !== "type") return 0;
    return sizeByShape(
      shape.value.dim.map(({ size }) => Number(size)),
      dtype.value,
    ).bytes;
  }

  /** The time of a node on an ordinary CPU. */
  micros(node: NodeDef, nodes: ReadonlyMap<string, NodeDef>): number {
    if (node.input.length === 0) return MICROS_PER_NODE;
    const inputs = dataInputs(node).map((text) => {
      const source = parseInput(text);
      const producer = source.kind === "data" ? nodes.get(source.node) : undefined;
      return source.kind === "data" && producer
        ? {
            shape: this.#shapes.outputs.get(source.node)?.[source.output],
            bytes: this.sizeOf(producer, source.output).bytes,
          }
        : { shape: undefined, bytes: 0 };
    });
    const moved = inputs.reduce((sum, { bytes }) => sum + bytes, this.outputBytes(node));
    const output = this.#shapes.outputs.get(node.name)?.[0];
    const flop = 2 * elements(output) * termsPerElement(node, inputs[0]?.shape, inputs[1]?.shape);
    return MICROS_PER_NODE + flop / FLOP_PER_MICRO + moved / BYTES_PER_MICRO;
  }
}

function elements(shape: Shape): number {
  return shape?.reduce((product, size) => product * Math.max(1, size), 1) ?? 1;
}

/** Products that are summed for each element of the output: 0 for ops whose time depends on their bytes. */
function termsPerElement({ op, attr }: NodeDef, left: Shape, right: Shape): number {
  const flag = (name: string) => {
    const value = attr.get(name)?.value;
    return value?.$case === "b" && value.value;
  };
  const size = (shape: Shape, fromEnd: number) => Math.max(1, shape?.at(-fromEnd) ?? 1);
  switch (op) {
    case "MatMul":
      return size(left, flag("transpose_a") ? 2 : 1);
    case "BatchMatMul":
    case "BatchMatMulV2":
    case "BatchMatMulV3":
      return size(left, flag("adj_x") ? 2 : 1);
    case "Conv2D":
    case "Conv3D":
      // A filter is [height, width, channels in, channels out].
      return elements(right?.slice(0, -1));
    case "DepthwiseConv2dNative":
      return elements(right?.slice(0, 2));
    case "Conv2DBackpropInput":
    case "Conv2DBackpropFilter":
      return elements(left?.length === 4 ? left.slice(0, 3) : undefined);
    default:
      return 0;
  }
}
