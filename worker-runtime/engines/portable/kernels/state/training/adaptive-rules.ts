import { shrink } from "./descent-rules.js";
import { allForms, type Segment, slotOf, type UpdateRule } from "./update-rule.js";

/**
 * Rules with a per-element learning rate derived from the squares of past gradients: Adagrad, Adadelta, RMSProp.
 * Formulas: the functors of TensorFlow's core/kernels/training_ops.cc.
 */
export const adaptiveRules: readonly UpdateRule[] = [
  {
    op: "ApplyAdagrad",
    forms: allForms,
    slots: ["accum"],
    gradient: "grad",
    scalars: ["lr"],
    prepare: (scalar, node) => adagrad(scalar("lr"), 0, node.bool("update_slots")),
  },
  {
    op: "ApplyAdagradV2",
    forms: allForms,
    slots: ["accum"],
    gradient: "grad",
    scalars: ["lr", "epsilon"],
    prepare: (scalar, node) => adagrad(scalar("lr"), scalar("epsilon"), node.bool("update_slots")),
  },
  {
    op: "ApplyProximalAdagrad",
    forms: allForms,
    checksRowByRow: true,
    slots: ["accum"],
    gradient: "grad",
    scalars: ["lr", "l1", "l2"],
    prepare: (scalar) => {
      const [lr, l1, l2] = [scalar("lr"), scalar("l1"), scalar("l2")];
      return (segment) => {
        const { variable, at, gradient, from, length } = segment;
        const accum = slotOf(segment, 0);
        for (let i = 0; i < length; i += 1) {
          const g = gradient[from + i] as number;
          accum[at + i] = (accum[at + i] as number) + g * g;
          const rate = lr / Math.sqrt(accum[at + i] as number);
          variable[at + i] = shrink((variable[at + i] as number) - g * rate, rate, l1, l2);
        }
      };
    },
  },
  {
    op: "ApplyAdagradDA",
    forms: allForms,
    checksRowByRow: true,
    slots: ["gradient_accumulator", "gradient_squared_accumulator"],
    gradient: "grad",
    scalars: ["lr", "l1", "l2", "global_step"],
    prepare: (scalar) => {
      const [lr, l1, l2, step] = [scalar("lr"), scalar("l1"), scalar("l2"), scalar("global_step")];
      return (segment) => {
        const { variable, at, gradient, from, length } = segment;
        const [sum, squares] = [slotOf(segment, 0), slotOf(segment, 1)];
        for (let i = 0; i < length; i += 1) {
          const g = gradient[from + i] as number;
          sum[at + i] = (sum[at + i] as number) + g;
          squares[at + i] = (squares[at + i] as number) + g * g;
          const total = sum[at + i] as number;
          const kept = l1 > 0 ? Math.sign(total) * Math.max(Math.abs(total) - step * l1, 0) : total;
          variable[at + i] = (-lr * kept) / (l2 * step * lr + Math.sqrt(squares[at + i] as number));
        }
      };
    },
  },
  {
    op: "ApplyAdadelta",
    forms: allForms,
    slots: ["accum", "accum_update"],
    gradient: "grad",
    scalars: ["lr", "rho", "epsilon"],
    prepare: (scalar) => {
      const [lr, rho, epsilon] = [scalar("lr"), scalar("rho"), scalar("epsilon")];
      return (segment) => {
        const { variable, at, gradient, from, length } = segment;
        const [accum, accumUpdate] = [slotOf(segment, 0), slotOf(segment, 1)];
        for (let i = 0; i < length; i += 1) {
          const g = gradient[from + i] as number;
          const before = accumUpdate[at + i] as number;
          accum[at + i] = (accum[at + i] as number) * rho + g * g * (1 - rho);
          const update = (Math.sqrt(before + epsilon) / Math.sqrt((accum[at + i] as number) + epsilon)) * g;
          variable[at + i] = (variable[at + i] as number) - update * lr;
          accumUpdate[at + i] = before * rho + update * update * (1 - rho);
        }
      };
    },
  },
  {
    op: "ApplyRMSProp",
    forms: allForms,
    slots: ["ms", "mom"],
    gradient: "grad",
    scalars: ["lr", "rho", "momentum", "epsilon"],
    prepare: (scalar) => {
      const [lr, rho, momentum, epsilon] = rmsScalars(scalar);
      return (segment) => {
        const { variable, at, gradient, from, length } = segment;
        const [ms, mom] = [slotOf(segment, 0), slotOf(segment, 1)];
        for (let i = 0; i < length; i += 1) {
          const g = gradient[from + i] as number;
          ms[at + i] = (ms[at + i] as number) + (g * g - (ms[at + i] as number)) * (1 - rho);
          mom[at + i] =
            (mom[at + i] as number) * momentum + (g * lr) / Math.sqrt(epsilon + (ms[at + i] as number));
          variable[at + i] = (variable[at + i] as number) - (mom[at + i] as number);
        }
      };
    },
  },
  {
    op: "ApplyCenteredRMSProp",
    forms: allForms,
    slots: ["mg", "ms", "mom"],
    gradient: "grad",
    scalars: ["lr", "rho", "momentum", "epsilon"],
    prepare: (scalar) => {
      const [lr, rho, momentum, epsilon] = rmsScalars(scalar);
      return (segment) => {
        const { variable, at, gradient, from, length } = segment;
        const [mg, ms, mom] = [slotOf(segment, 0), slotOf(segment, 1), slotOf(segment, 2)];
        for (let i = 0; i < length; i += 1) {
          const g = gradient[from + i] as number;
          ms[at + i] = (ms[at + i] as number) + (g * g - (ms[at + i] as number)) * (1 - rho);
          mg[at + i] = (mg[at + i] as number) + (g - (mg[at + i] as number)) * (1 - rho);
          const mean = mg[at + i] as number;
          const variance = (ms[at + i] as number) - mean * mean + epsilon;
          mom[at + i] = (mom[at + i] as number) * momentum + (g * lr) / Math.sqrt(variance);
          variable[at + i] = (variable[at + i] as number) - (mom[at + i] as number);
        }
      };
    },
  },
];

function rmsScalars(scalar: (name: string) => number): readonly [number, number, number, number] {
  return [scalar("lr"), scalar("rho"), scalar("momentum"), scalar("epsilon")];
}

function adagrad(lr: number, epsilon: number, updateSlots: boolean): (segment: Segment) => void {
  return (segment) => {
    const { variable, at, gradient, from, length } = segment;
    const accum = slotOf(segment, 0);
    for (let i = 0; i < length; i += 1) {
      const g = gradient[from + i] as number;
      if (updateSlots) {
        accum[at + i] = (accum[at + i] as number) + g * g;
      }
      const step = (g * lr) / (Math.sqrt(accum[at + i] as number) + epsilon);
      variable[at + i] = (variable[at + i] as number) - step;
    }
  };
}
