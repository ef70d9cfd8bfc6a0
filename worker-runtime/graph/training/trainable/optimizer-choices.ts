/** The optimizers with their numbers, as a form offers them. */
import type { LayerField, LayerValues } from "../../layers/layer.js";
import type { Optimizer } from "../optimizer.js";
import {
  AdagradOptimizer,
  AdamOptimizer,
  AdamWOptimizer,
  FtrlOptimizer,
  GradientDescentOptimizer,
  MomentumOptimizer,
  RMSPropOptimizer,
} from "../optimizers.js";

export interface OptimizerChoice {
  /** As in tf.compat.v1.train, without "Optimizer". */
  readonly name: string;
  readonly fields: readonly LayerField[];
  make(values: LayerValues): Optimizer;
}

const number = (name: string, label: string, initial: number, max = Number.MAX_VALUE): LayerField => ({
  ...{ name, label, kind: "number", initial, min: 0, max },
});
const rate = (initial: number) => number("learningRate", "Learning rate", initial);
const epsilon = (initial: number) => number("epsilon", "Epsilon", initial);
const BETAS = [number("beta1", "Beta 1", 0.9, 1), number("beta2", "Beta 2", 0.999, 1)];

const of = (values: LayerValues, name: string): number => Number(values[name]);
const adamOptions = (values: LayerValues) => ({
  ...{ beta1: of(values, "beta1"), beta2: of(values, "beta2"), epsilon: of(values, "epsilon") },
});

/** In the order in which they are offered, with TensorFlow's defaults. */
export const OPTIMIZERS: readonly OptimizerChoice[] = [
  {
    name: "GradientDescent",
    fields: [rate(0.01)],
    make: (values) => new GradientDescentOptimizer(of(values, "learningRate")),
  },
  {
    name: "Momentum",
    fields: [
      rate(0.01),
      number("momentum", "Momentum", 0.9),
      { name: "nesterov", label: "Nesterov", kind: "flag", initial: false },
    ],
    make: (values) =>
      new MomentumOptimizer(of(values, "learningRate"), of(values, "momentum"), {
        useNesterov: values.nesterov === true,
      }),
  },
  {
    name: "Adam",
    fields: [rate(0.001), ...BETAS, epsilon(1e-8)],
    make: (values) => new AdamOptimizer(of(values, "learningRate"), adamOptions(values)),
  },
  {
    name: "AdamW",
    fields: [rate(0.001), number("weightDecay", "Weight decay", 0.004), ...BETAS, epsilon(1e-8)],
    make: (values) =>
      new AdamWOptimizer(of(values, "learningRate"), {
        ...adamOptions(values),
        weightDecay: of(values, "weightDecay"),
      }),
  },
  {
    name: "Adagrad",
    fields: [rate(0.01), number("initialAccumulatorValue", "First accumulator", 0.1)],
    make: (values) =>
      new AdagradOptimizer(of(values, "learningRate"), {
        initialAccumulatorValue: of(values, "initialAccumulatorValue"),
      }),
  },
  {
    name: "RMSProp",
    fields: [
      rate(0.001),
      number("decay", "Decay", 0.9, 1),
      number("momentum", "Momentum", 0),
      epsilon(1e-10),
      { name: "centered", label: "Centered", kind: "flag", initial: false },
    ],
    make: (values) =>
      new RMSPropOptimizer(of(values, "learningRate"), {
        ...{ decay: of(values, "decay"), momentum: of(values, "momentum"), epsilon: of(values, "epsilon") },
        centered: values.centered === true,
      }),
  },
  {
    name: "Ftrl",
    fields: [rate(0.01), number("l1", "L1 strength", 0), number("l2", "L2 strength", 0)],
    make: (values) =>
      new FtrlOptimizer(of(values, "learningRate"), {
        l1RegularizationStrength: of(values, "l1"),
        l2RegularizationStrength: of(values, "l2"),
      }),
  },
];
