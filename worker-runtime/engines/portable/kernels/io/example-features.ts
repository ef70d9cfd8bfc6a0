import { Example } from "../../../../../protos/generated/tensorflow/example.js";
import type { Feature } from "../../../../../protos/generated/tensorflow/feature.js";
import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PartialShape } from "../kernel-node.js";
import { checkedSize } from "../support/allocation.js";
import { cppTypeName } from "../support/dtypes.js";
import { cppShapeText, productOf, sameShape } from "../support/shapes.js";

/** The elements of one feature of one example. */
export type FeatureValues = readonly number[] | readonly bigint[] | readonly Uint8Array[];

/** One example of a batch. */
export interface ParsedExample {
  readonly features: ReadonlyMap<string, Feature>;
  /** Its name in errors: "Name: a, Key: x, Index: 0.  "; without a batch "Key: x.  ". */
  describe(key: string): string;
  /** "Name: a, ", or "" without a batch. */
  readonly name: string;
}

/** @throws TensorFlowError INVALID_ARGUMENT for bytes that are not a tensorflow.Example. */
export function parseExample(bytes: Uint8Array, name: string | undefined, index: number): ParsedExample {
  const who = name === undefined ? "" : `Name: ${name === "" ? "<unknown>" : name}, `;
  let example: Example;
  try {
    example = Example.decode(bytes);
  } catch (error) {
    throw invalidArgument(
      `${who}Could not parse example input, value: '${Buffer.from(bytes).toString("utf8")}'`,
      {
        cause: error,
      },
    );
  }
  return {
    features: example.features?.feature ?? new Map(),
    describe: (key) => `${who}Key: ${key}${name === undefined ? "" : `, Index: ${index}`}.  `,
    name: who,
  };
}

/**
 * The values of a feature; undefined if the example does not have it.
 * @throws TensorFlowError INVALID_ARGUMENT for values of another dtype.
 */
function valuesOf(example: ParsedExample, key: string, dtype: DType): FeatureValues | undefined {
  const kind = example.features.get(key)?.kind;
  if (kind === undefined) {
    return undefined;
  }
  const actual = { floatList: "float32", int64List: "int64", bytesList: "string" } as const;
  if (actual[kind.$case] !== dtype) {
    throw invalidArgument(
      `${example.describe(key)}Data types don't match. Data type: ${cppTypeName(actual[kind.$case])} but expected type: ${cppTypeName(dtype)}`,
    );
  }
  return kind.value.value;
}

/** Values as a tensor of float32, int64 or string. */
export function tensorOfValues(dtype: DType, shape: readonly number[], values: FeatureValues): Tensor {
  checkedSize(dtype, shape);
  switch (dtype) {
    case "float32":
      return new Tensor(dtype, shape, Float32Array.from(values as readonly number[]));
    case "int64":
      return new Tensor(dtype, shape, BigInt64Array.from(values as readonly bigint[]));
    default:
      return new Tensor(dtype, shape, values as readonly Uint8Array[]);
  }
}

/** A feature that every example has with the same shape, or has a default for. */
export interface DenseFeature {
  readonly key: string;
  readonly dtype: DType;
  /** The first size may be -1 for a variable length, padded with the default to the longest of the batch. */
  readonly shape: readonly number[];
  readonly defaults: Tensor;
}

/** @throws TensorFlowError INVALID_ARGUMENT for a default that does not fit the shape. */
export function denseFeature(
  key: string,
  dtype: DType,
  shape: PartialShape,
  defaults: Tensor,
  index: number,
): DenseFeature {
  if (shape === undefined || shape.slice(1).includes(-1)) {
    throw invalidArgument(
      `dense_shapes[${index}] has unknown rank or unknown inner dimensions: ${shapeOfPartial(shape)}`,
    );
  }
  if (shape[0] === -1) {
    if (defaults.size !== 1) {
      throw invalidArgument(
        `dense_shape[${index}] is a variable length shape: ${shapeOfPartial(shape)}, therefore def_value[${index}] must contain a single element (the padding element).  But its shape is: ${cppShapeText(defaults.shape)}`,
      );
    }
  } else if (defaults.size > 0 && !sameShape(defaults.shape, shape)) {
    throw invalidArgument(
      `def_value[${index}].shape() == ${cppShapeText(defaults.shape)} is not compatible with dense_shapes_[${index}] == ${cppShapeText(shape)}`,
    );
  }
  return { key, dtype, shape, defaults };
}

function shapeOfPartial(shape: PartialShape): string {
  return shape === undefined ? "<unknown>" : `[${shape.map((size) => (size < 0 ? "?" : size)).join(",")}]`;
}

/**
 * A dense feature of all examples.
 * @param batch false for a single example, whose tensor has no batch dimension.
 * @throws TensorFlowError INVALID_ARGUMENT if an example lacks it or has another number of values.
 */
export function parseDense(
  feature: DenseFeature,
  examples: readonly ParsedExample[],
  batch: boolean,
): Tensor {
  const { key, dtype, shape, defaults } = feature;
  const isVariable = shape[0] === -1;
  const stride = productOf(shape, isVariable ? 1 : 0);
  const rows = examples.map((example) => {
    const values = valuesOf(example, key, dtype);
    if (values === undefined) {
      if (isVariable) {
        return [];
      }
      if (defaults.size === 0) {
        throw invalidArgument(
          `${example.name}Feature: ${key} (data type: ${cppTypeName(dtype)}) is required but could not be found.`,
        );
      }
      return Array.from(defaults.data as ArrayLike<number>) as FeatureValues;
    }
    if (isVariable && values.length % stride !== 0) {
      throw invalidArgument(
        `${example.describe(key)}Number of ${cppTypeName(dtype)} values is not a multiple of stride length. Saw ${values.length} values but output shape is: ${shapeOfPartial(shape)}`,
      );
    }
    if (!isVariable && values.length !== stride) {
      throw invalidArgument(
        `${example.describe(key)}Number of ${cppTypeName(dtype)} values != expected.  Values size: ${values.length} but output shape: ${cppShapeText(shape)}`,
      );
    }
    return values;
  });
  const length = isVariable ? rows.reduce((most, row) => Math.max(most, row.length), 0) : stride;
  const own = isVariable ? [length / Math.max(stride, 1), ...shape.slice(1)] : shape;
  const outputShape = batch ? [examples.length, ...own] : own;
  checkedSize(dtype, outputShape);
  const padding = (defaults.data as readonly (number | bigint | Uint8Array)[])[0];
  const values = rows.flatMap((row) => [...row, ...new Array(length - row.length).fill(padding)]);
  return tensorOfValues(dtype, outputShape, values as FeatureValues);
}

/** A feature of any length, as a sparse tensor: its indexes, values and size. */
export function parseSparse(
  key: string,
  dtype: DType,
  examples: readonly ParsedExample[],
  batch: boolean,
): { readonly indices: Tensor; readonly values: Tensor; readonly shape: Tensor } {
  const rows = examples.map((example) => valuesOf(example, key, dtype) ?? []);
  const count = rows.reduce((sum, row) => sum + row.length, 0);
  const longest = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const indexes = rows.flatMap((row, index) =>
    [...row.keys()].map((column) => (batch ? [BigInt(index), BigInt(column)] : [BigInt(column)])),
  );
  const size = batch ? [BigInt(examples.length), BigInt(longest)] : [BigInt(longest)];
  return {
    indices: new Tensor("int64", [count, batch ? 2 : 1], BigInt64Array.from(indexes.flat())),
    values: tensorOfValues(dtype, [count], rows.flatMap((row) => [...row]) as FeatureValues),
    shape: new Tensor("int64", [size.length], BigInt64Array.from(size)),
  };
}

/** A feature of any length, as a ragged tensor: its values and row splits. */
export function parseRagged(
  key: string,
  dtype: DType,
  splitType: DType,
  examples: readonly ParsedExample[],
  batch: boolean,
): { readonly values: Tensor; readonly splits: Tensor } {
  const rows = examples.map((example) => valuesOf(example, key, dtype) ?? []);
  const splits = [0];
  for (const row of rows) {
    splits.push((splits.at(-1) ?? 0) + row.length);
  }
  const count = splits.at(-1) ?? 0;
  // The values of a single example are not ragged and have no splits.
  const written = batch ? splits : [];
  return {
    values: tensorOfValues(dtype, [count], rows.flatMap((row) => [...row]) as FeatureValues),
    splits:
      splitType === "int64"
        ? new Tensor("int64", [written.length], BigInt64Array.from(written, BigInt))
        : new Tensor("int32", [written.length], Int32Array.from(written)),
  };
}
