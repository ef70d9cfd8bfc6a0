import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { indexTypes } from "../support/dtypes.js";
import { inputAt, stringsOf } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import {
  denseFeature,
  type ParsedExample,
  parseDense,
  parseExample,
  parseRagged,
  parseSparse,
} from "./example-features.js";
import { textsOf } from "./string-inputs.js";

/** Nanoseconds per byte of an example. */
const NANOSECONDS_PER_BYTE = 50;
/** Nanoseconds per example, regardless of its features. */
const NANOSECONDS_PER_EXAMPLE = 5000;

/** The keys of the features to read from each example. */
export interface ExampleKeys {
  readonly sparse: readonly string[];
  readonly dense: readonly string[];
  readonly ragged: readonly string[];
}

/**
 * The features of all examples: the indices, then the values, then the shapes of the sparse ones, the dense ones, and
 * the values and then the splits of the ragged ones.
 * @param node has attributes with their types and shapes.
 * @param defaults of the dense features.
 * @param batch whether the examples are a vector.
 * @throws TensorFlowError INVALID_ARGUMENT for features of other types or sizes, or missing ones without a default.
 */
export function parseAll(
  node: KernelNode,
  keys: ExampleKeys,
  defaults: readonly Tensor[],
  examples: readonly ParsedExample[],
  batch: boolean,
): readonly Tensor[] {
  const sparseTypes = node.types("sparse_types");
  const denseTypes = node.types("Tdense");
  const shapes = node.shapes("dense_shapes");
  const raggedTypes = node.has("ragged_value_types") ? node.types("ragged_value_types") : [];
  const splitTypes = node.has("ragged_split_types") ? node.types("ragged_split_types") : [];
  if (keys.sparse.length !== sparseTypes.length) {
    throw invalidArgument(
      `len(sparse_keys) != len(sparse_types): ${keys.sparse.length} vs. ${sparseTypes.length}`,
    );
  }
  if (keys.dense.length !== denseTypes.length || denseTypes.length !== shapes.length) {
    throw invalidArgument(
      `len(dense_keys) != len(dense_types) or len(dense_shapes): ${keys.dense.length}, ${denseTypes.length}, ${shapes.length}`,
    );
  }
  if (keys.ragged.length !== raggedTypes.length || raggedTypes.length !== splitTypes.length) {
    throw invalidArgument(
      `len(ragged_keys) != len(ragged_value_types): ${keys.ragged.length} vs. ${raggedTypes.length}`,
    );
  }
  const dense = keys.dense.map((key, index) =>
    denseFeature(key, denseTypes[index] ?? "float32", shapes[index], inputAt(defaults, index), index),
  );
  const sparse = keys.sparse.map((key, index) =>
    parseSparse(key, sparseTypes[index] ?? "float32", examples, batch),
  );
  const ragged = keys.ragged.map((key, index) =>
    parseRagged(key, raggedTypes[index] ?? "float32", splitTypes[index] ?? "int64", examples, batch),
  );
  return [
    ...sparse.map(({ indices }) => indices),
    ...sparse.map(({ values }) => values),
    ...sparse.map(({ shape }) => shape),
    ...dense.map((feature) => parseDense(feature, examples, batch)),
    ...ragged.map(({ values }) => values),
    ...ragged.map(({ splits }) => splits),
  ];
}

/** The examples of an input of any rank up to 1. @throws TensorFlowError INVALID_ARGUMENT */
export function examplesOf(serialized: Tensor, names: Tensor): readonly ParsedExample[] {
  if (serialized.shape.length > 1) {
    throw invalidArgument(
      `Expected serialized to be a scalar or vector, got shape: ${cppShapeText(serialized.shape)}`,
    );
  }
  if (names.size > 0 && !sameShape(names.shape, serialized.shape)) {
    throw invalidArgument(
      `Expected names have the same shape as serialized: name.shape=${cppShapeText(names.shape)}, serialized.shape=${cppShapeText(serialized.shape)}`,
    );
  }
  const isBatch = serialized.shape.length === 1;
  const texts = textsOf(names);
  return stringsOf(serialized).map((bytes, index) =>
    parseExample(bytes, isBatch ? (texts[index] ?? "") : undefined, index),
  );
}

const options = {
  cost: (_: unknown, inputs: readonly Tensor[]): number => {
    const serialized = inputAt(inputs, 0);
    return serialized.byteLength * NANOSECONDS_PER_BYTE + serialized.size * NANOSECONDS_PER_EXAMPLE;
  },
};

/** The dtypes that the values of a feature may have. */
export const featureTypes = ["float32", "int64", "string"] as const;

/** Ops that parse tensorflow.Example messages. */
export const exampleKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "ParseExample",
    (node) => {
      const sparseCount = node.int("Nsparse");
      const denseCount = node.int("Ndense");
      return (inputs) => {
        const key = (index: number) => textsOf(inputAt(inputs, 2 + index))[0] ?? "";
        const sparse = Array.from({ length: sparseCount }, (_, index) => key(index));
        const dense = Array.from({ length: denseCount }, (_, index) => key(sparseCount + index));
        const serialized = inputAt(inputs, 0);
        if (serialized.shape.length !== 1) {
          throw invalidArgument(
            `Expected serialized to be a vector, got shape: ${cppShapeText(serialized.shape)}`,
          );
        }
        return parseAll(
          node,
          { sparse, dense, ragged: [] },
          inputs.slice(2 + sparseCount + denseCount),
          examplesOf(serialized, inputAt(inputs, 1)),
          true,
        );
      };
    },
    { ...options, types: { sparse_types: featureTypes, Tdense: featureTypes } },
  ),
  pureKernel(
    "ParseExampleV2",
    (node) => (inputs) => {
      const serialized = inputAt(inputs, 0);
      const [sparse = [], dense = [], ragged = []] = [2, 3, 4].map((index) =>
        textsOf(inputAt(inputs, index)),
      );
      const examples = examplesOf(serialized, inputAt(inputs, 1));
      return parseAll(
        node,
        { sparse, dense, ragged },
        inputs.slice(5),
        examples,
        serialized.shape.length === 1,
      );
    },
    {
      ...options,
      types: {
        Tdense: featureTypes,
        sparse_types: featureTypes,
        ragged_value_types: featureTypes,
        ragged_split_types: indexTypes,
      },
    },
  ),
  pureKernel(
    "ParseSingleExample",
    (node) => {
      const keys = { sparse: node.strings("sparse_keys"), dense: node.strings("dense_keys"), ragged: [] };
      return (inputs) => {
        const serialized = inputAt(inputs, 0);
        if (serialized.shape.length !== 0) {
          throw invalidArgument(
            `Expected serialized to be a scalar, got shape: ${cppShapeText(serialized.shape)}`,
          );
        }
        const [bytes = new Uint8Array(0)] = stringsOf(serialized);
        return parseAll(node, keys, inputs.slice(1), [parseExample(bytes, undefined, 0)], false);
      };
    },
    { ...options, types: { sparse_types: featureTypes, Tdense: featureTypes } },
  ),
];
