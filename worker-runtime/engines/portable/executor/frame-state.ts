import type { Value } from "../values.js";
import type { CompiledNode, StaticFrame } from "./compiled-node.js";
import { childFrameId, ROOT_FRAME_ID } from "./frame-id.js";

/** A value that is passed to iterations later than the one in which it was computed. */
export interface KeptValue {
  readonly node: CompiledNode;
  /** undefined when it is dead. */
  readonly value: Value | undefined;
}

/** Replaces a merge's count of dead inputs: it has its input, further ones do not count. */
const TAKEN = -1;

const NO_VALUES: readonly Value[] = [];

/** One iteration of a frame: what its nodes still wait for and the inputs that have arrived. Changed by StepState alone. */
export class Iteration {
  readonly frame: Frame;
  /** Counted from 0. */
  readonly number: number;
  /** By index; undefined before an input arrives, once it is consumed, and where it is dead. */
  readonly inputs: (Value | undefined)[];
  /** Nodes that were activated and have not finished. */
  outstandingNodes = 0;
  /** By slot what a node waits for; by slot plus the number of nodes its dead inputs, or TAKEN. */
  readonly #counters: number[];
  readonly #nodeCount: number;
  /** Loops that were started from here and have not ended; undefined for none. */
  #children: Map<StaticFrame, Frame> | undefined;

  constructor(frame: Frame, number: number) {
    this.frame = frame;
    this.number = number;
    this.inputs = new Array<Value | undefined>(frame.outline.inputCount);
    this.#counters = frame.outline.counters.slice();
    this.#nodeCount = frame.outline.nodes.length;
  }

  /** True when no node will run in it any more, provided that it is the oldest of its frame. */
  get isDone(): boolean {
    return (
      this.outstandingNodes === 0 &&
      this.#children === undefined &&
      (this.number > 0 || this.frame.pendingEnters === 0)
    );
  }

  /** How many inputs have not arrived; of a merge control inputs alone. */
  waitsFor(node: CompiledNode): number {
    return this.#counters[node.slot] ?? 0;
  }

  /** One input less to wait for. @returns how many are left. */
  countDown(node: CompiledNode): number {
    const left = this.waitsFor(node) - 1;
    this.#counters[node.slot] = left;
    return left;
  }

  deadInputs(node: CompiledNode): number {
    return this.#counters[this.#nodeCount + node.slot] ?? 0;
  }

  addDeadInputs(node: CompiledNode, count: number): void {
    this.#counters[this.#nodeCount + node.slot] = this.deadInputs(node) + count;
  }

  /** Whether a merge has what it needs. */
  hasTaken(merge: CompiledNode): boolean {
    return this.deadInputs(merge) === TAKEN;
  }

  /** From now on further inputs of the merge do not count. */
  take(merge: CompiledNode): void {
    this.#counters[this.#nodeCount + merge.slot] = TAKEN;
  }

  /** Removes the inputs of a node, so that a value that is no longer needed is not kept until the iteration ends. */
  takeInputs({ inputStart, inputCount }: CompiledNode): readonly (Value | undefined)[] {
    if (inputCount === 0) {
      return NO_VALUES;
    }
    const taken = new Array<Value | undefined>(inputCount);
    for (let i = 0; i < inputCount; i += 1) {
      taken[i] = this.inputs[inputStart + i];
      this.inputs[inputStart + i] = undefined;
    }
    return taken;
  }

  /** The loop of this outline that is started from here; made on first use. */
  child(outline: StaticFrame): Frame {
    const known = this.#children?.get(outline);
    if (known !== undefined) {
      return known;
    }
    const made = new Frame(outline, this);
    this.#children ??= new Map();
    this.#children.set(outline, made);
    return made;
  }

  /** The nodes that wait for inputs here and in the loops that were started from here. */
  pendingNodes(): { node: CompiledNode; missing: string[] }[] {
    const own = this.frame.outline.nodes.flatMap((node) => {
      const isOpenMerge =
        node.role === "merge" && !this.hasTaken(node) && this.deadInputs(node) < node.inputCount;
      if (this.waitsFor(node) <= 0 && !isOpenMerge) {
        return [];
      }
      const missing = node.node.def.input.filter(
        (_, i) => i >= node.inputCount || this.inputs[node.inputStart + i] === undefined,
      );
      return missing.length === 0 ? [] : [{ node, missing }];
    });
    return [...own, ...[...(this.#children?.values() ?? [])].flatMap((frame) => frame.pendingNodes())];
  }

  /** Forgets a loop that has ended. @returns whether it was there. */
  removeChild({ outline }: Frame): boolean {
    const wasThere = this.#children?.delete(outline) ?? false;
    if (this.#children?.size === 0) {
      this.#children = undefined;
    }
    return wasThere;
  }
}

/** A while loop that is running, or the graph around all loops. Changed by StepState alone. */
export class Frame {
  readonly outline: StaticFrame;
  /** The iteration that the loop was started from; undefined for the root frame. */
  readonly parent: Iteration | undefined;
  /** Iterations that have not ended, oldest first: numbers follow each other. */
  readonly iterations: Iteration[] = [];
  /** The number of the newest iteration. */
  lastIteration = 0;
  /** Enters that have not arrived. */
  pendingEnters: number;
  /** Values for an iteration that may not start yet since too many are running. */
  postponed: KeptValue[] = [];
  /** Values of constant Enters, for every iteration to come. */
  readonly constants: KeptValue[] = [];
  /** Exits that were dead in the newest iteration: known to be dead for good only when the frame ends. */
  deadExits: CompiledNode[] = [];
  #id: bigint | undefined;

  constructor(outline: StaticFrame, parent: Iteration | undefined) {
    this.outline = outline;
    this.parent = parent;
    this.pendingEnters = outline.enterCount;
    this.iterations.push(new Iteration(this, 0));
  }

  /** As rendezvous keys have it; computed for the few nodes that ask. */
  get id(): bigint {
    this.#id ??=
      this.parent === undefined
        ? ROOT_FRAME_ID
        : childFrameId(this.parent.frame.id, this.parent.number, this.outline.name);
    return this.#id;
  }

  /** An iteration that has not ended; undefined for any other. */
  iteration(number: number): Iteration | undefined {
    const oldest = this.iterations[0];
    return oldest === undefined ? undefined : this.iterations[number - oldest.number];
  }

  /** Starts the next iteration, without any values. */
  startIteration(): Iteration {
    this.lastIteration += 1;
    this.deadExits = [];
    const iteration = new Iteration(this, this.lastIteration);
    this.iterations.push(iteration);
    return iteration;
  }

  /** The nodes that wait for inputs in iterations that have not ended. */
  pendingNodes(): { node: CompiledNode; missing: string[] }[] {
    return this.iterations.flatMap((iteration) => iteration.pendingNodes());
  }

  get isDone(): boolean {
    return this.pendingEnters === 0 && this.iterations.length === 0;
  }
}
