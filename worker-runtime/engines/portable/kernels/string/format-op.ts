import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { summarizeEnds } from "../logging/tensor-text.js";
import { pureKernel } from "../support/define.js";

/** StringFormat: a template with tensors' texts in place of its placeholders; what tf.print is made of. */
export const formatKernel: PureKernelDefinition = pureKernel("StringFormat", (node) => {
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
});
