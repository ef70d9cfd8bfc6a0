import { failedPrecondition, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { perElement, pureKernel } from "../support/define.js";
import { floatTypes } from "../support/dtypes.js";
import { inputAt, integerTensor, newNumbers, numbersOf } from "../support/elements.js";
import { type CtcInputs, ctcInputs } from "./ctc-inputs.js";

/** The likeliest class at each time step, without blanks, and the sum of their logits. */
function decode(
  { inputs, batches, classes, lengths }: CtcInputs,
  batch: number,
  blank: number,
  merges: boolean,
): { readonly labels: number[]; readonly score: number } {
  const values = numbersOf(inputs);
  const labels: number[] = [];
  let score = 0;
  let before = -1;
  for (let time = 0; time < (lengths[batch] ?? 0); time += 1) {
    const from = (time * batches + batch) * classes;
    let best = 0;
    for (let i = 1; i < classes; i += 1) {
      if ((values[from + i] as number) > (values[from + best] as number)) {
        best = i;
      }
    }
    score += values[from + best] as number;
    if (best !== blank && !(merges && best === before)) {
      labels.push(best);
    }
    before = best;
  }
  return { labels, score };
}

/** Sequences of labels as a sparse matrix: indices, values, shape. */
export function sparseSequences(sequences: readonly (readonly number[])[]): Tensor[] {
  const indices = sequences.flatMap((labels, row) => labels.flatMap((_, column) => [row, column]));
  const values = sequences.flat();
  const longest = sequences.reduce((most, { length }) => Math.max(most, length), 0);
  return [
    integerTensor("int64", [values.length, 2], indices),
    integerTensor("int64", [values.length], values),
    integerTensor("int64", [2], [sequences.length, longest]),
  ];
}

/** Decodes by taking the likeliest class at each time step. */
export const ctcGreedyDecoderKernel: PureKernelDefinition = pureKernel(
  "CTCGreedyDecoder",
  (node) => {
    const merges = node.bool("merge_repeated");
    const blankGiven = node.int("blank_index");
    return (tensors) => {
      const input = ctcInputs(inputAt(tensors, 0), inputAt(tensors, 1), failedPrecondition);
      const { inputs, batches, classes } = input;
      if (blankGiven < -classes || blankGiven >= classes) {
        throw invalidArgument(
          `blank_index expected to be between ${-classes} and ${classes - 1} but was ${blankGiven}`,
        );
      }
      const blank = blankGiven < 0 ? blankGiven + classes : blankGiven;
      const scores = newNumbers(inputs.dtype, [batches, 1]);
      const sequences = Array.from({ length: batches }, (_, batch) => {
        const { labels, score } = decode(input, batch, blank, merges);
        scores[batch] = -score;
        return labels;
      });
      return [...sparseSequences(sequences), new Tensor(inputs.dtype, [batches, 1], scores)];
    };
  },
  { types: { T: floatTypes }, cost: perElement(5) },
);
