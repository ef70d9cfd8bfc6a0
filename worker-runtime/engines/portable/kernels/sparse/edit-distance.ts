import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { dataTypes } from "../support/dtypes.js";
import { inputAt, integersOf, newNumbers } from "../support/elements.js";
import { cppShapeText, productOf, stridesOf } from "../support/shapes.js";

type Element = bigint | boolean | number | string;

/** Sequences by the index of their row in the output. */
type Sequences = ReadonlyMap<number, readonly Element[]>;

/** A sparse tensor whose rows along the last dimension are sequences. */
interface SparseSequences {
  readonly indices: Tensor;
  readonly values: Tensor;
  readonly shape: readonly number[];
}

function sparseAt(inputs: readonly Tensor[], first: number, what: string): SparseSequences {
  const [indices, values] = [inputAt(inputs, first), inputAt(inputs, first + 1)];
  const shape = integersOf(inputAt(inputs, first + 2));
  if (indices.shape.length !== 2 || values.shape.length !== 1 || indices.shape[0] !== values.size) {
    throw invalidArgument(
      `${what}_indices should be a matrix with a row for each of the ${what}_values, but received shape: ${cppShapeText(indices.shape)}`,
    );
  }
  if (indices.shape[1] !== shape.length) {
    throw invalidArgument(
      `${what}_indices should have a column for each dimension of ${what}_shape: ${cppShapeText(indices.shape)}`,
    );
  }
  return { indices, values, shape };
}

/** Maps elements to keys that are equal only for equal values. NaN equals nothing. */
function elementsOf(tensor: Tensor): Element[] {
  return Array.from({ length: tensor.size }, (_, i) => {
    const bytes = tensor.data[i];
    if (bytes instanceof Uint8Array) {
      return Buffer.from(bytes).toString("latin1");
    }
    const element = tensor.at(i);
    if (typeof element !== "object" || !("re" in element)) {
      return element as Element;
    }
    const { re, im } = element;
    // Adding 0 turns -0 into 0.
    return Number.isNaN(re) || Number.isNaN(im) ? Number.NaN : `${re + 0} ${im + 0}`;
  });
}

/** @param shape of the output. @throws TensorFlowError INTERNAL for a sequence outside of it. */
function sequencesOf({ indices, values }: SparseSequences, shape: readonly number[]): Sequences {
  const strides = stridesOf(shape);
  const indexes = integersOf(indices);
  const rank = shape.length + 1;
  const limit = productOf(shape);
  const sequences = new Map<number, Element[]>();
  for (const [i, element] of elementsOf(values).entries()) {
    const at = strides.reduce((sum, stride, axis) => sum + stride * (indexes[i * rank + axis] ?? 0), 0);
    if (at < 0 || at >= limit) {
      throw internalError(
        `Got an inner product ${at} which would require writing to outside of the buffer for the output tensor (max elements ${limit})`,
      );
    }
    const sequence = sequences.get(at) ?? [];
    sequence.push(element);
    sequences.set(at, sequence);
  }
  return sequences;
}

/** The number of insertions, deletions and replacements: the Wagner–Fischer algorithm, row by row. */
function levenshtein(a: readonly Element[], b: readonly Element[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, element] of a.entries()) {
    const next = [i + 1];
    for (const [j, other] of b.entries()) {
      const replaced = (row[j] ?? 0) + (element === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function distances(hypothesis: SparseSequences, truth: SparseSequences, normalize: boolean): Tensor {
  const rank = truth.shape.length;
  if (rank < 2) {
    throw invalidArgument(`Input SparseTensors must have rank at least 2, but truth_shape rank is: ${rank}`);
  }
  if (hypothesis.shape.length !== rank) {
    throw invalidArgument(
      `Expected truth and hypothesis to have matching ranks, but their shapes are: ${cppShapeText(truth.shape)} and ${cppShapeText(hypothesis.shape)}`,
    );
  }
  const shape = truth.shape.slice(0, -1).map((size, axis) => Math.max(size, hypothesis.shape[axis] ?? 0));
  const out = newNumbers("float32", shape);
  const [given, expected] = [sequencesOf(hypothesis, shape), sequencesOf(truth, shape)];
  for (const at of new Set([...given.keys(), ...expected.keys()])) {
    const wanted = expected.get(at) ?? [];
    const distance = levenshtein(wanted, given.get(at) ?? []);
    // If the truth is empty, the normalized distance to anything else is infinite.
    out[at] = normalize ? distance / wanted.length : distance;
  }
  return new Tensor("float32", shape, out);
}

/** Edit distances between sequences and the truth; if normalized, divided by the truth's length. */
export const editDistanceKernel: PureKernelDefinition = pureKernel(
  "EditDistance",
  (node) => {
    const normalize = node.bool("normalize");
    return (inputs) => [
      distances(sparseAt(inputs, 0, "hypothesis"), sparseAt(inputs, 3, "truth"), normalize),
    ];
  },
  // Assumes a single sequence of all elements for each row of the other input.
  {
    types: { T: dataTypes },
    cost: (_, inputs) => {
      const [hypotheses, truths] = [inputAt(inputs, 1).size, inputAt(inputs, 4).size];
      const rows = Math.max(1, Number(inputAt(inputs, 2).data[0] ?? 1));
      return ((hypotheses * truths) / rows) * 20 + (hypotheses + truths) * 200;
    },
  },
);
