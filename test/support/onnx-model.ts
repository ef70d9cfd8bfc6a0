/** Models in ONNX's format, as tests write them. */
import {
  AttributeProto,
  AttributeProto_AttributeType,
  ModelProto,
  NodeProto,
} from "../../protos/generated/onnx/onnx.js";
import { onnxDataType, tensorProto } from "../../worker-runtime/engines/portable/onnx/tensor-proto.js";
import type { DType } from "../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";

export type OnnxAttribute = number | string | readonly number[] | { readonly float: number } | Tensor;

/** [operator, inputs, outputs, attributes]. */
export type OnnxStep = readonly [
  string,
  readonly string[],
  readonly string[],
  Readonly<Record<string, OnnxAttribute>>?,
];

export interface OnnxModel {
  readonly opset: number;
  /** Shapes, in which -1 is a size that is not known; the dtype is float32 unless it is given. */
  readonly inputs: Readonly<
    Record<string, readonly number[] | { readonly dtype: DType; readonly shape: readonly number[] }>
  >;
  /** Values of the constants. */
  readonly weights: Readonly<Record<string, Tensor>>;
  readonly steps: readonly OnnxStep[];
  readonly outputs: readonly string[];
}

function attribute(name: string, value: OnnxAttribute): AttributeProto {
  const type = AttributeProto_AttributeType;
  if (value instanceof Tensor)
    return AttributeProto.fromPartial({ name, type: type.TENSOR, t: tensorProto("", value) });
  if (typeof value === "number")
    return AttributeProto.fromPartial({ name, type: type.INT, i: BigInt(value) });
  if (typeof value === "string")
    return AttributeProto.fromPartial({ name, type: type.STRING, s: new TextEncoder().encode(value) });
  if ("float" in value) return AttributeProto.fromPartial({ name, type: type.FLOAT, f: value.float });
  return AttributeProto.fromPartial({ name, type: type.INTS, ints: value.map(BigInt) });
}

/** Constants may be made after they are read here; in a file they come first. */
export function encodeOnnx({ opset, inputs, weights, steps, outputs }: OnnxModel, domain = ""): Uint8Array {
  const ordered = [...steps].sort(([a], [b]) => Number(b === "Constant") - Number(a === "Constant"));
  const node = ordered.map(([opType, input, output, attrs = {}], at) =>
    NodeProto.fromPartial({
      ...{ name: `/part/${opType}_${at}`, opType, domain, input: [...input], output: [...output] },
      attribute: Object.entries(attrs).map(([name, value]) => attribute(name, value)),
    }),
  );
  const model = ModelProto.fromPartial({
    irVersion: 8n,
    opsetImport: [{ domain: "", version: BigInt(opset) }],
    graph: {
      ...{ name: "model", node },
      initializer: Object.entries(weights).map(([name, value]) => tensorProto(name, value)),
      input: Object.entries(inputs).map(([name, declared]) => {
        const { dtype, shape } =
          "dtype" in declared ? declared : { dtype: "float32" as const, shape: declared };
        return {
          name,
          type: { tensorType: { elemType: onnxDataType(dtype), shape: { dim: shape.map(dimension) } } },
        };
      }),
      output: outputs.map((name) => ({ name })),
    },
  });
  return ModelProto.encode(model).finish();
}

/** Sizes that are not known have names of their own, so that they need not be equal. */
function dimension(size: number, axis: number) {
  return {
    value:
      size < 0
        ? { $case: "dimParam" as const, value: `n${axis}` }
        : { $case: "dimValue" as const, value: BigInt(size) },
  };
}
