import type { DType } from "../../../protocol/dtype.js";
import { isChannelsFirst } from "../kernels/nn/bias.js";
import { channelSums } from "./channel-sums.js";
import { accepts } from "./fits.js";
import { alongAxis } from "./layout.js";
import type { Lowering } from "./lowering.js";
import { convolved, placedGradient, products } from "./origins.js";

const types = { T: ["float32", "float64", "int32", "int64"] } as const satisfies Record<
  string,
  readonly DType[]
>;

function biasAdd(op: string): Lowering {
  return {
    op,
    types,
    fits: accepts(isChannelsFirst),
    lower: (node, [value, bias], { model, rank }) => {
      if (value === undefined || bias === undefined || rank(value) < 2 || rank(bias) !== 1) {
        return undefined;
      }
      const made = convolved.get(value);
      if (made?.withBias !== undefined && made.channelsFirst === isChannelsFirst(node)) {
        return [made.withBias(bias)];
      }
      const product = products.get(value);
      if (product !== undefined) {
        return [product.plus(bias)];
      }
      const axis = isChannelsFirst(node) ? 1 : rank(value) - 1;
      const addend = alongAxis(model, bias, rank(value), axis);
      return [model.node("Add", [value, addend], value.dtype)];
    },
  };
}

export const biasLowerings: readonly Lowering[] = [
  biasAdd("BiasAdd"),
  biasAdd("BiasAddV1"),
  {
    op: "BiasAddGrad",
    types,
    fits: accepts(isChannelsFirst),
    lower: (node, [gradient], { model, rank }) => {
      if (gradient === undefined || rank(gradient) < 2) {
        return undefined;
      }
      return isChannelsFirst(node)
        ? [channelSums(model, gradient, rank(gradient), 1)]
        : [
            channelSums(
              model,
              placedGradient(gradient)?.values ?? gradient,
              rank(gradient),
              rank(gradient) - 1,
            ),
          ];
    },
  },
];
