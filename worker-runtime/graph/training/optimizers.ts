/** The optimizers of tf.compat.v1.train, with its defaults and formulas, by TensorFlow's own training ops. */
import { Tensor } from "../../protocol/tensor.js";
import type { Graph } from "../graph.js";
import type { Operation, Output } from "../operation.js";
import { group } from "../ops/control-flow.js";
import { assign, variable } from "../ops/state.js";
import type { Variable } from "../variable.js";
import { type Hyperparameter, Optimizer, type SlotSpec, type Update } from "./optimizer.js";

interface Named {
  /** The name of the training operation, which is also in the names of the slots. */
  readonly name?: string | undefined;
}

/** Adds rows to rows of a variable. */
function scatterAdd(update: Update, indices: Output, rows: Output): Operation {
  const { graph, variable: of } = update;
  const type = of.kind === "resource" ? "ResourceScatterAdd" : "ScatterAdd";
  return graph.op(type, [of.handle, indices, rows]);
}

/** variable -= learningRate · gradient */
export class GradientDescentOptimizer extends Optimizer {
  protected readonly slotSpecs: readonly SlotSpec[] = [];

  constructor(learningRate: Hyperparameter, { name = "GradientDescent" }: Named = {}) {
    super(name, { learning_rate: learningRate });
  }

  protected applyDense(update: Update, gradient: Output): Operation {
    const inputs = [update.variable.handle, update.scalar("learning_rate"), gradient];
    return update.update("ApplyGradientDescent", inputs);
  }

  protected applySparse(update: Update, values: Output, indices: Output): Operation {
    const { graph } = update;
    const step = graph.op("Neg", [graph.op("Mul", [values, update.scalar("learning_rate")])]).output;
    return scatterAdd(update, indices, step);
  }
}

export interface MomentumOptions extends Named {
  /** Evaluates the gradient where the momentum leads; defaults to false. */
  readonly useNesterov?: boolean | undefined;
}

/** accumulator = momentum · accumulator + gradient; variable -= learningRate · accumulator */
export class MomentumOptimizer extends Optimizer {
  protected readonly slotSpecs = [{ slot: "momentum", initial: 0 }];
  readonly #attrs: { readonly use_nesterov: boolean };

  constructor(learningRate: Hyperparameter, momentum: Hyperparameter, options: MomentumOptions = {}) {
    super(options.name ?? "Momentum", { learning_rate: learningRate, momentum });
    this.#attrs = { use_nesterov: options.useNesterov ?? false };
  }

  #inputs(update: Update, ...gradient: readonly Output[]): readonly Output[] {
    const { variable: of } = update;
    return [
      of.handle,
      update.slot("momentum"),
      update.scalar("learning_rate"),
      ...gradient,
      update.scalar("momentum"),
    ];
  }

  protected applyDense(update: Update, gradient: Output): Operation {
    return update.update("ApplyMomentum", this.#inputs(update, gradient), this.#attrs);
  }

  protected applySparse(update: Update, values: Output, indices: Output): Operation {
    return update.update("SparseApplyMomentum", this.#inputs(update, values, indices), this.#attrs);
  }
}

export interface AdamOptions extends Named {
  /** Defaults to 0.9. */
  readonly beta1?: number | undefined;
  /** Defaults to 0.999. */
  readonly beta2?: number | undefined;
  /** Defaults to 1e-8. */
  readonly epsilon?: number | undefined;
}

/** Steps by the mean of the gradients, divided by the root of the mean of their squares. */
export class AdamOptimizer extends Optimizer {
  protected readonly slotSpecs = [
    { slot: "m", initial: 0 },
    { slot: "v", initial: 0 },
  ];
  readonly #beta1: number;
  readonly #beta2: number;
  #powers: readonly [Variable, Variable] | undefined;

  constructor(learningRate: Hyperparameter = 0.001, options: AdamOptions & { readonly decay?: number } = {}) {
    const { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0 } = options;
    super(options.name ?? "Adam", { learning_rate: learningRate, beta1, beta2, epsilon, decay });
    this.#beta1 = beta1;
    this.#beta2 = beta2;
  }

  override variables(): readonly Variable[] {
    return [...super.variables(), ...(this.#powers ?? [])];
  }

  protected override createOwn(graph: Graph, variables: readonly Variable[]): void {
    // On one of the variables' devices, always the same whatever their order.
    const [first] = [...variables].sort((a, b) => (a.name < b.name ? -1 : 1));
    if (this.#powers || !first) return;
    const power = (name: string, beta: number) => {
      const make = () => graph.op("Identity", [Tensor.of(beta, "float32")]).output;
      const initial = { shape: [], dtype: "float32" as const, make };
      return graph.withColocation(first.handle, () =>
        variable(graph, initial, { name, kind: first.kind, trainable: false }),
      );
    };
    this.#powers = [power("beta1_power", this.#beta1), power("beta2_power", this.#beta2)];
  }

  #power(update: Update, which: 0 | 1): Output {
    const value = this.#powers?.[which].value;
    if (!value) throw new Error("The powers are created before the updates.");
    const { dtype } = update.variable;
    return dtype === value.dtype ? value : update.graph.op("Cast", [value], { DstT: dtype }).output;
  }

  protected applyDense(update: Update, gradient: Output): Operation {
    return update.update("ApplyAdam", [
      update.variable.handle,
      update.slot("m"),
      update.slot("v"),
      this.#power(update, 0),
      this.#power(update, 1),
      ...["learning_rate", "beta1", "beta2", "epsilon"].map(update.scalar),
      gradient,
    ]);
  }

  /** All rows move, also those without a gradient: their means fade as those of the others. */
  protected applySparse(update: Update, values: Output, indices: Output): Operation {
    const { graph, variable: of } = update;
    const call = (type: string, inputs: readonly (Output | number)[]) => graph.op(type, inputs).output;
    const correction = call("RealDiv", [
      call("Sqrt", [call("Sub", [1, this.#power(update, 1)])]),
      call("Sub", [1, this.#power(update, 0)]),
    ]);
    const rate = call("Mul", [update.scalar("learning_rate"), correction]);
    const mean = (slot: "m" | "v", beta: string, added: Output) => {
      const handle = update.slot(slot);
      const kept = slotOf(this, of, slot);
      const faded = assign(kept, call("Mul", [kept.value, update.scalar(beta)]));
      const share = call("Mul", [added, call("Sub", [1, update.scalar(beta)])]);
      return graph.withControlDependencies([faded], () => {
        if (of.kind === "reference") return graph.op("ScatterAdd", [handle, indices, share]).output;
        const scattered = graph.op("ResourceScatterAdd", [handle, indices, share]);
        return graph.withControlDependencies(
          [scattered],
          () => graph.op("ReadVariableOp", [handle], { dtype: of.dtype }).output,
        );
      });
    };
    const m = mean("m", "beta1", values);
    const v = mean("v", "beta2", call("Square", [values]));
    const step = call("RealDiv", [
      call("Mul", [rate, m]),
      call("AddV2", [call("Sqrt", [v]), update.scalar("epsilon")]),
    ]);
    const moved =
      of.kind === "resource"
        ? graph.op("AssignSubVariableOp", [of.handle, step])
        : graph.op("AssignSub", [of.handle, step]);
    return group(graph, [moved, m, v]);
  }

  protected override finish(graph: Graph, updates: readonly Operation[]): readonly Operation[] {
    const powers = this.#powers;
    if (!powers) return updates;
    const next = graph.withControlDependencies(updates, () =>
      powers.map((power, i) =>
        graph.withColocation(power.handle, () => {
          const beta = this.hyperparameter(graph, i === 0 ? "beta1" : "beta2", "float32");
          return assign(power, graph.op("Mul", [power.value, beta]).output).op;
        }),
      ),
    );
    return [...updates, ...next];
  }
}

function slotOf(optimizer: Optimizer, of: Variable, name: string): Variable {
  const slot = optimizer.getSlot(of, name);
  if (!slot) throw new Error("Slots are created before the updates.");
  return slot;
}

export interface AdamWOptions extends AdamOptions {
  /** The part of each weight that a step takes away, times the learning rate; defaults to 0.004. */
  readonly weightDecay?: number | undefined;
}

/** Adam with weights that decay by themselves, independently of the gradients. */
export class AdamWOptimizer extends AdamOptimizer {
  constructor(learningRate: Hyperparameter = 0.001, options: AdamWOptions = {}) {
    super(learningRate, { name: "AdamW", ...options, decay: options.weightDecay ?? 0.004 });
  }

  /** The update runs after the decay. */
  #decayed(update: Update, apply: () => Operation): Operation {
    const { graph, variable: of } = update;
    const read = () =>
      of.kind === "resource"
        ? graph.op("ReadVariableOp", [of.handle], { dtype: of.dtype }).output
        : graph.op("Identity", [of.handle]).output;
    const share = graph.op("Mul", [update.scalar("learning_rate"), update.scalar("decay")]);
    const lost = graph.op("Mul", [read(), share]).output;
    const decayed =
      of.kind === "resource"
        ? graph.op("AssignSubVariableOp", [of.handle, lost])
        : graph.op("AssignSub", [of.handle, lost]);
    return graph.withControlDependencies([decayed], apply);
  }

  protected override applyDense(update: Update, gradient: Output): Operation {
    return afterGradient(update, gradient, () =>
      this.#decayed(update, () => super.applyDense(update, gradient)),
    );
  }

  protected override applySparse(update: Update, values: Output, indices: Output): Operation {
    return afterGradient(update, values, () =>
      this.#decayed(update, () => super.applySparse(update, values, indices)),
    );
  }
}

/** A node that changes a variable must not run before the gradients have read it. */
function afterGradient(update: Update, gradient: Output, make: () => Operation): Operation {
  return update.graph.withControlDependencies([gradient], make);
}

export interface AdagradOptions extends Named {
  /** Defaults to 0.1. */
  readonly initialAccumulatorValue?: number | undefined;
}

/** accumulator += gradient²; variable -= learningRate · gradient / √accumulator */
export class AdagradOptimizer extends Optimizer {
  protected readonly slotSpecs: readonly SlotSpec[];

  constructor(learningRate: Hyperparameter, options: AdagradOptions = {}) {
    super(options.name ?? "Adagrad", { learning_rate: learningRate });
    this.slotSpecs = [{ slot: "accumulator", initial: options.initialAccumulatorValue ?? 0.1 }];
  }

  #inputs(update: Update, ...gradient: readonly Output[]): readonly Output[] {
    return [update.variable.handle, update.slot("accumulator"), update.scalar("learning_rate"), ...gradient];
  }

  protected applyDense(update: Update, gradient: Output): Operation {
    return update.update("ApplyAdagrad", this.#inputs(update, gradient));
  }

  protected applySparse(update: Update, values: Output, indices: Output): Operation {
    return update.update("SparseApplyAdagrad", this.#inputs(update, values, indices));
  }
}

export interface RMSPropOptions extends Named {
  /** How much of the mean of the squares a step keeps; defaults to 0.9. */
  readonly decay?: number | undefined;
  /** Defaults to 0. */
  readonly momentum?: number | undefined;
  /** Defaults to 1e-10. */
  readonly epsilon?: number | undefined;
  /** Subtracts the square of the gradients' mean; defaults to false. */
  readonly centered?: boolean | undefined;
}

/** Divides each gradient by the root of the mean of its recent squares. */
export class RMSPropOptimizer extends Optimizer {
  protected readonly slotSpecs: readonly SlotSpec[];
  readonly #kind: "CenteredRMSProp" | "RMSProp";

  constructor(learningRate: Hyperparameter, options: RMSPropOptions = {}) {
    const { decay = 0.9, momentum = 0, epsilon = 1e-10, centered = false } = options;
    super(options.name ?? "RMSProp", { learning_rate: learningRate, decay, momentum, epsilon });
    this.#kind = centered ? "CenteredRMSProp" : "RMSProp";
    this.slotSpecs = [
      { slot: "rms", initial: 1 },
      ...(centered ? [{ slot: "mg", initial: 0 }] : []),
      { slot: "momentum", initial: 0 },
    ];
  }

  #inputs(update: Update, ...gradient: readonly Output[]): readonly Output[] {
    const slots = this.#kind === "RMSProp" ? ["rms", "momentum"] : ["mg", "rms", "momentum"];
    const numbers = ["learning_rate", "decay", "momentum", "epsilon"];
    return [update.variable.handle, ...slots.map(update.slot), ...numbers.map(update.scalar), ...gradient];
  }

  protected applyDense(update: Update, gradient: Output): Operation {
    return update.update(`Apply${this.#kind}`, this.#inputs(update, gradient));
  }

  protected applySparse(update: Update, values: Output, indices: Output): Operation {
    return update.update(`SparseApply${this.#kind}`, this.#inputs(update, values, indices));
  }
}

export interface FtrlOptions extends Named {
  /** Not above 0; defaults to -0.5. */
  readonly learningRatePower?: number | undefined;
  /** Defaults to 0.1. */
  readonly initialAccumulatorValue?: number | undefined;
  /** Defaults to 0. */
  readonly l1RegularizationStrength?: number | undefined;
  /** Defaults to 0. */
  readonly l2RegularizationStrength?: number | undefined;
}

/** Follow the regularized leader: with an L1 strength, weights that are not needed become exactly zero. */
export class FtrlOptimizer extends Optimizer {
  protected readonly slotSpecs: readonly SlotSpec[];

  constructor(learningRate: Hyperparameter, options: FtrlOptions = {}) {
    super(options.name ?? "Ftrl", {
      learning_rate: learningRate,
      l1: options.l1RegularizationStrength ?? 0,
      l2: options.l2RegularizationStrength ?? 0,
      power: options.learningRatePower ?? -0.5,
    });
    this.slotSpecs = [
      { slot: "accum", initial: options.initialAccumulatorValue ?? 0.1 },
      { slot: "linear", initial: 0 },
    ];
  }

  #inputs(update: Update, ...gradient: readonly Output[]): readonly Output[] {
    const numbers = ["learning_rate", "l1", "l2", "power"].map(update.scalar);
    return [update.variable.handle, update.slot("accum"), update.slot("linear"), ...gradient, ...numbers];
  }

  protected applyDense(update: Update, gradient: Output): Operation {
    return update.update("ApplyFtrl", this.#inputs(update, gradient));
  }

  protected applySparse(update: Update, values: Output, indices: Output): Operation {
    return update.update("SparseApplyFtrl", this.#inputs(update, values, indices));
  }
}
