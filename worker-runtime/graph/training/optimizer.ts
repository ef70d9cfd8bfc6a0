import type { DType } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { type Gradient, IndexedSlices } from "../gradients/gradient.js";
import { type GradientsOptions, gradients } from "../gradients/gradients.js";
import { Graph } from "../graph.js";
import type { Operation, Output } from "../operation.js";
import { toTensor } from "../ops/common.js";
import { group } from "../ops/control-flow.js";
import { cast } from "../ops/math.js";
import { GraphKeys, trainableVariables, variable } from "../ops/state.js";
import type { Variable } from "../variable.js";

/** A gradient and the variable that it is of; undefined if nothing depends on the variable. */
export type GradientOfVariable = readonly [Gradient | undefined, Variable];

export interface ComputeGradientsOptions
  extends Pick<GradientsOptions, "stopGradients" | "colocateGradientsWithOps"> {
  /** Defaults to the graph's trainable variables. */
  readonly varList?: readonly Variable[] | undefined;
  /** The gradient of something else with respect to the loss. */
  readonly gradLoss?: Output | undefined;
}

export interface ApplyGradientsOptions {
  /** Counts the updates. */
  readonly globalStep?: Variable | undefined;
  /** The name of the training operation; defaults to the optimizer's. */
  readonly name?: string | undefined;
}

/** A learning rate or another number that an optimizer may compute anew in each step. */
export type Hyperparameter = number | Output;

/** The parts of the update of one variable. */
export interface Update {
  readonly graph: Graph;
  readonly variable: Variable;
  /** A hyperparameter as a scalar of the variable's dtype. */
  scalar(name: string): Output;
  /** A slot of the variable, that is, a variable of the optimizer's own. */
  slot(name: string): Output;
  /** An op that updates the variable: of reference variables "ApplyX", of resources "ResourceApplyX". */
  update(type: string, inputs: readonly Output[], attrs?: Parameters<Graph["op"]>[2]): Operation;
}

/** The initial value of a slot: the same number everywhere. */
export interface SlotSpec {
  /** By which updates and getSlot name it. */
  readonly slot: string;
  readonly initial: number;
}

/**
 * Changes variables so that a loss gets smaller, as tf.compat.v1.train.Optimizer. The optimizer's own variables (slots)
 * are beside those that they belong to, so that updates of variables on different tasks run there.
 */
export abstract class Optimizer {
  readonly name: string;
  readonly #hyperparameters: Readonly<Record<string, Hyperparameter>>;
  readonly #slots = new Map<Variable, Map<string, Variable>>();
  readonly #scalars = new Map<string, Output>();

  /** @param name of the training operation, and in the names of the slots */
  protected constructor(name: string, hyperparameters: Readonly<Record<string, Hyperparameter>>) {
    this.name = name;
    this.#hyperparameters = hyperparameters;
  }

  /** The slots that each variable has. */
  protected abstract readonly slotSpecs: readonly SlotSpec[];
  protected abstract applyDense(update: Update, gradient: Output): Operation;
  /** @param indices without repetitions */
  protected abstract applySparse(update: Update, values: Output, indices: Output): Operation;

  /** Creates variables that belong to the optimizer itself. */
  protected createOwn(_graph: Graph, _variables: readonly Variable[]): void {}

  /** Runs after the updates of all variables, as part of the training operation. */
  protected finish(_graph: Graph, updates: readonly Operation[]): readonly Operation[] {
    return updates;
  }

  /** The optimizer's variables of its own and of all slots. */
  variables(): readonly Variable[] {
    return [...this.#slots.values()].flatMap((slots) => [...slots.values()]);
  }

  /** The names of the slots. */
  getSlotNames(): readonly string[] {
    return this.slotSpecs.map(({ slot }) => slot);
  }

  /** A slot of a variable; undefined before its gradient was applied. */
  getSlot(of: Variable, name: string): Variable | undefined {
    return this.#slots.get(of)?.get(name);
  }

  /** An operation that makes the loss smaller by one step: `applyGradients(computeGradients(loss))`. */
  minimize(loss: Output, options: ComputeGradientsOptions & ApplyGradientsOptions = {}): Operation {
    return this.applyGradients(this.computeGradients(loss, options), options);
  }

  /** The gradient of the loss with respect to each variable. */
  computeGradients(loss: Output, options: ComputeGradientsOptions = {}): GradientOfVariable[] {
    const graph = Graph.of(loss);
    const variables = options.varList ?? trainableVariables(graph);
    if (variables.length === 0) {
      throw invalidArgument("There are no variables to optimize: the graph has none that are trainable.");
    }
    // Not the name, which is that of the update.
    const { stopGradients, colocateGradientsWithOps, gradLoss } = options;
    const made = gradients(loss, variables, {
      ...{ stopGradients, colocateGradientsWithOps },
      gradYs: [gradLoss],
      gateGradients: true,
    });
    return variables.map((one, i) => [made[i], one]);
  }

  /**
   * An operation that applies gradients to their variables.
   * @throws TensorFlowError INVALID_ARGUMENT if no variable has a gradient
   */
  applyGradients(all: readonly GradientOfVariable[], options: ApplyGradientsOptions = {}): Operation {
    const given = all.flatMap(([gradient, one]) => (gradient ? [[gradient, one] as const] : []));
    const variables = given.map(([, one]) => one);
    const [first] = variables;
    if (!first) {
      const names = all.map(([, { name }]) => name).join(", ");
      throw invalidArgument(`The loss depends on none of the variables ${names || "(there are none)"}.`);
    }
    const graph = Graph.of(first.handle);
    graph.withControlDependencies(undefined, () => {
      graph.withNameScope("", () => {
        this.createOwn(graph, variables);
        for (const one of variables) this.#createSlots(graph, one);
      });
    });
    const trained = graph.withNameScope(options.name ?? this.name, (scope) => {
      this.#scalars.clear();
      const updates = given.map(([gradient, one]) => this.#update(graph, gradient, one));
      const finished = this.finish(graph, updates);
      const { globalStep } = options;
      if (!globalStep) return group(graph, finished, { name: scope });
      const all = group(graph, finished, { name: "update" });
      return graph.withControlDependencies([all], () =>
        graph.withColocation(globalStep.handle, () => countUp(graph, globalStep, scope)),
      );
    });
    graph.addToCollection(GraphKeys.TRAIN_OP, trained);
    return trained;
  }

  /** A number of the optimizer as a scalar of a dtype; one node for all variables of a device. */
  protected hyperparameter(graph: Graph, name: string, dtype: DType, device = ""): Output {
    const key = `${name} ${dtype} ${device}`;
    const known = this.#scalars.get(key);
    if (known) return known;
    const value = this.#hyperparameters[name];
    if (value === undefined) throw invalidArgument(`${this.name} has no number ${name}.`);
    const made =
      typeof value === "number" ? toTensor(graph, Tensor.of(value, dtype), name) : cast(value, dtype);
    this.#scalars.set(key, made);
    return made;
  }

  #createSlots(graph: Graph, of: Variable): void {
    const slots = this.#slots.get(of) ?? new Map<string, Variable>();
    this.#slots.set(of, slots);
    const { shape, dtype } = of;
    for (const { slot, initial } of this.slotSpecs) {
      if (slots.has(slot)) continue;
      if (!shape || shape.some((size) => size < 0)) {
        throw invalidArgument(`The shape of variable ${of.name} has to be known to make its slot "${slot}".`);
      }
      const make = () =>
        graph.op("Fill", [Tensor.of(shape, "int32", [shape.length]), Tensor.of(initial, dtype)]).output;
      const options = { name: `${of.name}/${this.name}`, kind: of.kind, trainable: false };
      slots.set(
        slot,
        graph.withColocation(of.handle, () => variable(graph, { shape, dtype, make }, options)),
      );
    }
  }

  #update(graph: Graph, gradient: Gradient, of: Variable): Operation {
    const slots = this.#slots.get(of);
    const prefix = of.kind === "resource" ? "Resource" : "";
    const update: Update = {
      graph,
      variable: of,
      scalar: (name) => this.hyperparameter(graph, name, of.dtype, of.device),
      slot: (name) => {
        const slot = slots?.get(name);
        if (slot) return slot.handle;
        throw invalidArgument(`${this.name} has no slot "${name}".`);
      },
      update: (type, inputs, attrs = {}) => {
        const known = graph.registry.require(`${prefix}${type}`).attr.some(({ name }) => name === "T");
        return graph.op(`${prefix}${type}`, inputs, known ? { T: of.dtype, ...attrs } : attrs);
      },
    };
    return graph.withNameScope(`update_${of.name}`, () => {
      if (!(gradient instanceof IndexedSlices)) {
        return graph.withColocation(of.handle, () => this.applyDense(update, gradient));
      }
      const { values, indices } = withoutRepetitions(graph, gradient);
      return graph.withColocation(of.handle, () => this.applySparse(update, values, indices));
    });
  }
}

/** Rows that repeat, added. */
function withoutRepetitions(
  graph: Graph,
  { values, indices }: IndexedSlices,
): Omit<IndexedSlices, "denseShape"> {
  const unique = graph.op("Unique", [indices], { out_idx: "int32" });
  const count = graph.op("Size", [unique.outputAt(0)]);
  const sums = graph.op("UnsortedSegmentSum", [values, unique.outputAt(1), count]);
  return { values: sums.output, indices: unique.outputAt(0) };
}

/** Adds one to the counter of steps. */
function countUp(graph: Graph, counter: Variable, name: string): Operation {
  const one = Tensor.of(1, counter.dtype);
  if (counter.kind === "reference") return graph.op("AssignAdd", [counter.handle, one], {}, name);
  return graph.op("AssignAddVariableOp", [counter.handle, one], { dtype: counter.dtype }, name);
}
