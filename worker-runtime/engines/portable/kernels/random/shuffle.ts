import { Tensor } from "../../../../protocol/tensor.js";
import { entriesPerElement, isByteList, type NumericArray } from "../../../../protocol/tensor-data.js";
import type { StatefulKernelDefinition } from "../kernel.js";
import { allocate } from "../support/allocation.js";
import { productOf } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";
import { PhiloxSamples } from "./philox.js";
import { generatorOf } from "./seeded-generator.js";

/** The rows 0 … count - 1 in random order (Fisher and Yates, from the front). */
function permutation(count: number, samples: PhiloxSamples): number[] {
  const order = Array.from({ length: count }, (_, index) => index);
  for (let index = 0; index < count - 1; index += 1) {
    const other = index + (samples.next() % (count - index));
    const row = order[index] ?? 0;
    order[index] = order[other] ?? 0;
    order[other] = row;
  }
  return order;
}

/** The tensor with the rows of its first dimension in this order. */
function inOrder(tensor: Tensor, order: readonly number[]): Tensor {
  const { dtype, shape, data } = tensor;
  const row = productOf(shape, 1) * entriesPerElement(dtype);
  if (isByteList(data)) {
    return new Tensor(
      dtype,
      shape,
      order.flatMap((from) => data.slice(from * row, (from + 1) * row)),
    );
  }
  const output = allocate(dtype, shape) as NumericArray;
  for (const [to, from] of order.entries()) {
    // Both arrays are of the tensor's dtype; TypeScript cannot know it of a union.
    output.set(data.subarray(from * row, (from + 1) * row) as never, to * row);
  }
  return new Tensor(dtype, shape, output);
}

/** RandomShuffle: the rows of the first dimension in random order, the same as TensorFlow's for the same seeds. */
export const shuffleKernel: StatefulKernelDefinition = {
  kind: "stateful",
  op: "RandomShuffle",
  create(node) {
    const generator = generatorOf(node);
    return (context) => {
      const { inputs } = context;
      const tensor = tensorAt(inputs, 0);
      const count = tensor.shape[0] ?? 0;
      if (tensor.size <= 1 || count <= 1) {
        return [tensor];
      }
      const samples = new PhiloxSamples(generator(context).reserveSamples(count - 1));
      return [inOrder(tensor, permutation(count, samples))];
    };
  },
};
