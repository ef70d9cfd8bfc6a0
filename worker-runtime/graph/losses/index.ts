/** The losses of tf.compat.v1.losses as scalars, in a collection of which `getTotalLoss` is the sum. */
export * from "./losses.js";
export {
  addLoss,
  computeWeightedLoss,
  getLosses,
  getTotalLoss,
  type LossOptions,
  Reduction,
  type TotalLossOptions,
} from "./weighted-loss.js";
