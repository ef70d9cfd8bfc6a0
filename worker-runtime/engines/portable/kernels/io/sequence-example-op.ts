import { SequenceExample } from "../../../../../protos/generated/tensorflow/example.js";
import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel } from "../support/define.js";
import { indexTypes } from "../support/dtypes.js";
import { inputAt, integersOf, integerTensor, stringsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import {
  denseFeature,
  type ParsedExample,
  parseDense,
  parseRagged,
  parseSparse,
} from "./example-features.js";
import { type ParsedSequence, parseDenseList, parseRaggedList, parseSparseList } from "./feature-lists.js";
import { textsOf } from "./string-inputs.js";

/** Nanoseconds per byte of an example. */
const NANOSECONDS_PER_BYTE = 80;

/** The features that are constant, and those with a value per time step. */
interface ParsedSequenceExample {
  readonly context: ParsedExample;
  readonly sequence: ParsedSequence;
}

/** @throws TensorFlowError INVALID_ARGUMENT for bytes that are not a tensorflow.SequenceExample. */
function parse(bytes: Uint8Array, givenName: string, index: number): ParsedSequenceExample {
  const shown = givenName === "" ? "<unknown>" : givenName;
  let message: SequenceExample;
  try {
    message = SequenceExample.decode(bytes);
  } catch (cause) {
    throw invalidArgument(`Invalid protocol message input, example id: ${shown}`, { cause });
  }
  const name = `Name: ${shown}, `;
  return {
    context: {
      features: message.context?.feature ?? new Map(),
      describe: (key) => `${name}Key: ${key}, Index: ${index}.  `,
      name,
    },
    sequence: { lists: message.featureLists?.featureList ?? new Map(), name, index },
  };
}

/** The indexes of the inputs that are lists of keys. */
const KEYS = {
  contextSparse: 2,
  contextDense: 3,
  contextRagged: 4,
  listSparse: 5,
  listDense: 6,
  listRagged: 7,
} as const;

const MISSING_ASSUMED_EMPTY = 8;
const FIRST_DEFAULT = 9;

/** @throws TensorFlowError INVALID_ARGUMENT if there are not as many keys as types. */
function keysOf(inputs: readonly Tensor[], which: keyof typeof KEYS, count: number): string[] {
  const keys = textsOf(inputAt(inputs, KEYS[which]));
  if (keys.length !== count) {
    throw invalidArgument(`Expected ${count} keys of ${which}, got ${keys.length}`);
  }
  return keys;
}

/** The context features: sparse, dense and ragged ones, in the order of the outputs. */
function contextOutputs(
  node: KernelNode,
  inputs: readonly Tensor[],
  examples: readonly ParsedExample[],
  batch: boolean,
): readonly Tensor[] {
  const sparseTypes = node.types("context_sparse_types");
  const denseTypes = node.types("Tcontext_dense");
  const shapes = node.shapes("context_dense_shapes");
  const raggedTypes = node.types("context_ragged_value_types");
  const splitTypes = node.types("context_ragged_split_types");
  const sparse = keysOf(inputs, "contextSparse", sparseTypes.length).map((key, i) =>
    parseSparse(key, sparseTypes[i] ?? "float32", examples, batch),
  );
  const dense = keysOf(inputs, "contextDense", denseTypes.length).map((key, i) => {
    const defaults = inputAt(inputs, FIRST_DEFAULT + i);
    const feature = denseFeature(key, denseTypes[i] ?? "float32", shapes[i], defaults, i);
    return parseDense(feature, examples, batch);
  });
  const ragged = keysOf(inputs, "contextRagged", raggedTypes.length).map((key, i) => {
    const splitType = splitTypes[i] ?? "int64";
    const { values, splits } = parseRagged(key, raggedTypes[i] ?? "float32", splitType, examples, batch);
    // A placeholder is returned for the splits of a single example.
    return { values, splits: batch ? splits : integerTensor(splitType, [], [0]) };
  });
  return [
    ...sparse.map(({ indices }) => indices),
    ...sparse.map(({ values }) => values),
    ...sparse.map(({ shape }) => shape),
    ...dense,
    ...ragged.map(({ values }) => values),
    ...ragged.map(({ splits }) => splits),
  ];
}

/** The lists of features: sparse, dense and ragged ones, in the order of the outputs. */
function listOutputs(
  node: KernelNode,
  inputs: readonly Tensor[],
  sequences: readonly ParsedSequence[],
  batch: boolean,
): readonly Tensor[] {
  const sparseTypes = node.types("feature_list_sparse_types");
  const denseTypes = node.types("feature_list_dense_types");
  const shapes = node.shapes("feature_list_dense_shapes");
  const raggedTypes = node.types("feature_list_ragged_value_types");
  const splitTypes = node.types("feature_list_ragged_split_types");
  const mayMiss = integersOf(inputAt(inputs, MISSING_ASSUMED_EMPTY));
  const sparse = keysOf(inputs, "listSparse", sparseTypes.length).map((key, i) =>
    parseSparseList(key, sparseTypes[i] ?? "float32", sequences, batch),
  );
  const dense = keysOf(inputs, "listDense", denseTypes.length).map((key, i) => {
    const dtype = denseTypes[i] ?? "float32";
    return parseDenseList({ key, dtype, shape: shapes[i], mayMiss: mayMiss[i] === 1 }, sequences, batch);
  });
  const ragged = keysOf(inputs, "listRagged", raggedTypes.length).map((key, i) =>
    parseRaggedList(key, raggedTypes[i] ?? "float32", splitTypes[i] ?? "int64", sequences, batch),
  );
  return [
    ...sparse.map(({ indices }) => indices),
    ...sparse.map(({ values }) => values),
    ...sparse.map(({ shape }) => shape),
    ...dense.map(({ values }) => values),
    ...dense.map(({ lengths }) => lengths),
    ...ragged.map(({ values }) => values),
    ...ragged.map(({ outer }) => outer),
    ...ragged.map(({ inner }) => inner),
  ];
}

/** Parses tensorflow.SequenceExample messages, one or a vector of them. */
export const sequenceExampleKernel: PureKernelDefinition = pureKernel(
  "ParseSequenceExampleV2",
  (node) => (inputs) => {
    const serialized = inputAt(inputs, 0);
    if (serialized.shape.length > 1) {
      throw invalidArgument(
        `Expected serialized to be a scalar or vector, got shape: ${cppShapeText(serialized.shape)}`,
      );
    }
    const batch = serialized.shape.length === 1;
    const names = textsOf(inputAt(inputs, 1));
    const parsed = stringsOf(serialized).map((bytes, index) => parse(bytes, names[index] ?? "", index));
    return [
      ...contextOutputs(
        node,
        inputs,
        parsed.map(({ context }) => context),
        batch,
      ),
      ...listOutputs(
        node,
        inputs,
        parsed.map(({ sequence }) => sequence),
        batch,
      ),
    ];
  },
  {
    types: {
      Tcontext_dense: ["float32", "int64", "string"],
      context_sparse_types: ["float32", "int64", "string"],
      context_ragged_value_types: ["float32", "int64", "string"],
      context_ragged_split_types: indexTypes,
      feature_list_dense_types: ["float32", "int64", "string"],
      feature_list_sparse_types: ["float32", "int64", "string"],
      feature_list_ragged_value_types: ["float32", "int64", "string"],
      feature_list_ragged_split_types: indexTypes,
    },
    cost: (_, inputs) => (inputs[0]?.byteLength ?? 0) * NANOSECONDS_PER_BYTE,
  },
);
