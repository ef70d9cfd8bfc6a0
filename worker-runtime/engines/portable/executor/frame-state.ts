import { holdValue, letValueGo, letValuesGo } from "../memory/held-tensor.js";
import type { Value } from "../values.js";
import type { CompiledNode, StaticFrame } from "./compiled-node.js";
import { childFrameId, ROOT_FRAME_ID } from "./frame-id.js";

/** A value that is passed to iterations later than the one in which it was computed. */
export interface KeptValue {
  readonly node: CompiledNode;
  /** undefined if it is dead. */
  readonly value: Value | undefined;
}

/** Replaces a merge's count of dead inputs once it has its input; further ones do not count. */
const TAKEN = -1;

const NO_VALUES: readonly Value[] = [];

/** The arrays of an iteration that has ended. */
interface Store {
  readonly inputs: (Value | undefined)[];
  readonly counters: Int32Array;
}

/** By frame, for its next iterations. */
const spareStores = new WeakMap<StaticFrame, Store[]>();
/** Arrays for fewer nodes are made as fast as they are cleared. */
const MIN_KEPT_NODES = 64;
/** The spare states of one frame, for steps or iterations at the same time. */
const MAX_SPARES = 2;

/** One iteration of a frame: what its nodes still wait for and the inputs that have arrived. Changed by StepState alone. */
export class Iteration {
  readonly frame: Frame;
  /** Counted from 0. */
  readonly number: number;
  /** By index; undefined before an input arrives, once it is consumed, and where it is dead. */
  readonly inputs: (Value | undefined)[];
  /**
   * By slot, the number of inputs that a node waits for; by slot plus the number of nodes, its dead inputs, or TAKEN.
   */
  readonly counters: Int32Array;
  /** Number of activated nodes that have not finished. */
  outstandingNodes = 0;
  readonly #nodeCount: number;
  /** Loops that were started from here and have not ended; undefined for none. */
  #children: Map<StaticFrame, Frame> | undefined;

  constructor(frame: Frame, number: number) {
    this.frame = frame;
    this.number = number;
    const { outline } = frame;
    const store = spareStores.get(outline)?.pop();
    this.inputs = store?.inputs ?? new Array<Value | undefined>(outline.inputCount).fill(undefined);
    this.counters = store?.counters ?? new Int32Array(outline.counters.length);
    this.counters.set(outline.counters);
    this.#nodeCount = outline.nodes.length;
  }

  /** Keeps its arrays for a later step: making them takes as long as hundreds of small nodes. Nothing may use it any more. */
  recycle(): void {
    const { outline } = this.frame;
    const spares = spareStores.get(outline) ?? [];
    if (outline.nodes.length >= MIN_KEPT_NODES && spares.length < MAX_SPARES) {
      this.inputs.fill(undefined);
      spareStores.set(outline, spares);
      spares.push({ inputs: this.inputs, counters: this.counters });
    }
  }

  /** True when no further node will run in it, provided that it is the oldest of its frame. */
  get isDone(): boolean {
    return (
      this.outstandingNodes === 0 &&
      this.#children === undefined &&
      (this.number > 0 || this.frame.pendingEnters === 0)
    );
  }

  /** Number of inputs that have not arrived; for a merge only control inputs. */
  waitsFor(node: CompiledNode): number {
    return this.counters[node.slot] ?? 0;
  }

  /** Counts an arrived input. @returns the number of missing inputs. */
  countDown(node: CompiledNode): number {
    const left = this.waitsFor(node) - 1;
    this.counters[node.slot] = left;
    return left;
  }

  deadInputs(slot: number): number {
    return this.counters[this.#nodeCount + slot] ?? 0;
  }

  addDeadInputs(node: CompiledNode, count: number): void {
    this.counters[this.#nodeCount + node.slot] = this.deadInputs(node.slot) + count;
  }

  /** Whether a merge has its input. */
  hasTaken(merge: CompiledNode): boolean {
    return this.deadInputs(merge.slot) === TAKEN;
  }

  /** From now on further inputs of the merge do not count. */
  take(merge: CompiledNode): void {
    this.counters[this.#nodeCount + merge.slot] = TAKEN;
  }

  /** An input has arrived: it is held until its node has run. */
  put(index: number, value: Value): void {
    holdValue(value);
    this.inputs[index] = value;
  }

  /** Lets the inputs go that have arrived, also in loops that were started from here. */
  abandon(): void {
    letValuesGo(this.inputs);
    this.inputs.length = 0;
    for (const frame of this.#children?.values() ?? []) {
      frame.abandon();
    }
  }

  /** Removes the inputs of a node, which are held until it has run, so that a value that is no longer needed is not kept until the iteration ends. */
  takeInputs(slot: number): readonly (Value | undefined)[] {
    const { firstInput } = this.frame.outline;
    const { inputs } = this;
    const start = firstInput[slot] as number;
    const end = firstInput[slot + 1] as number;
    switch (end - start) {
      case 0:
        return NO_VALUES;
      case 1: {
        const taken = [inputs[start]];
        inputs[start] = undefined;
        return taken;
      }
      case 2: {
        const taken = [inputs[start], inputs[start + 1]];
        inputs[start] = undefined;
        inputs[start + 1] = undefined;
        return taken;
      }
      default: {
        const taken = inputs.slice(start, end);
        inputs.fill(undefined, start, end);
        return taken;
      }
    }
  }

  /** The loop with this static frame that is started from here; created on first use. */
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
        node.role === "merge" && !this.hasTaken(node) && this.deadInputs(node.slot) < node.inputCount;
      if (this.waitsFor(node) <= 0 && !isOpenMerge) {
        return [];
      }
      const start = this.frame.outline.firstInput[node.slot] ?? 0;
      const missing = node.node.def.input.filter(
        (_, i) => i >= node.inputCount || this.inputs[start + i] === undefined,
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
  /** Number of Enters that have not arrived. */
  pendingEnters: number;
  /** Values for an iteration that may not start yet because too many are running. */
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

  /** The id in rendezvous keys; computed on demand, since few nodes need it. */
  get id(): bigint {
    this.#id ??=
      this.parent === undefined
        ? ROOT_FRAME_ID
        : childFrameId(this.parent.frame.id, this.parent.number, this.outline.name);
    return this.#id;
  }

  letConstantsGo(): void {
    for (const { value } of this.constants.splice(0)) {
      letValueGo(value);
    }
  }

  /** Lets all values go that wait here: none of the nodes will run. */
  abandon(): void {
    this.letConstantsGo();
    for (const { value } of this.postponed.splice(0)) {
      letValueGo(value);
    }
    for (const iteration of this.iterations) {
      iteration.abandon();
    }
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
