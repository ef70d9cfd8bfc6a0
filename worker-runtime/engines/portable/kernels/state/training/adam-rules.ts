import { denseForms, type Segment, slotOf, type UpdateRule } from "./update-rule.js";

/**
 * Adam and its relatives. Formulas: Kingma & Ba, arXiv:1412.6980, in the form of TensorFlow's
 * core/kernels/training_ops.cc, where epsilon is the paper's epsilon hat.
 */
export const adamRules: readonly UpdateRule[] = [
  {
    op: "ApplyAdam",
    forms: denseForms,
    slots: ["m", "v"],
    gradient: "grad",
    scalars: ["beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"],
    prepare: (scalar, node) => {
      const [beta1, beta2, epsilon] = [scalar("beta1"), scalar("beta2"), scalar("epsilon")];
      const alpha = learningRate(scalar);
      return node.bool("use_nesterov")
        ? nesterovAdam(alpha, beta1, beta2, epsilon)
        : plainAdam(alpha, beta1, beta2, epsilon);
    },
  },
  {
    op: "ApplyAdamWithAmsgrad",
    forms: ["ResourceApply"],
    slots: ["m", "v", "vhat"],
    gradient: "grad",
    scalars: ["beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"],
    prepare: (scalar) => {
      const [beta1, beta2, epsilon] = [scalar("beta1"), scalar("beta2"), scalar("epsilon")];
      const alpha = learningRate(scalar);
      return (segment) => {
        const { variable, at, gradient, from, length } = segment;
        const [m, v, vhat] = [slotOf(segment, 0), slotOf(segment, 1), slotOf(segment, 2)];
        for (let i = 0; i < length; i += 1) {
          const g = gradient[from + i] as number;
          m[at + i] = (m[at + i] as number) + (g - (m[at + i] as number)) * (1 - beta1);
          v[at + i] = (v[at + i] as number) + (g * g - (v[at + i] as number)) * (1 - beta2);
          vhat[at + i] = Math.max(vhat[at + i] as number, v[at + i] as number);
          const step = ((m[at + i] as number) * alpha) / (Math.sqrt(vhat[at + i] as number) + epsilon);
          variable[at + i] = (variable[at + i] as number) - step;
        }
      };
    },
  },
  {
    op: "ApplyAdaMax",
    forms: denseForms,
    slots: ["m", "v"],
    gradient: "grad",
    scalars: ["beta1_power", "lr", "beta1", "beta2", "epsilon"],
    prepare: (scalar) => {
      const [beta1, beta2, epsilon] = [scalar("beta1"), scalar("beta2"), scalar("epsilon")];
      const alpha = scalar("lr") / (1 - scalar("beta1_power"));
      return (segment) => {
        const { variable, at, gradient, from, length } = segment;
        const [m, v] = [slotOf(segment, 0), slotOf(segment, 1)];
        for (let i = 0; i < length; i += 1) {
          const g = gradient[from + i] as number;
          m[at + i] = (m[at + i] as number) + (g - (m[at + i] as number)) * (1 - beta1);
          v[at + i] = Math.max((v[at + i] as number) * beta2, Math.abs(g));
          const step = alpha * ((m[at + i] as number) / ((v[at + i] as number) + epsilon));
          variable[at + i] = (variable[at + i] as number) - step;
        }
      };
    },
  },
];

/** The learning rate with the bias correction of both moments. */
function learningRate(scalar: (name: string) => number): number {
  return (scalar("lr") * Math.sqrt(1 - scalar("beta2_power"))) / (1 - scalar("beta1_power"));
}

function plainAdam(alpha: number, beta1: number, beta2: number, epsilon: number) {
  return (segment: Segment): void => {
    const { variable, at, gradient, from, length } = segment;
    const [m, v] = [slotOf(segment, 0), slotOf(segment, 1)];
    for (let i = 0; i < length; i += 1) {
      const g = gradient[from + i] as number;
      m[at + i] = (m[at + i] as number) + (g - (m[at + i] as number)) * (1 - beta1);
      v[at + i] = (v[at + i] as number) + (g * g - (v[at + i] as number)) * (1 - beta2);
      const step = ((m[at + i] as number) * alpha) / (Math.sqrt(v[at + i] as number) + epsilon);
      variable[at + i] = (variable[at + i] as number) - step;
    }
  };
}

function nesterovAdam(alpha: number, beta1: number, beta2: number, epsilon: number) {
  return (segment: Segment): void => {
    const { variable, at, gradient, from, length } = segment;
    const [m, v] = [slotOf(segment, 0), slotOf(segment, 1)];
    for (let i = 0; i < length; i += 1) {
      const g = gradient[from + i] as number;
      m[at + i] = (m[at + i] as number) + (g - (m[at + i] as number)) * (1 - beta1);
      v[at + i] = (v[at + i] as number) + (g * g - (v[at + i] as number)) * (1 - beta2);
      const ahead = g * (1 - beta1) + beta1 * (m[at + i] as number);
      const step = (ahead * alpha) / (Math.sqrt(v[at + i] as number) + epsilon);
      variable[at + i] = (variable[at + i] as number) - step;
    }
  };
}
