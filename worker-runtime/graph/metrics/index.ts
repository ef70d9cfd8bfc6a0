/** The metrics of tf.compat.v1.metrics: numbers that are gathered over many steps. */
export * from "./classes.js";
export {
  falseNegatives,
  falsePositives,
  precision,
  recall,
  trueNegatives,
  truePositives,
} from "./counts.js";
export * from "./means.js";
export type { Metric, MetricOptions } from "./metric.js";
export * from "./thresholds.js";
export * from "./top-k.js";
