import type { DType } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { broadcastWeights, withCheckedWeights } from "../example-weights.js";
import { Graph } from "../graph.js";
import type { OpValue } from "../graph-op-builder.js";
import { Output } from "../operation.js";
import { identity, onesLike, size, zerosLike } from "../ops/array.js";
import { toTensor } from "../ops/common.js";
import { cast, divideNoNan, equal, multiply, reduceSum, where } from "../ops/math.js";
import { GraphKeys } from "../ops/state.js";

/** How the losses of single values become one number. */
export const Reduction = {
  /** They do not: the weighted losses in their own shape. */
  NONE: "none",
  SUM: "weighted_sum",
  /** The sum, divided by the number of losses. */
  SUM_OVER_BATCH_SIZE: "weighted_sum_over_batch_size",
  /** The sum, divided by the sum of the weights. */
  MEAN: "weighted_mean",
  /** The sum, divided by the number of losses whose weight is not 0. */
  SUM_BY_NONZERO_WEIGHTS: "weighted_sum_by_nonzero_weights",
  SUM_OVER_NONZERO_WEIGHTS: "weighted_sum_by_nonzero_weights",
} as const;
export type Reduction = (typeof Reduction)[keyof typeof Reduction];

export interface LossOptions {
  /**
   * The factor of each loss, 1 unless given: a scalar, or a tensor with the dimensions of the losses, each of
   * the same size or 1. A weight of 0 leaves a loss out.
   */
  readonly weights?: OpValue | undefined;
  /** The name scope of the nodes; defaults to the name of the loss. */
  readonly scope?: string | undefined;
  /** The collection that the loss is added to, "losses" unless given; null: none. */
  readonly lossCollection?: string | null | undefined;
  /** Defaults to `Reduction.SUM_BY_NONZERO_WEIGHTS`. */
  readonly reduction?: Reduction | undefined;
}

/**
 * The losses of single values, weighted and reduced.
 * @returns a scalar, except with `Reduction.NONE`; of the dtype of the losses
 * @throws TensorFlowError INVALID_ARGUMENT if the weights do not suit the losses
 */
export function computeWeightedLoss(losses: Output, options: LossOptions = {}): Output {
  const { reduction = Reduction.SUM_BY_NONZERO_WEIGHTS, scope = "weighted_loss" } = options;
  const graph = Graph.of(losses);
  return graph.withNameScope(scope, () => {
    const weights = floats(graph, options.weights ?? 1, "weights");
    return withCheckedWeights(weights, losses, () => {
      const sums = reduced(cast(losses, "float32"), weights, options.weights ?? 1, reduction);
      const loss = cast(sums, losses.dtype as DType);
      addLoss(loss, options.lossCollection);
      return loss;
    });
  });
}

/** A value as float32, which losses are computed in. */
export function floats(graph: Graph, value: OpValue, name: string): Output {
  return cast(toTensor(graph, value, name, "float32"), "float32");
}

function reduced(losses: Output, weights: Output, given: OpValue, reduction: Reduction): Output {
  const weighted = multiply(losses, weights);
  if (reduction === Reduction.NONE) return weighted;
  const sum = reduceSum(weighted);
  if (reduction === Reduction.SUM) return sum;
  const mean = (count: Output) => divideNoNan(sum, count, { name: "value" });
  if (reduction === Reduction.MEAN)
    return mean(reduceSum(multiply(onesLike(losses), weights, { name: "mul" })));
  if (reduction === Reduction.SUM_OVER_BATCH_SIZE) return mean(countOf(losses));
  return mean(typeof given === "number" && given !== 0 ? countOf(losses) : presentOf(losses, weights));
}

function countOf(losses: Output): Output {
  return Graph.of(losses).withNameScope("num_elements", (scope) =>
    cast(size(losses, { name: scope }), "float32"),
  );
}

/** How many losses have a weight that is not 0. */
function presentOf(losses: Output, weights: Output): Output {
  return Graph.of(losses).withNameScope("num_present", (scope) =>
    reduceSum(presentIn(losses, weights), undefined, { name: scope }),
  );
}

/** 1 for each loss whose weight is not 0, and 0 for the others. */
export function presentIn(losses: Output, weights: Output): Output {
  const present = where(equal(weights, 0), zerosLike(weights), onesLike(weights));
  return broadcastWeights(present, losses);
}

/** Adds a loss that was computed otherwise to those of which `getTotalLoss` is the sum. */
export function addLoss(loss: Output, lossCollection: string | null = GraphKeys.LOSSES): void {
  if (lossCollection !== null) Graph.of(loss).addToCollection(lossCollection, loss);
}

/** The losses of a graph; with a scope, those whose names begin with it. */
export function getLosses(
  graph: Graph,
  scope = "",
  lossCollection: string = GraphKeys.LOSSES,
): readonly Output[] {
  return graph
    .collection(lossCollection)
    .filter((item) => item instanceof Output)
    .filter(({ name }) => name.startsWith(scope));
}

export interface TotalLossOptions {
  /** Whether losses in the collection "regularization_losses" are added, too; defaults to true. */
  readonly addRegularizationLosses?: boolean | undefined;
  /** Defaults to "total_loss". */
  readonly name?: string | undefined;
  /** Only losses whose names begin with it. */
  readonly scope?: string | undefined;
}

/** The sum of all losses of a graph. @throws TensorFlowError INVALID_ARGUMENT if it has none */
export function getTotalLoss(graph: Graph, options: TotalLossOptions = {}): Output {
  const { addRegularizationLosses = true, name = "total_loss", scope } = options;
  const regularization = addRegularizationLosses
    ? getLosses(graph, scope, GraphKeys.REGULARIZATION_LOSSES)
    : [];
  const losses = [...getLosses(graph, scope), ...regularization];
  const [first] = losses;
  if (!first) {
    throw invalidArgument(
      `There is no loss${scope ? ` whose name begins with "${scope}"` : ""}. Functions of losses add theirs; addLoss adds another.`,
    );
  }
  return losses.length === 1 ? identity(first, { name }) : graph.op("AddN", [losses], {}, name).output;
}
