import {
  type AttributeProto,
  AttributeProto_AttributeType,
  type GraphProto,
} from "../../../../protos/generated/onnx/onnx.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { tensorProto } from "./tensor-proto.js";

/** An attribute of an ONNX node. The kind is explicit, since 1 may be an int or a float. */
export type OnnxAttribute = Omit<AttributeProto, "name">;

export type OnnxAttributes = Readonly<Record<string, OnnxAttribute>>;

const NONE = { floats: [], ints: [], strings: [] };

export function int(value: number | bigint): OnnxAttribute {
  return { ...NONE, i: BigInt(value), type: AttributeProto_AttributeType.INT };
}

export function ints(values: readonly (number | bigint)[]): OnnxAttribute {
  return { ...NONE, ints: values.map(BigInt), type: AttributeProto_AttributeType.INTS };
}

export function float(value: number): OnnxAttribute {
  return { ...NONE, f: value, type: AttributeProto_AttributeType.FLOAT };
}

export function floats(values: readonly number[]): OnnxAttribute {
  return { ...NONE, floats: [...values], type: AttributeProto_AttributeType.FLOATS };
}

export function string(value: string): OnnxAttribute {
  return { ...NONE, s: new TextEncoder().encode(value), type: AttributeProto_AttributeType.STRING };
}

export function tensor(value: Tensor): OnnxAttribute {
  return { ...NONE, t: tensorProto("", value), type: AttributeProto_AttributeType.TENSOR };
}

export function graph(value: GraphProto): OnnxAttribute {
  return { ...NONE, g: value, type: AttributeProto_AttributeType.GRAPH };
}
