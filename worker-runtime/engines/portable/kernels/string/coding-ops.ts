import { TensorProto } from "../../../../../protos/generated/tensorflow/tensor.js";
import { type DType, itemSize } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor, tensorFromProto, tensorToProto } from "../../../../protocol/tensor.js";
import { arrayFromBytes } from "../../../../protocol/tensor-data.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { cppTypeName, dataTypes, noTypes } from "../support/dtypes.js";
import { inputAt, stringsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";

function encodeBase64(bytes: Uint8Array, pad: boolean): Uint8Array {
  const text = Buffer.from(bytes).toString("base64url");
  return Buffer.from(pad ? text.padEnd(Math.ceil(text.length / 4) * 4, "=") : text);
}

/** Decodes web-safe base64, padded or not. @throws TensorFlowError INVALID_ARGUMENT */
function decodeBase64(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString("latin1");
  const content = text.replace(/={0,2}$/, "");
  const padded = content.length !== text.length;
  if (!/^[\w-]*$/.test(content) || content.length % 4 === 1 || (padded && text.length % 4 !== 0)) {
    throw invalidArgument("Invalid character found in base64.");
  }
  return Buffer.from(content, "base64url");
}

/** Reverses the bytes of each element. */
function swapBytes(bytes: Uint8Array, size: number): Uint8Array {
  const swapped = bytes.slice();
  for (let at = 0; at < swapped.length; at += size) {
    swapped.subarray(at, at + size).reverse();
  }
  return swapped;
}

/** Reinterprets the bytes of strings of equal length as numbers. */
function decodeRaw(input: Tensor, dtype: DType, littleEndian: boolean): Tensor {
  const strings = stringsOf(input);
  const length = strings[0]?.length ?? 0;
  const size = itemSize(dtype);
  for (const [index, bytes] of strings.entries()) {
    if (bytes.length !== length) {
      throw invalidArgument(
        `DecodeRaw requires input strings to all be the same size, but element ${index} has size ${bytes.length} != ${length}`,
      );
    }
  }
  if (strings.length === 0 || length === 0) {
    return new Tensor(dtype, [...input.shape, 0], arrayFromBytes(dtype, new Uint8Array(0)));
  }
  if (length % size !== 0) {
    throw invalidArgument(
      `Input to DecodeRaw has length ${length} that is not a multiple of ${size}, the size of ${cppTypeName(dtype)}`,
    );
  }
  // A new copy, aligned for the dtype.
  const joined = new Uint8Array(strings.length * length);
  for (const [index, bytes] of strings.entries()) {
    joined.set(bytes, index * length);
  }
  const partSize = dtype.startsWith("complex") ? size / 2 : size;
  const ordered = littleEndian || partSize === 1 ? joined : swapBytes(joined, partSize);
  const data = arrayFromBytes(dtype, dtype === "bool" ? ordered.map((byte) => Number(byte !== 0)) : ordered);
  return new Tensor(dtype, [...input.shape, length / size], data);
}

function parseTensor(input: Tensor, dtype: DType): Tensor {
  if (input.shape.length !== 0) {
    throw invalidArgument(`Expected \`serialized\` to be a scalar, got shape: ${cppShapeText(input.shape)}`);
  }
  let proto: TensorProto;
  try {
    proto = TensorProto.decode(stringsOf(input)[0] ?? new Uint8Array(0));
  } catch (error) {
    throw invalidArgument("Could not parse `serialized` as TensorProto", { cause: error });
  }
  const tensor = tensorFromProto(proto);
  if (tensor.dtype !== dtype) {
    throw invalidArgument(
      `Type mismatch between parsed tensor (${cppTypeName(tensor.dtype)}) and dtype (${cppTypeName(dtype)})`,
    );
  }
  return tensor;
}

/** Encoding and decoding of strings: base64, raw numbers, serialized tensors. */
export const codingKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "EncodeBase64",
    (node) => {
      const pad = node.bool("pad");
      return (inputs) => {
        const input = inputAt(inputs, 0);
        return [
          new Tensor(
            "string",
            input.shape,
            stringsOf(input).map((bytes) => encodeBase64(bytes, pad)),
          ),
        ];
      };
    },
    { types: noTypes },
  ),
  pureKernel(
    "DecodeBase64",
    () => (inputs) => {
      const input = inputAt(inputs, 0);
      return [new Tensor("string", input.shape, stringsOf(input).map(decodeBase64))];
    },
    { types: noTypes },
  ),
  pureKernel(
    "DecodeRaw",
    (node) => {
      const dtype = node.type("out_type");
      const littleEndian = node.bool("little_endian");
      return (inputs) => [decodeRaw(inputAt(inputs, 0), dtype, littleEndian)];
    },
    { types: { out_type: dataTypes.filter((dtype) => dtype !== "string") } },
  ),
  pureKernel(
    "SerializeTensor",
    () => (inputs) => [
      new Tensor("string", [], [TensorProto.encode(tensorToProto(inputAt(inputs, 0))).finish()]),
    ],
    { types: { T: dataTypes } },
  ),
  pureKernel("ParseTensor", (node) => (inputs) => [parseTensor(inputAt(inputs, 0), node.type("out_type"))], {
    types: { out_type: dataTypes },
  }),
];
