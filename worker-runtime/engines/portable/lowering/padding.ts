import type { OnnxValue } from "../onnx/model-builder.js";
import { indices, limited } from "./dtypes.js";
import type { Lowering, LoweringContext } from "./lowering.js";
import { inputAt, numbersOf, scalarTensor, Writer } from "./writer.js";

/** @param value the value of the new elements; defaults to 0. */
function pad(
  inputs: readonly OnnxValue[],
  value: OnnxValue | undefined,
  context: LoweringContext,
): readonly OnnxValue[] | undefined {
  const write = new Writer(context);
  const input = inputAt(inputs, 0);
  const rank = context.rank(input);
  const amounts = numbersOf(context, inputAt(inputs, 1));
  // In ONNX, negative amounts remove elements.
  if (amounts?.length !== 2 * rank || amounts.some((amount) => amount < 0)) {
    return undefined;
  }
  const before = amounts.filter((_, i) => i % 2 === 0);
  const after = amounts.filter((_, i) => i % 2 === 1);
  const filling = value ?? context.model.constant(scalarTensor(input.dtype, 0));
  return rank === 0 ? [input] : [write.same("Pad", [input, write.longs([...before, ...after]), filling])];
}

export const paddingLowerings: readonly Lowering[] = [
  {
    op: "Pad",
    types: { T: [...limited, "bool"], Tpaddings: indices },
    shapeInputs: [1],
    lower: (_, inputs, context) => pad(inputs, undefined, context),
  },
  {
    op: "PadV2",
    types: { T: [...limited, "bool"], Tpaddings: indices },
    shapeInputs: [1],
    lower: (_, inputs, context) => pad(inputs, inputAt(inputs, 2), context),
  },
];
