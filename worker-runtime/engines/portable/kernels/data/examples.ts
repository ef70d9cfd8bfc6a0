import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { Value } from "../../values.js";
import { type ExampleKeys, examplesOf, featureTypes, parseAll } from "../io/example-ops.js";
import type { OpContext, StatefulKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { variantOfSparse } from "../sparse/serialized.js";
import { indexTypes } from "../support/dtypes.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { cardinality } from "./cardinality.js";
import { type Dataset, type Element, elementTypes, type Pull, transformation } from "./dataset.js";

const noNames = new Tensor("string", [0], []);

/** Parses the features of vectors of serialized examples, ordered by their keys. */
function parsedExamples(input: Dataset, context: OpContext, node: KernelNode): () => Pull {
  const keys: ExampleKeys = {
    sparse: node.strings("sparse_keys"),
    dense: node.strings("dense_keys"),
    ragged: node.strings("ragged_keys"),
  };
  if (keys.ragged.length > 0) {
    throw unimplemented("The portable engine has no ragged features in datasets of examples.");
  }
  const defaults = keys.dense.map((_, i) => tensorAt(context.inputs, 2 + i));
  return () => {
    const pull = input.iterate();
    return async (step) => {
      const element = await pull(step);
      return element && featuresOf(element, keys, defaults, node);
    };
  };
}

function featuresOf(
  element: Element,
  keys: ExampleKeys,
  defaults: readonly Tensor[],
  node: KernelNode,
): Element {
  const serialized = tensorAt(element, 0);
  if (serialized.shape.length !== 1) {
    throw invalidArgument(`Expected serialized to be a vector, got shape: ${cppShapeText(serialized.shape)}`);
  }
  const parts = parseAll(node, keys, defaults, examplesOf(serialized, noNames), true);
  const count = keys.sparse.length;
  const byKey = new Map<string, Value>();
  for (const [i, key] of keys.sparse.entries()) {
    byKey.set(
      key,
      variantOfSparse(tensorAt(parts, i), tensorAt(parts, count + i), tensorAt(parts, 2 * count + i)),
    );
  }
  for (const [i, key] of keys.dense.entries()) {
    byKey.set(key, tensorAt(parts, 3 * count + i));
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

/** Datasets of the features of tensorflow.Example messages. */
export const exampleDatasetKernels: readonly StatefulKernelDefinition[] = [
  transformation(
    "ParseExampleDatasetV2",
    {
      types: {
        sparse_types: featureTypes,
        Tdense: featureTypes,
        ragged_value_types: featureTypes,
        ragged_split_types: indexTypes,
        ...elementTypes,
      },
      cardinality: cardinality.same,
    },
    parsedExamples,
  ),
];
