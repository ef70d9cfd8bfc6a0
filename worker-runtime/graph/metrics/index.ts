export {
  accuracy,
  type Metric,
  type MetricOptions,
  mean,
  meanSquaredError,
  precision,
  recall,
} from "./metrics.js";
