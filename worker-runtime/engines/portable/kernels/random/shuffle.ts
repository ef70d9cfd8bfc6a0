import type { CancellationSignal } from "../../../../cancellation/cancellation-signal.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { StatefulKernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { anyType } from "../support/dtypes.js";
import { productOf } from "../support/shapes.js";
import { copyElements, type Words, wordsOf } from "../support/strided-copy.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { inTurns } from "../support/turns.js";
import { PhiloxSamples } from "./philox.js";
import { generatorOf } from "./seeded-generator.js";

/** Rows per turn, and elements of all of them: a few milliseconds. */
const ROWS_PER_TURN = 32 * 1024;
const ELEMENTS_PER_TURN = 256 * 1024;

/** A step of the Fisher–Yates shuffle, from the front, for the indexes from `first` up to, not including, `end`. */
function shuffleIndexes(order: Uint32Array, samples: PhiloxSamples, first: number, end: number): void {
  for (let index = first; index < end; index += 1) {
    const other = index + (samples.next() % (order.length - index));
    const row = order[index] ?? 0;
    order[index] = order[other] ?? 0;
    order[other] = row;
  }
}

/** Copies rows of a tensor to another tensor's rows, starting at `first`. @param order which rows. */
function copyRows(from: Words, to: Words, rowSize: number, order: Uint32Array, first: number): void {
  for (let index = 0; index < order.length; index += 1) {
    copyElements(to, (first + index) * rowSize, from, (order[index] ?? 0) * rowSize, rowSize);
  }
}

/** RandomShuffle: the rows of the first dimension in random order, the same as TensorFlow's for the same seeds. */
export const shuffleKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "RandomShuffle",
  types: { T: anyType },
  facts: { neverWaits: true },
  create(node) {
    const generator = generatorOf(node);
    return (context) => {
      const { inputs, step } = context;
      const tensor = tensorAt(inputs, 0);
      const count = tensor.shape[0] ?? 0;
      if (tensor.size <= 1 || count <= 1) {
        return [tensor];
      }
      const samples = new PhiloxSamples(generator(context).reserveSamples(count - 1));
      return shuffled(tensor, count, samples, step.signal);
    };
  },
};

async function shuffled(
  { dtype, shape, data }: Tensor,
  count: number,
  samples: PhiloxSamples,
  signal: CancellationSignal,
): Promise<readonly Tensor[]> {
  const output = allocate(dtype, shape);
  const [from, to] = [wordsOf(dtype, data), wordsOf(dtype, output)];
  const rowSize = productOf(shape, 1);
  const rowsPerTurn = Math.max(1, Math.min(ROWS_PER_TURN, Math.floor(ELEMENTS_PER_TURN / rowSize)));
  const order = new Uint32Array(count).map((_, index) => index);
  // The last index has no choice left.
  const shuffle = (first: number, end: number) =>
    shuffleIndexes(order, samples, first, Math.min(end, count - 1));
  const copy = (first: number, end: number) => copyRows(from, to, rowSize, order.subarray(first, end), first);
  await inTurns(count, ROWS_PER_TURN, shuffle, signal, () => undefined);
  return await inTurns(count, rowsPerTurn, copy, signal, () => [new Tensor(dtype, shape, output)]);
}
