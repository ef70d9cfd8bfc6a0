import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { type DType, dataTypeOf } from "../../../worker-runtime/protocol/dtype.js";
import { Tensor, tensorToProto } from "../../../worker-runtime/protocol/tensor.js";
import type { TensorValue } from "../../../worker-runtime/protocol/tensor-values.js";

/** A NodeDef in short, so that a test's graph does not depend on the graph library. */
export interface Node {
  readonly name: string;
  readonly op: string;
  readonly input?: readonly string[];
  readonly device?: string;
  readonly attr?: Readonly<Record<string, AttrValue["value"]>>;
}

export function type(dtype: DType): AttrValue["value"] {
  return { $case: "type", value: dataTypeOf(dtype) };
}

export function shape(...sizes: number[]): AttrValue["value"] {
  return {
    $case: "shape",
    value: { dim: sizes.map((size) => ({ size: BigInt(size), name: "" })), unknownRank: false },
  };
}

export function text(value: string): AttrValue["value"] {
  return { $case: "s", value: new TextEncoder().encode(value) };
}

export function types(...list: DType[]): AttrValue["value"] {
  return {
    $case: "list",
    value: { s: [], i: [], f: [], b: [], type: list.map(dataTypeOf), shape: [], tensor: [], func: [] },
  };
}

export function constant(name: string, value: TensorValue | Tensor, dtype?: DType, device = ""): Node {
  const tensor = value instanceof Tensor ? value : Tensor.of(value, dtype);
  return {
    name,
    op: "Const",
    device,
    attr: { dtype: type(tensor.dtype), value: { $case: "tensor", value: tensorToProto(tensor) } },
  };
}

export function placeholder(name: string, dtype: DType, device = ""): Node {
  return {
    name,
    op: "Placeholder",
    device,
    attr: { dtype: type(dtype), shape: { $case: "shape", value: { dim: [], unknownRank: true } } },
  };
}

/** An op with one type attribute T. */
export function typed(name: string, op: string, input: readonly string[], dtype: DType, device = ""): Node {
  return { name, op, input, device, attr: { T: type(dtype) } };
}

/** Version of the GraphDef format that TensorFlow 2.21 writes. */
const PRODUCER = 2474;

export function graphOf(...nodes: Node[]): GraphDef {
  return GraphDef.fromPartial({
    versions: { producer: PRODUCER },
    node: nodes.map(({ name, op, input = [], device = "", attr = {} }) => ({
      name,
      op,
      input: [...input],
      device,
      attr: new Map(Object.entries(attr).map(([key, value]) => [key, { value }])),
    })),
  });
}
