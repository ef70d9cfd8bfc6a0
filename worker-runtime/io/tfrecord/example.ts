/** tf.train.Example: the named values of one record. */
import { Example } from "../../../protos/generated/tensorflow/example.js";
import type { Feature } from "../../../protos/generated/tensorflow/feature.js";
import { dtypeKind } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { isByteList } from "../../protocol/tensor-data.js";
import type { TensorValue } from "../../protocol/tensor-values.js";
import { convertTensor } from "../convert.js";

/** The dtypes that the values of a feature can have. */
export type FeatureDType = "float32" | "int64" | "string";

/** The values of a feature; an Example does not keep their shape. */
export interface FeatureValues {
  readonly dtype: FeatureDType;
  readonly values: readonly number[] | readonly bigint[] | readonly Uint8Array[];
}

/**
 * Encodes named values as a tf.train.Example: real numbers as floats, whole ones (int64 and smaller, bool) as int64,
 * strings as bytes. As with `Tensor.of`, JavaScript's numbers are real; bigints are whole.
 * @throws TensorFlowError INVALID_ARGUMENT for values that an Example cannot hold
 */
export function encodeExample(features: Readonly<Record<string, Tensor | TensorValue>>): Uint8Array {
  const feature = new Map<string, Feature>();
  for (const [name, value] of Object.entries(features)) {
    feature.set(name, featureOf(name, value instanceof Tensor ? value : Tensor.of(value)));
  }
  return Example.encode({ features: { feature } }).finish();
}

function featureOf(name: string, tensor: Tensor): Feature {
  if (isByteList(tensor.data)) return { kind: { $case: "bytesList", value: { value: [...tensor.data] } } };
  const kind = dtypeKind(tensor.dtype);
  if (kind === "complex") {
    throw invalidArgument(
      `"${name}" is ${tensor.dtype}; an Example holds real and whole numbers and strings.`,
    );
  }
  if (kind === "float" || kind === "bits") {
    const { data } = convertTensor(tensor, "float32");
    return { kind: { $case: "floatList", value: { value: Array.from(data as Float32Array) } } };
  }
  const { data } = convertTensor(tensor, "int64");
  return { kind: { $case: "int64List", value: { value: Array.from(data as BigInt64Array) } } };
}

/**
 * The features of a serialized tf.train.Example as vectors of float32, int64 or string; those without a value are left
 * out.
 * @throws TensorFlowError INVALID_ARGUMENT for bytes that are none
 */
export function decodeExample(bytes: Uint8Array): Map<string, Tensor> {
  const tensors = new Map<string, Tensor>();
  for (const [name, feature] of featuresOf(bytes)) {
    tensors.set(name, tensorOfValues(feature, [feature.values.length]));
  }
  return tensors;
}

/** @throws TensorFlowError INVALID_ARGUMENT for bytes that are no Example */
export function featuresOf(bytes: Uint8Array): Map<string, FeatureValues> {
  let example: Example;
  try {
    example = Example.decode(bytes);
  } catch (error) {
    throw invalidArgument("It is not a tf.train.Example.", { cause: error });
  }
  const features = new Map<string, FeatureValues>();
  for (const [name, { kind }] of example.features?.feature ?? []) {
    if (kind) features.set(name, { dtype: DTYPES[kind.$case], values: kind.value.value });
  }
  return features;
}

const DTYPES = { floatList: "float32", int64List: "int64", bytesList: "string" } as const;

/** @throws TensorFlowError INVALID_ARGUMENT if the values are more or fewer than the shape has */
export function tensorOfValues({ dtype, values }: FeatureValues, shape: readonly number[]): Tensor {
  switch (dtype) {
    case "float32":
      return new Tensor(dtype, shape, Float32Array.from(values as readonly number[]));
    case "int64":
      return new Tensor(dtype, shape, BigInt64Array.from(values as readonly bigint[]));
    case "string":
      return new Tensor(dtype, shape, values as readonly Uint8Array[]);
  }
}
