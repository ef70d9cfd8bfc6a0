import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { cancelledBy, internalError, invalidArgument, TensorFlowError } from "../../../protocol/status.js";
import type { Tensor } from "../../../protocol/tensor.js";
import type { Outputs } from "../kernels/kernel.js";
import { freeAllUnlessHeld, isAnyHeld, letValuesGo } from "../memory/held-tensor.js";
import type { Value } from "../values.js";
import type { CompiledGraph, QuickNode } from "./compiled-node.js";
import type { Iteration } from "./frame-state.js";
import { nodeError } from "./node-error.js";
import { ReadyQueue } from "./ready-queue.js";
import { type Call, checkOutputs, runNode, runQuickNode } from "./run-node.js";
import { RunningStep } from "./running-step.js";
import type { FunctionCaller, StepContext } from "./step-context.js";
import { Activation, NO_SLOT, StepState } from "./step-state.js";
import type { StepStatsCollector } from "./step-stats.js";
import { type Sliced, timeSlices } from "./time-slices.js";
import { callsFunction, pendingNode, waitingNode, withWaitingNodes } from "./waiting-nodes.js";

export interface GraphCall {
  readonly step: StepContext;
  /** By the index of the _Arg nodes. */
  readonly args?: readonly Value[] | undefined;
  /** Absent if no times are collected. Within a function, the collector of the enclosing step. */
  readonly stats?: StepStatsCollector | undefined;
  /** Counts what the graph's pure kernels are expected to take, but not those within functions and regions. */
  readonly work?: { kernelNanos: number } | undefined;
  /** The functions of the graph's own library, if it is not the step's: a dataset's function may run in any step. */
  readonly functions?: FunctionCaller | undefined;
}

/**
 * Runs a graph once.
 * @returns the values of the _Retval nodes by index.
 * @throws TensorFlowError what the first node that failed threw, with the node's name; the signal's reason. All kernels
 *   have ended by then.
 */
export function runGraph(graph: CompiledGraph, call: GraphCall): Promise<readonly Value[]> {
  return new Promise((resolve, reject) => {
    const run = new GraphRun(graph, call, (error, results) => {
      if (error === undefined) {
        resolve(results);
      } else {
        reject(error);
      }
    });
    run.start();
  });
}

/** So much work is done, by its estimates, before the clock is looked at again. */
const MAX_UNCLOCKED_NANOS = 50_000;
/** The expected time of a node of small tensors with its kernel. */
const NANOS_PER_SMALL_NODE = 500;
/** Its kernel alone. */
const NANOS_PER_SMALL_KERNEL = 100;

class GraphRun implements Sliced {
  readonly #graph: CompiledGraph;
  readonly #outerSignal: CancellationSignal;
  readonly #call: Call;
  readonly #ended: (error: TensorFlowError | undefined, results: readonly Value[]) => void;
  readonly #state: StepState;
  /** Unregisters this call of a function from the enclosing step. */
  readonly #leave: () => void;
  /** Nodes that are ready to run. */
  readonly #ready = new ReadyQueue<Activation>();
  /** Number of kernels whose promises have not settled. */
  readonly #waiting = new Set<Activation>();
  /** The first error. No node runs after it. */
  #failure: TensorFlowError | undefined;
  /** True while `workUntil` runs or is due. */
  #isScheduled = false;
  #hasEnded = false;

  constructor(
    graph: CompiledGraph,
    { step, args = [], stats, work, functions = step.functions }: GraphCall,
    ended: (error: TensorFlowError | undefined, results: readonly Value[]) => void,
  ) {
    this.#graph = graph;
    this.#outerSignal = step.signal;
    this.#call = {
      step: new RunningStep(step, stats, functions),
      args,
      results: new Array(graph.resultCount),
      unclockedNanos: 0,
      work: work ?? { kernelNanos: 0 },
    };
    this.#ended = ended;
    this.#state = new StepState(graph);
    this.#leave = step instanceof RunningStep ? step.enter(() => this.#waitingNodes()) : () => undefined;
  }

  start(): void {
    this.#outerSignal.addEventListener("abort", this.#onAbort, { once: true });
    if (this.#outerSignal.aborted) {
      this.#onAbort();
    }
    this.#call.step.stats?.started(this.#graph);
    this.#state.start(this.#ready);
    this.#schedule();
  }

  readonly #onAbort = (): void => {
    this.#fail(withWaitingNodes(cancelledBy(this.#outerSignal.reason, "The step"), this.#waitingNodes()));
    this.#schedule();
  };

  /** The nodes that have not finished; for calls of functions, the nodes within the function. */
  #waitingNodes(): string[] {
    const own = [...this.#waiting].filter(({ node }) => !callsFunction(node));
    return [...own.map(({ node, inputs }) => waitingNode(node, inputs)), ...this.#call.step.waitingWithin()];
  }

  #schedule(): void {
    if (!this.#isScheduled && !this.#hasEnded) {
      this.#isScheduled = true;
      timeSlices.run(this);
    }
  }

  workUntil(deadlineMillis: number): boolean {
    while (this.#failure === undefined) {
      const activation = this.#ready.take();
      if (activation === undefined) {
        break;
      }
      this.#run(activation);
      // To ask for the time takes as long as a small kernel.
      if (this.#call.unclockedNanos >= MAX_UNCLOCKED_NANOS) {
        this.#call.unclockedNanos = 0;
        if (performance.now() >= deadlineMillis) {
          return true;
        }
      }
    }
    this.#ready.clear();
    this.#isScheduled = false;
    if (this.#waiting.size === 0) {
      this.#end();
    }
    return false;
  }

  #run(activation: Activation): void {
    const startMillis = this.#call.step.stats === undefined ? 0 : performance.now();
    try {
      if (this.#runQuickly(activation)) {
        return;
      }
      const outputs = runNode(activation, this.#call);
      if (outputs instanceof Promise) {
        this.#await(activation, outputs, startMillis);
      } else {
        this.#finish(activation, outputs, startMillis);
      }
    } catch (error) {
      this.#fail(errorOf(error, activation));
      letValuesGo(activation.inputs);
    }
  }

  /**
   * Runs a node that needs no more than its kernel, then one that its outputs have made ready, and so on.
   * @returns false for a node that is to be run by `runNode`.
   */
  #runQuickly(first: Activation): boolean {
    const call = this.#call;
    if (call.step.stats !== undefined) {
      return false;
    }
    const { iteration } = first;
    const { quick } = iteration.frame.outline;
    let { slot, inputs } = first;
    let isFirst = true;
    try {
      for (;;) {
        const outputs = this.#quickOutputs(quick[slot], inputs);
        if (outputs === undefined) {
          break;
        }
        const next = this.#state.goOn(slot, iteration, outputs, this.#ready);
        if (next === NO_SLOT) {
          return true;
        }
        slot = this.#runSmall(next, iteration);
        if (slot === NO_SLOT) {
          return true;
        }
        inputs = iteration.takeInputs(slot);
        isFirst = false;
        if (call.unclockedNanos >= MAX_UNCLOCKED_NANOS) {
          break;
        }
      }
    } catch (error) {
      this.#fail(errorOf(error, new Activation(slot, iteration, inputs, false)));
      letValuesGo(inputs);
      return true;
    }
    if (isFirst) {
      return false;
    }
    // It takes its turn with the others.
    this.#ready.push(new Activation(slot, iteration, inputs, false));
    return true;
  }

  /**
   * Runs a chain of nodes of small tensors that begins with this one, if it is such a node. Arrays for their inputs would
   * take as long to make as their kernels to run.
   * @returns the slot of a quick node that can be run now, and whose inputs are still in the iteration; NO_SLOT if there is
   *   none.
   */
  #runSmall(first: number, iteration: Iteration): number {
    const call = this.#call;
    const state = this.#state;
    const ready = this.#ready;
    const { inputs } = iteration;
    const { quick, firstInput } = iteration.frame.outline;
    let slot = first;
    while (!state.hasHeld && call.unclockedNanos < MAX_UNCLOCKED_NANOS) {
      const small = (quick[slot] as QuickNode).small;
      if (small === undefined) {
        break;
      }
      const at = firstInput[slot] as number;
      const output = small(inputs[at] as Tensor, inputs[at + 1] as Tensor);
      if (output === undefined) {
        break;
      }
      inputs[at] = undefined;
      inputs[at + 1] = undefined;
      call.unclockedNanos += NANOS_PER_SMALL_NODE;
      call.work.kernelNanos += NANOS_PER_SMALL_KERNEL;
      slot = state.goOn(slot, iteration, [output], ready);
      if (slot === NO_SLOT) {
        break;
      }
    }
    return slot;
  }

  /** @returns undefined for a node that is to be run by `runNode`. */
  #quickOutputs(quick: QuickNode | undefined, inputs: readonly (Value | undefined)[]): Outputs | undefined {
    if (quick === undefined || (this.#state.hasHeld && isAnyHeld(inputs))) {
      return undefined;
    }
    // No input of a node that is run by its kernel alone is undefined, or a reference.
    return runQuickNode(quick, inputs as readonly Tensor[], this.#call);
  }

  #await(activation: Activation, outputs: Promise<Outputs>, startMillis: number): void {
    this.#waiting.add(activation);
    const settle = (settled: () => void): void => {
      try {
        settled();
      } catch (error) {
        this.#fail(this.#failureOf(error, activation));
        letValuesGo(activation.inputs);
      }
      this.#waiting.delete(activation);
      this.#schedule();
    };
    outputs.then(
      (given) => settle(() => this.#finish(activation, given, startMillis)),
      (error: unknown) =>
        settle(() => {
          throw error;
        }),
    );
  }

  /**
   * The error of a node that waited. If it is only a consequence of an error elsewhere, all waiting nodes are named.
   */
  #failureOf(error: unknown, activation: Activation): TensorFlowError {
    const failure = errorOf(error, activation);
    return failure.isDerived ? withWaitingNodes(failure, this.#waitingNodes()) : failure;
  }

  #finish(activation: Activation, outputs: Outputs, startMillis: number): void {
    const { stats } = this.#call.step;
    // The nodes of a region were looked at one by one.
    if (activation.node.work.kind === "region") {
      stats?.ranRegion(activation.node.device, startMillis, outputs, activation.inputs);
    } else {
      checkOutputs(activation.node, outputs);
      stats?.ran(activation.node, startMillis, outputs, activation.inputs);
    }
    if (this.#failure === undefined) {
      this.#state.finished(activation, outputs, this.#ready);
    }
    letValuesGo(activation.inputs);
    // Free outputs that have no consumer.
    freeAllUnlessHeld(outputs);
  }

  #fail(error: TensorFlowError): void {
    if (this.#failure === undefined) {
      this.#failure = error;
      this.#call.step.abort(error);
    }
  }

  /** Nothing runs and nothing is ready. */
  #end(): void {
    if (this.#hasEnded) {
      return;
    }
    this.#hasEnded = true;
    this.#outerSignal.removeEventListener("abort", this.#onAbort);
    this.#leave();
    const { results } = this.#call;
    const values: Value[] = [];
    for (const [index, value] of results.entries()) {
      if (value === undefined) {
        this.#failure ??= invalidArgument(`Retval[${index}] does not have value`);
      } else {
        values.push(value);
      }
    }
    if (!this.#state.isDone) {
      this.#failure ??= withWaitingNodes(
        internalError("The graph came to a halt: nodes of it wait for inputs that never come."),
        this.#state.pendingNodes().map(pendingNode),
      );
    }
    if (this.#failure !== undefined) {
      this.#state.abandon();
    }
    this.#ended(this.#failure, values);
    // The caller has held those that it needs by the end of this turn.
    letValuesGo(values);
  }
}

/** The error of a node, with its name. What a region throws names the node of it that failed. */
function errorOf(error: unknown, { node: { node, work } }: Activation): TensorFlowError {
  return work.kind === "region" && error instanceof TensorFlowError ? error : nodeError(error, node.name);
}
