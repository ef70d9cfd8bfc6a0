import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { summarizeEnds } from "../logging/tensor-text.js";
import { type Compute, pureKernel } from "../support/define.js";
import { tensorTypes } from "../support/dtypes.js";
import { productOf } from "../support/shapes.js";

function create(node: KernelNode): Compute {
  const parts = node.string("template").split(node.string("placeholder"));
  const ends = node.int("summarize");
  if (parts.length - 1 !== node.inputs.length) {
    throw invalidArgument(
      `num placeholders in template and num inputs must match: ${parts.length - 1} vs. ${node.inputs.length}`,
    );
  }
  return (inputs) => {
    const texts = inputs.map((input, index) => `${summarizeEnds(input, ends)}${parts[index + 1] ?? ""}`);
    return [Tensor.of(`${parts[0] ?? ""}${texts.join("")}`, "string")];
  };
}

/** Per formatted number or string of moderate length. */
const NANOS_PER_TEXT = 2000;

/** Only the ends of each dimension are shown, regardless of the size of the tensors. */
function cost(node: KernelNode, inputs: readonly Tensor[]): number {
  const ends = node.int("summarize");
  const shownOf = ({ shape }: Tensor) =>
    productOf(shape.map((size) => (ends < 0 ? size : Math.min(size, 2 * ends))));
  return inputs.reduce((sum, input) => sum + shownOf(input), 0) * NANOS_PER_TEXT;
}

/** StringFormat: a template whose placeholders are replaced by the text of tensors; used by tf.print. */
export const formatKernel: PureKernelDefinition = pureKernel("StringFormat", create, {
  types: { T: tensorTypes },
  cost,
});
