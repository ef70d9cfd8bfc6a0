/** Ops that combine elements along dimensions. */
import { type Attrs, custom, type GradientCase, op, zerosOf } from "./case.js";

const REDUCED: readonly Attrs[] = [{ keep_dims: false }, { keep_dims: true }];

export const REDUCTIONS: readonly GradientCase[] = [
  ...["Sum", "Mean", "Max", "Min", "Prod", "EuclideanNorm"].flatMap((type) =>
    REDUCED.flatMap((attrs) => [
      op(type, [[2, 3, 4]], attrs, [[1]]),
      op(type, [[2, 3, 4]], attrs, [[0, -1]]),
      op(type, [[3]], attrs, [0]),
    ]),
  ),
  ...["Sum", "Mean", "Max"].map((type) =>
    custom(`${type} of a shape known only in a run`, [[2, 3]], (graph, [x]) => {
      const any = graph.op("PlaceholderWithDefault", [x ?? 0], { shape: "unknown rank" }).output;
      return graph.op(type, [any, [-1]]).output;
    }),
  ),
  op("L2Loss", [[2, 3]]),
  ...[false, true].map((reverse) => op("NthElement", [[2, 5]], { reverse }, [1])),
  custom(
    "NthElement of equal elements",
    [[5]],
    (graph, [x]) => graph.op("NthElement", [zerosOf(graph, x), 2]).output,
    { notSmooth: true },
  ),
  ...[false, true].flatMap((exclusive) =>
    [false, true].flatMap((reverse) => [
      // An exclusive sum begins with the logarithm of 0.
      op("CumulativeLogsumexp", [[2, 4]], { exclusive, reverse }, [1], { notSmooth: exclusive }),
      op("Cumsum", [[2, 3]], { exclusive, reverse }, [1]),
      op("Cumprod", [[2, 3]], { exclusive, reverse }, [1], { range: [0.3, 2] }),
    ]),
  ),
];
