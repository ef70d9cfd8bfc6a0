/** The layers of tf.compat.v1.layers: functions of a tensor, whose variables have TensorFlow's names. */
export type { LayerOptions } from "./layer-scope.js";
export * from "./layers.js";
