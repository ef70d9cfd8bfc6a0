import type { Outputs } from "../kernels/kernel.js";
import type { Value } from "../values.js";
import type { CompiledGraph, CompiledNode } from "./compiled-node.js";
import { Frame, type Iteration } from "./frame-state.js";

/** The instruction to run a node once. Every one must be answered by `StepState.finished`, unless the step fails. */
export interface Activation {
  readonly node: CompiledNode;
  readonly iteration: Iteration;
  /**
   * The data inputs in order; for a merge `undefined` in place of all but the one that it takes. Empty for a dead node.
   */
  readonly inputs: readonly (Value | undefined)[];
  /** An input is dead. Only nodes that transfer something between devices are run nevertheless, to say so. */
  readonly isDead: boolean;
}

/** A node that some of its inputs have reached, and others not. */
export interface PendingNode {
  readonly node: CompiledNode;
  /** The inputs that have not arrived, as the NodeDef names them. */
  readonly missing: readonly string[];
}

/** Where the instructions go. */
export interface Ready {
  push(activation: Activation): unknown;
}

/** The outputs of a node that does not run. */
const NO_OUTPUTS: Outputs = [];
const NO_INPUTS: readonly Value[] = [];

/**
 * The rules by which a step proceeds, free of kernels, threads and time: told that a node has finished with these outputs,
 * it says which nodes are to be run next. They are TensorFlow's rules for dead values and while loops (executor.cc and
 * propagator_state.cc), so that a loop may span tasks of both engines.
 *
 * No other code may change a frame or an iteration: a count that is off by one makes a node run twice or the step wait
 * forever.
 */
export class StepState {
  readonly #root: Frame;
  readonly #sources: readonly CompiledNode[];
  // Dead nodes are finished here; a list rather than recursion, since they form chains as long as a graph.
  readonly #dead: Activation[] = [];

  constructor(graph: CompiledGraph) {
    this.#root = new Frame(graph.root, undefined);
    this.#sources = graph.sources;
  }

  /** True when no node of the step will run any more. */
  get isDone(): boolean {
    return this.#root.isDone;
  }

  /**
   * The nodes that wait for inputs in frames that have not ended, those first whose inputs no other such node would bring.
   * For an error that says why a step came to a halt.
   */
  pendingNodes(): PendingNode[] {
    const pending = this.#root.pendingNodes();
    const names = new Set(pending.map(({ node }) => node.node.name));
    const isFirst = ({ missing }: PendingNode) =>
      missing.some((input) => !names.has(input.replace(/^\^|:\d+$/g, "")));
    return [...pending.filter(isFirst), ...pending.filter((one) => !isFirst(one))];
  }

  /** Starts the step. @param ready receives the nodes to be run. */
  start(ready: Ready): void {
    const iteration = this.#root.iterations[0];
    if (iteration === undefined) {
      return;
    }
    for (const node of this.#sources) {
      this.#activate(node, iteration, false, ready);
    }
    this.#settle(ready);
    if (iteration.outstandingNodes === 0) {
      // A graph without nodes.
      this.#endIterations(this.#root, ready);
    }
  }

  /**
   * Takes the outputs of a node that has run.
   * @param outputs one for each output; undefined for those that are dead.
   * @param ready receives the nodes to be run next.
   */
  finished(activation: Activation, outputs: Outputs, ready: Ready): void {
    this.#propagate(activation.node, activation.iteration, activation.isDead, outputs, ready);
    this.#settle(ready);
  }

  /** Finishes dead nodes until only nodes to be run are left. */
  #settle(ready: Ready): void {
    for (let next = this.#dead.pop(); next !== undefined; next = this.#dead.pop()) {
      this.#propagate(next.node, next.iteration, true, NO_OUTPUTS, ready);
    }
  }

  #propagate(
    node: CompiledNode,
    iteration: Iteration,
    isDead: boolean,
    outputs: Outputs,
    ready: Ready,
  ): void {
    switch (node.role) {
      case "enter":
        this.#enter(node, iteration, isDead, outputs[0], ready);
        break;
      case "exit":
        this.#exit(node, iteration, isDead, outputs, ready);
        break;
      case "next-iteration":
        this.#nextIteration(node, iteration, isDead, outputs[0], ready);
        break;
      default:
        this.#deliver(node, iteration, isDead, outputs, ready);
    }
    iteration.outstandingNodes -= 1;
    if (iteration.outstandingNodes === 0) {
      this.#endIterations(iteration.frame, ready);
    }
  }

  #enter(node: CompiledNode, from: Iteration, isDead: boolean, value: Value | undefined, ready: Ready): void {
    const outline = node.entered;
    if (outline === undefined) {
      return;
    }
    const child = from.child(outline);
    child.pendingEnters -= 1;
    if (node.isConstantEnter) {
      const kept = { node, value: isDead ? undefined : value };
      child.constants.push(kept);
      for (const iteration of child.iterations) {
        this.#deliver(node, iteration, isDead, [value], ready);
      }
    } else {
      const first = child.iteration(0);
      if (first !== undefined) {
        this.#deliver(node, first, isDead, [value], ready);
      }
    }
    if (child.pendingEnters === 0) {
      // The last Enter may have been all that the frame waited for.
      this.#endIterations(child, ready);
    }
  }

  #exit(node: CompiledNode, from: Iteration, isDead: boolean, outputs: Outputs, ready: Ready): void {
    const { frame } = from;
    if (!isDead) {
      if (frame.parent !== undefined) {
        this.#deliver(node, frame.parent, false, outputs, ready);
      }
    } else if (from.number === frame.lastIteration) {
      frame.deadExits.push(node);
    }
  }

  #nextIteration(
    node: CompiledNode,
    from: Iteration,
    isDead: boolean,
    value: Value | undefined,
    ready: Ready,
  ): void {
    // What is dead stops here: otherwise a loop would never end.
    if (isDead) {
      return;
    }
    const { frame } = from;
    if (from.number < frame.lastIteration) {
      const next = frame.iteration(from.number + 1);
      if (next !== undefined) {
        this.#deliver(node, next, false, [value], ready);
      }
      return;
    }
    frame.postponed.push({ node, value });
    if (frame.iterations.length < frame.outline.parallelIterations) {
      this.#startIteration(frame, ready);
    }
  }

  /** Starts an iteration with the values that wait for it. */
  #startIteration(frame: Frame, ready: Ready): void {
    const iteration = frame.startIteration();
    const { postponed } = frame;
    frame.postponed = [];
    for (const { node, value } of postponed) {
      this.#deliver(node, iteration, value === undefined, [value], ready);
    }
    for (const { node, value } of frame.constants) {
      this.#deliver(node, iteration, value === undefined, [value], ready);
    }
  }

  /** Brings a node's outputs and its end to the nodes behind it, in an iteration that need not be its own. */
  #deliver(source: CompiledNode, into: Iteration, isDead: boolean, outputs: Outputs, ready: Ready): void {
    const { dataEdges } = source;
    for (let slot = 0; slot < dataEdges.length; slot += 1) {
      const value = isDead ? undefined : outputs[slot];
      for (const { target, place } of dataEdges[slot] ?? []) {
        if (target.role === "merge") {
          this.#deliverToMerge(target, place, value, source.role === "enter", into, ready);
          continue;
        }
        if (value === undefined) {
          into.addDeadInputs(target, 1);
        } else {
          into.inputs[place] = value;
        }
        this.#countDown(target, into, ready);
      }
    }
    for (const target of source.controlEdges) {
      if (isDead && target.role !== "merge") {
        into.addDeadInputs(target, 1);
      }
      this.#countDown(target, into, ready);
    }
  }

  /** One of the inputs that the node waits for has come; for a merge one of its control inputs. */
  #countDown(target: CompiledNode, into: Iteration, ready: Ready): void {
    if (into.countDown(target) > 0) {
      return;
    }
    if (target.role === "merge") {
      this.#activateMerge(target, into, ready);
    } else {
      const isDead = target.role !== "control-trigger" && into.deadInputs(target) > 0;
      this.#activate(target, into, isDead, ready);
    }
  }

  #deliverToMerge(
    target: CompiledNode,
    place: number,
    value: Value | undefined,
    isFromEnter: boolean,
    into: Iteration,
    ready: Ready,
  ): void {
    if (into.hasTaken(target)) {
      return;
    }
    if (value !== undefined) {
      into.inputs[place] = value;
      into.take(target);
    } else {
      // A dead Enter means that the loop is not run at all: no NextIteration will ever bring the merge's other input.
      into.addDeadInputs(target, isFromEnter ? target.inputCount : 1);
    }
    if (into.waitsFor(target) === 0) {
      this.#activateMerge(target, into, ready);
    }
  }

  /** A merge with its control inputs takes the first live input; it is dead when all of its inputs are. */
  #activateMerge(target: CompiledNode, into: Iteration, ready: Ready): void {
    if (into.hasTaken(target)) {
      this.#activate(target, into, false, ready);
    } else if (into.deadInputs(target) >= target.inputCount) {
      into.take(target);
      this.#activate(target, into, true, ready);
    }
  }

  #activate(node: CompiledNode, iteration: Iteration, isDead: boolean, ready: Ready): void {
    iteration.outstandingNodes += 1;
    const inputs = iteration.takeInputs(node);
    if (!isDead) {
      ready.push({ node, iteration, inputs, isDead });
    } else if (node.role === "transfer") {
      ready.push({ node, iteration, inputs: NO_INPUTS, isDead });
    } else {
      this.#dead.push({ node, iteration, inputs: NO_INPUTS, isDead });
    }
  }

  /** Drops the iterations that have ended, the frame with the last of them, and so on outwards. */
  #endIterations(frame: Frame, ready: Ready): void {
    for (let ended = frame; ; ) {
      this.#dropIterations(ended, ready);
      const { parent } = ended;
      if (!ended.isDone || parent === undefined || !parent.removeChild(ended)) {
        return;
      }
      for (const exit of ended.deadExits) {
        this.#deliver(exit, parent, true, NO_OUTPUTS, ready);
      }
      ended = parent.frame;
    }
  }

  #dropIterations(frame: Frame, ready: Ready): void {
    // Only the oldest may go: a running one can still pass values to later ones.
    while (frame.iterations[0]?.isDone) {
      frame.iterations.shift();
      if (frame.postponed.length > 0) {
        this.#startIteration(frame, ready);
      }
    }
  }
}
