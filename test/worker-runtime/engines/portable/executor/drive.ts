import type { CompiledGraph } from "../../../../../worker-runtime/engines/portable/executor/compiled-node.js";
import type {
  Frame,
  Iteration,
} from "../../../../../worker-runtime/engines/portable/executor/frame-state.js";
import type { StepContext } from "../../../../../worker-runtime/engines/portable/executor/step-context.js";
import {
  Activation,
  NO_SLOT,
  StepState,
} from "../../../../../worker-runtime/engines/portable/executor/step-state.js";
import type { Outputs } from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import type { Value } from "../../../../../worker-runtime/engines/portable/values.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

function pathOf({ frame, number }: Iteration): string {
  return `${frame.parent === undefined ? "" : pathOf(frame.parent)}/${frame.outline.name}:${number}`;
}

function rootOf(frame: Frame): Frame {
  return frame.parent === undefined ? frame : rootOf(frame.parent.frame);
}

/** Runs a graph by the state machine alone, one node after the other. */
export class Drive {
  readonly ran: string[] = [];
  readonly results: unknown[] = [];
  readonly state: StepState;
  readonly ready: Activation[] = [];
  maxIterations = 0;
  #root: Frame | undefined;

  constructor(
    readonly step: StepContext,
    graph: CompiledGraph,
    readonly args: readonly Value[] = [],
  ) {
    this.state = new StepState(graph);
    this.state.start(this.ready);
  }

  /** @param choose which of so many ready nodes ends next. */
  all(choose: (count: number) => number): this {
    for (let limit = 0; this.ready.length > 0; limit += 1) {
      if (limit > 20_000) {
        throw new Error(`The step has no end: ${this.ran.slice(-40).join("; ")}`);
      }
      const [activation] = this.ready.splice(choose(this.ready.length), 1);
      if (activation !== undefined) {
        this.finish(activation);
      }
    }
    return this;
  }

  finish(activation: Activation): void {
    const { node: compiled, iteration } = activation;
    this.#root ??= rootOf(iteration.frame);
    this.maxIterations = Math.max(this.maxIterations, iteration.frame.iterations.length);
    this.ran.push(`${pathOf(iteration)} ${compiled.node.name}`);
    const { slot, isDead } = activation;
    const outputs = this.#outputs(activation);
    if (isDead || iteration.frame.outline.quick[slot] === undefined) {
      this.state.finished(activation, outputs, this.ready);
      return;
    }
    // As the executor does, but for the order.
    const next = this.state.goOn(slot, iteration, outputs, this.ready);
    if (next !== NO_SLOT) {
      this.ready.push(new Activation(next, iteration, iteration.takeInputs(next), false));
    }
  }

  /** Values that the machine still holds. */
  get heldValues(): number {
    const count = (frame: Frame): number =>
      frame.iterations.reduce(
        (sum, { inputs }) => sum + inputs.filter((value) => value !== undefined).length,
        0,
      );
    return this.#root === undefined ? 0 : count(this.#root);
  }

  #outputs({ node: { work }, inputs, isDead }: Activation): Outputs {
    const given = inputs as readonly Value[];
    switch (work.kind) {
      case "argument":
        return [this.args[work.index]];
      case "result": {
        const [value] = given;
        this.results[work.index] = value instanceof Tensor ? value.item() : value;
        return [];
      }
      case "pure":
        return work.run(given as readonly Tensor[]);
      case "stateful": {
        const outputs = work.run({ inputs: given, step: this.step, frameId: 0n, iteration: 0 });
        if (outputs instanceof Promise || isDead) {
          throw new Error("No node of these tests waits.");
        }
        return outputs;
      }
      case "region":
        throw new Error("These tests make no regions.");
    }
  }
}
