import type { Outputs } from "../kernels/kernel.js";
import { holdValue, isAnyHeld, letValueGo, letValuesGo } from "../memory/held-tensor.js";
import type { Value } from "../values.js";
import {
  type CompiledGraph,
  type CompiledNode,
  HAS_ENDED,
  InputRule,
  NO_INPUT,
  type Wiring,
} from "./compiled-node.js";
import { Frame, type Iteration } from "./frame-state.js";

/** The instruction to run a node once. Every one must be answered by `StepState.finished`, unless the step fails. */
export class Activation {
  /** The number of the node in its frame. */
  readonly slot: number;
  readonly iteration: Iteration;
  /**
   * The data inputs in order; for a merge `undefined` in place of all but the one that it takes, for a region in place of
   * those that are dead. Empty for a dead node.
   */
  readonly inputs: readonly (Value | undefined)[];
  /**
   * An input is dead. Only nodes that transfer something between devices are run nevertheless, to say so. A region, whose
   * nodes need not all be dead then, is never dead itself.
   */
  readonly isDead: boolean;

  constructor(slot: number, iteration: Iteration, inputs: readonly (Value | undefined)[], isDead: boolean) {
    this.slot = slot;
    this.iteration = iteration;
    this.inputs = inputs;
    this.isDead = isDead;
  }

  /** Looked up where it is needed: most nodes run without it. */
  get node(): CompiledNode {
    return this.iteration.frame.outline.nodes[this.slot] as CompiledNode;
  }
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

/** A result of `StepState.goOn`: no node is to be run next. */
export const NO_SLOT = -1;

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
  readonly #wiring: Wiring;
  // Dead nodes are finished here; a list rather than recursion, since they form chains as long as a graph.
  readonly #dead: Activation[] = [];
  /**
   * Whether a value has come whose memory may be given back. Most steps have none, and to look at each of their values
   * took as long as running small kernels.
   */
  #hasHeld = false;
  /** The iteration in which the next quick node that becomes ready is to be returned by `goOn`. */
  #goesOnIn: Iteration | undefined;
  #nextSlot = NO_SLOT;

  constructor(graph: CompiledGraph) {
    this.#root = new Frame(graph.root, undefined);
    this.#sources = graph.sources;
    this.#wiring = graph.wiring;
  }

  /** Lets all values go that wait for nodes: the step has failed, and none of them will run. */
  abandon(): void {
    this.#root.abandon();
  }

  /** Whether inputs of activations may be values whose memory is given back. */
  get hasHeld(): boolean {
    return this.#hasHeld;
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
      this.#activate(node.slot, iteration, false, ready);
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
    this.#hasHeld ||= isAnyHeld(outputs);
    this.#propagate(activation.slot, activation.iteration, activation.isDead, outputs, ready);
    this.#settle(ready);
  }

  /**
   * As `finished`, for outputs that a pure kernel has made: their memory is not given back.
   * @returns the slot of a quick node that can now be run in the same iteration, in place of an activation of it: chains of
   *   small nodes run faster without. Its inputs are to be taken from the iteration. NO_SLOT if there is none.
   */
  goOn(slot: number, iteration: Iteration, outputs: Outputs, ready: Ready): number {
    this.#goesOnIn = iteration;
    this.#nextSlot = NO_SLOT;
    this.#propagate(slot, iteration, false, outputs, ready);
    this.#goesOnIn = undefined;
    this.#settle(ready);
    return this.#nextSlot;
  }

  /** Finishes dead nodes until only nodes to be run are left. */
  #settle(ready: Ready): void {
    for (let next = this.#dead.pop(); next !== undefined; next = this.#dead.pop()) {
      this.#propagate(next.slot, next.iteration, true, NO_OUTPUTS, ready);
    }
  }

  #propagate(slot: number, iteration: Iteration, isDead: boolean, outputs: Outputs, ready: Ready): void {
    const { leadsOut, firstPort, endPort } = iteration.frame.outline;
    if (leadsOut[slot] === 0) {
      this.#deliverTo(
        iteration,
        firstPort[slot] as number,
        endPort[slot] as number,
        isDead,
        outputs,
        false,
        ready,
      );
    } else {
      const { nodes } = iteration.frame.outline;
      this.#passOn(nodes[slot] as CompiledNode, iteration, isDead, outputs, ready);
    }
    iteration.outstandingNodes -= 1;
    if (iteration.outstandingNodes === 0) {
      this.#endIterations(iteration.frame, ready);
    }
  }

  /** The outputs of a node that leads to another frame or iteration. */
  #passOn(node: CompiledNode, iteration: Iteration, isDead: boolean, outputs: Outputs, ready: Ready): void {
    switch (node.role) {
      case "enter":
        this.#enter(node, iteration, isDead, outputs[0], ready);
        break;
      case "exit":
        this.#exit(node, iteration, isDead, outputs, ready);
        break;
      default:
        this.#nextIteration(node, iteration, isDead, outputs[0], ready);
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
      holdValue(kept.value);
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
    // Dead values stop here: otherwise a loop would never end.
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
    holdValue(value);
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
      letValueGo(value);
    }
    for (const { node, value } of frame.constants) {
      this.#deliver(node, iteration, value === undefined, [value], ready);
    }
  }

  /** Brings a node's outputs and its end to the nodes behind it, in an iteration that need not be its own. */
  #deliver(
    { frame, slot, role }: CompiledNode,
    into: Iteration,
    isDead: boolean,
    outputs: Outputs,
    ready: Ready,
  ): void {
    const [first, end] = [frame.firstPort[slot] ?? 0, frame.endPort[slot] ?? 0];
    this.#deliverTo(into, first, end, isDead, outputs, role === "enter", ready);
  }

  /** @param firstPort of the node's outputs; @param endPort of its end. */
  #deliverTo(
    into: Iteration,
    firstPort: number,
    endPort: number,
    isDead: boolean,
    outputs: Outputs,
    isFromEnter: boolean,
    ready: Ready,
  ): void {
    const { firstEdge, target, inputIndex } = this.#wiring;
    const { rules, nodes } = into.frame.outline;
    const { inputs, counters } = into;
    for (let port = firstPort; port < endPort; port += 1) {
      const value = isDead ? undefined : outputs[port - firstPort];
      const lastEdge = firstEdge[port + 1] as number;
      for (let edge = firstEdge[port] as number; edge < lastEdge; edge += 1) {
        const slot = target[edge] as number;
        const index = inputIndex[edge] as number;
        if (value === undefined || rules[slot] !== InputRule.all || index === NO_INPUT) {
          this.#deliverSpecially(nodes[slot] as CompiledNode, index, value, isFromEnter, into, ready);
          continue;
        }
        // As most edges are: the rest of this is `put` and `countDown`.
        if (this.#hasHeld) {
          holdValue(value);
        }
        inputs[index] = value;
        const left = (counters[slot] as number) - 1;
        counters[slot] = left;
        if (left === 0) {
          this.#activate(slot, into, into.deadInputs(slot) > 0, ready);
        }
      }
    }
    const lastEdge = firstEdge[endPort + 1] as number;
    for (let edge = firstEdge[endPort] as number; edge < lastEdge; edge += 1) {
      this.#deliverEnd(
        nodes[target[edge] as number] as CompiledNode,
        inputIndex[edge] as number,
        isDead,
        into,
        ready,
      );
    }
  }

  /** Delivers a dead value, to a merge, or from an output that stands for the end of a node in a region. */
  #deliverSpecially(
    target: CompiledNode,
    index: number,
    value: Value | undefined,
    isFromEnter: boolean,
    into: Iteration,
    ready: Ready,
  ): void {
    if (index === NO_INPUT) {
      this.#deliverEnd(target, index, value === undefined, into, ready);
    } else if (target.role === "merge") {
      this.#deliverToMerge(target, index, value, isFromEnter, into, ready);
    } else {
      if (value === undefined) {
        into.addDeadInputs(target, 1);
      } else {
        into.put(index, value);
      }
      this.#countDown(target, into, ready);
    }
  }

  /** The end of a node, for one that has a control input from it. */
  #deliverEnd(target: CompiledNode, index: number, isDead: boolean, into: Iteration, ready: Ready): void {
    if (!isDead && index !== NO_INPUT) {
      into.inputs[index] = HAS_ENDED;
    } else if (isDead && target.role !== "merge") {
      into.addDeadInputs(target, 1);
    }
    this.#countDown(target, into, ready);
  }

  /** One of the inputs that the node waits for has come; for a merge one of its control inputs. */
  #countDown(target: CompiledNode, into: Iteration, ready: Ready): void {
    if (into.countDown(target) > 0) {
      return;
    }
    const rule = into.frame.outline.rules[target.slot];
    if (rule === InputRule.merge) {
      this.#activateMerge(target, into, ready);
    } else {
      this.#activate(target.slot, into, rule === InputRule.all && into.deadInputs(target.slot) > 0, ready);
    }
  }

  #deliverToMerge(
    target: CompiledNode,
    index: number,
    value: Value | undefined,
    isFromEnter: boolean,
    into: Iteration,
    ready: Ready,
  ): void {
    if (into.hasTaken(target)) {
      return;
    }
    if (value !== undefined) {
      into.put(index, value);
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
      this.#activate(target.slot, into, false, ready);
    } else if (into.deadInputs(target.slot) >= target.inputCount) {
      into.take(target);
      this.#activate(target.slot, into, true, ready);
    }
  }

  #activate(slot: number, iteration: Iteration, isDead: boolean, ready: Ready): void {
    iteration.outstandingNodes += 1;
    if (iteration === this.#goesOnIn && !isDead && iteration.frame.outline.quick[slot] !== undefined) {
      this.#goesOnIn = undefined;
      this.#nextSlot = slot;
      return;
    }
    const inputs = iteration.takeInputs(slot);
    if (!isDead) {
      ready.push(new Activation(slot, iteration, inputs, false));
      return;
    }
    letValuesGo(inputs);
    const dead = new Activation(slot, iteration, NO_INPUTS, true);
    if (dead.node.role === "transfer") {
      ready.push(dead);
    } else {
      this.#dead.push(dead);
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
      ended.letConstantsGo();
      for (const exit of ended.deadExits) {
        this.#deliver(exit, parent, true, NO_OUTPUTS, ready);
      }
      ended = parent.frame;
    }
  }

  #dropIterations(frame: Frame, ready: Ready): void {
    // Only the oldest may go: a running one can still pass values to later ones.
    while (frame.iterations[0]?.isDone) {
      frame.iterations.shift()?.recycle();
      if (frame.postponed.length > 0) {
        this.#startIteration(frame, ready);
      }
    }
  }
}
