/** One update of an optimizer, with the values of its arguments. */
export interface OptimizerUpdate {
  /** Without "Apply": "Adam". */
  readonly name: string;
  /** Initial values of the variable and its slots. */
  readonly state: readonly number[];
  /** The arguments after the variables; "grad" and "indices" and "step" stand for those. */
  readonly args: readonly (number | "grad" | "indices" | "step")[];
  /** The same for the sparse form; without it there is none. */
  readonly sparse?: readonly (number | "grad" | "indices" | "step")[];
  readonly attrs?: Readonly<Record<string, boolean>>;
  readonly forms?: "resource";
}

const adam = [0.729, 0.9, 0.01, 0.9, 0.99, 1e-7, "grad"] as const;

/** Every rule, with each of the attributes that change it. */
export const optimizerUpdates: readonly OptimizerUpdate[] = [
  { name: "GradientDescent", state: [1], args: [0.1, "grad"] },
  {
    name: "ProximalGradientDescent",
    state: [1],
    args: [0.1, 0.2, 0.3, "grad"],
    sparse: [0.1, 0.2, 0.3, "grad", "indices"],
  },
  {
    name: "Momentum",
    state: [1, 0.5],
    args: [0.1, "grad", 0.9],
    sparse: [0.1, "grad", "indices", 0.9],
    attrs: { use_nesterov: false },
  },
  {
    name: "Momentum",
    state: [1, 0.5],
    args: [0.1, "grad", 0.9],
    sparse: [0.1, "grad", "indices", 0.9],
    attrs: { use_nesterov: true },
  },
  {
    name: "KerasMomentum",
    state: [1, 0.5],
    args: [0.1, "grad", 0.9],
    sparse: [0.1, "grad", "indices", 0.9],
    attrs: { use_nesterov: true },
    forms: "resource",
  },
  {
    name: "KerasMomentum",
    state: [1, 0.5],
    args: [0.1, "grad", 0.9],
    sparse: [0.1, "grad", "indices", 0.9],
    forms: "resource",
  },
  { name: "Adam", state: [1, 0.1, 0.2], args: adam },
  { name: "Adam", state: [1, 0.1, 0.2], args: adam, attrs: { use_nesterov: true } },
  { name: "AdamWithAmsgrad", state: [1, 0.1, 0.2, 0.3], args: adam, forms: "resource" },
  { name: "AdaMax", state: [1, 0.1, 0.2], args: [0.9, 0.01, 0.9, 0.99, 1e-7, "grad"] },
  { name: "Adagrad", state: [1, 0.1], args: [0.1, "grad"], sparse: [0.1, "grad", "indices"] },
  {
    name: "Adagrad",
    state: [1, 0.1],
    args: [0.1, "grad"],
    sparse: [0.1, "grad", "indices"],
    attrs: { update_slots: false },
  },
  { name: "AdagradV2", state: [1, 0.1], args: [0.1, 1e-3, "grad"], sparse: [0.1, 1e-3, "grad", "indices"] },
  {
    name: "ProximalAdagrad",
    state: [1, 0.1],
    args: [0.1, 0.2, 0.3, "grad"],
    sparse: [0.1, 0.2, 0.3, "grad", "indices"],
  },
  {
    name: "AdagradDA",
    state: [1, 0.1, 0.2],
    args: ["grad", 0.1, 0.2, 0.3, "step"],
    sparse: ["grad", "indices", 0.1, 0.2, 0.3, "step"],
  },
  {
    name: "Adadelta",
    state: [1, 0.1, 0.2],
    args: [0.1, 0.9, 1e-3, "grad"],
    sparse: [0.1, 0.9, 1e-3, "grad", "indices"],
  },
  {
    name: "RMSProp",
    state: [1, 0.1, 0.2],
    args: [0.1, 0.9, 0.5, 1e-3, "grad"],
    sparse: [0.1, 0.9, 0.5, 1e-3, "grad", "indices"],
  },
  {
    name: "CenteredRMSProp",
    state: [1, 0.1, 5, 0.2],
    args: [0.1, 0.9, 0.5, 1e-3, "grad"],
    sparse: [0.1, 0.9, 0.5, 1e-3, "grad", "indices"],
  },
  {
    name: "Ftrl",
    state: [1, 0.1, 0.2],
    args: ["grad", 0.1, 0.2, 0.3, -0.5],
    sparse: ["grad", "indices", 0.1, 0.2, 0.3, -0.5],
  },
  {
    name: "Ftrl",
    state: [1, 0.1, 0.2],
    args: ["grad", 0.1, 0.2, 0.3, -0.7],
    attrs: { multiply_linear_by_lr: true },
  },
  {
    name: "FtrlV2",
    state: [1, 0.1, 0.2],
    args: ["grad", 0.1, 0.2, 0.3, 0.4, -0.5],
    sparse: ["grad", "indices", 0.1, 0.2, 0.3, 0.4, -0.5],
  },
  { name: "AddSign", state: [1, 0.1], args: [0.1, 1, 0.9, 0.8, "grad"] },
  { name: "PowerSign", state: [1, 0.1], args: [0.1, 1, 0.9, 0.8, "grad"] },
];
