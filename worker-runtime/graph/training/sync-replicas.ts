import { invalidArgument } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { denseGradient, type Gradient } from "../gradients/gradient.js";
import { Graph } from "../graph.js";
import type { Operation, Output } from "../operation.js";
import { fill } from "../ops/array.js";
import { group, noOp } from "../ops/control-flow.js";
import { cast } from "../ops/math.js";
import { dequeue, enqueueMany, fifoQueue, type Queue } from "../ops/queue.js";
import { assign, GraphKeys, readVariable, variable } from "../ops/state.js";
import type { Variable } from "../variable.js";
import type { ComputeGradientsOptions, GradientOfVariable, Optimizer } from "./optimizer.js";

export interface SyncReplicasOptions {
  /** How many replicas' gradients make a step. */
  readonly replicasToAggregate: number;
  /** How many replicas there are; with more than are aggregated, the slowest are left out. Defaults to as many. */
  readonly totalNumReplicas?: number | undefined;
  /** Defaults to "sync_replicas". */
  readonly name?: string | undefined;
}

/** Collects the gradients of a variable until there are enough. */
interface Accumulator {
  readonly apply: Operation;
  readonly average: Output;
  readonly setGlobalStep: (step: Output) => Operation;
}

/** The operations besides the training operation, which SyncReplicasHook runs. */
export interface SyncReplicasOps {
  /** The chief runs it over and over: waits for enough gradients, applies them, and lets the replicas go on. */
  readonly syncOp: Operation;
  /** The chief runs it before: accumulators drop gradients from before the current step. */
  readonly chiefInitOp: Operation;
  /** Each replica runs it before its first step. */
  readonly localStepInitOp: Operation;
}

/**
 * Synchronous training by several workers, as tf.compat.v1.train.SyncReplicasOptimizer: gradients are averaged on the
 * parameter servers, applied by another optimizer once there are enough, and those that come late are dropped. Each
 * worker then takes a token, which is the number of the step that it computes gradients for.
 */
export class SyncReplicasOptimizer {
  readonly #optimizer: Optimizer;
  readonly #aggregated: number;
  readonly #replicas: number;
  readonly #tokensPerStep: number;
  readonly #name: string;
  #ops: SyncReplicasOps | undefined;
  /** Adds the operation that puts so many tokens into the queue. */
  #initTokens: ((count: number) => Operation) | undefined;

  constructor(optimizer: Optimizer, options: SyncReplicasOptions) {
    const { replicasToAggregate, totalNumReplicas = replicasToAggregate } = options;
    this.#optimizer = optimizer;
    this.#aggregated = replicasToAggregate;
    this.#replicas = totalNumReplicas;
    this.#tokensPerStep = Math.max(totalNumReplicas, replicasToAggregate);
    this.#name = options.name ?? "sync_replicas";
  }

  /** @throws TensorFlowError INVALID_ARGUMENT before `applyGradients` */
  get ops(): SyncReplicasOps {
    if (this.#ops) return this.#ops;
    throw invalidArgument("The optimizer has made no training operation yet (minimize or applyGradients).");
  }

  /**
   * The operation that the chief runs before its first step: it lets so many steps of replicas begin before the
   * first is complete.
   * @param numTokens -1: as many as replicas are aggregated.
   * @throws TensorFlowError INVALID_ARGUMENT before `applyGradients`, and for fewer than the first step takes
   */
  getInitTokensOp(numTokens = -1): Operation {
    const needed = this.#aggregated - this.#replicas;
    if (numTokens !== -1 && numTokens < needed) {
      throw invalidArgument(
        `Too few tokens to finish the first step: ${numTokens} (given) vs ${needed} (needed)`,
      );
    }
    const { syncOp } = this.ops;
    const count = numTokens === -1 ? this.#aggregated : numTokens;
    return count > 0 && this.#initTokens
      ? this.#initTokens(count)
      : noOp(Graph.of(syncOp), { name: "no_init_tokens" });
  }

  computeGradients(loss: Output, options: ComputeGradientsOptions = {}): GradientOfVariable[] {
    return this.#optimizer.computeGradients(loss, options);
  }

  minimize(loss: Output, options: ComputeGradientsOptions & { readonly globalStep: Variable }): Operation {
    return this.applyGradients(this.computeGradients(loss, options), options);
  }

  /** The training operation of a replica: gives its gradients, and waits until the step is complete. */
  applyGradients(
    all: readonly GradientOfVariable[],
    { globalStep }: { readonly globalStep: Variable },
  ): Operation {
    const graph = Graph.of(globalStep.handle);
    // With the worker, not with the parameter servers: each replica has a step of its own.
    const anchor = noOp(graph, { name: "local_anchor" });
    const localStep = graph.withColocation(anchor, () =>
      variable(graph, Tensor.of(0n, "int64"), {
        ...{ name: "sync_rep_local_step", kind: "resource", trainable: false },
        collections: [GraphKeys.LOCAL_VARIABLES],
      }),
    );
    return graph.withNameScope(this.#name, () => {
      const given = all.flatMap(([gradient, one]) => (gradient ? [[gradient, one] as const] : []));
      const accumulators = given.map(([gradient, one]) => this.#accumulator(graph, gradient, one, localStep));
      const queue = graph.withColocation(globalStep.handle, () =>
        fifoQueue(graph, -1, ["int64"], { shapes: [[]], sharedName: "sync_token_q", name: "sync_token_q" }),
      );
      const averages = accumulators.map(({ average }, i): GradientOfVariable => {
        const one = given[i]?.[1];
        if (!one) throw invalidArgument("There are as many accumulators as gradients.");
        return [average, one];
      });
      const updated = graph.withDevice(globalStep.device, () =>
        this.#optimizer.applyGradients(averages, { globalStep }),
      );
      const step = () => cast(onItsDevice(graph, globalStep), "int64");
      this.#ops = {
        syncOp: graph.withControlDependencies([updated], () =>
          tokens(graph, queue, this.#tokensPerStep, step(), globalStep),
        ),
        chiefInitOp: group(
          graph,
          accumulators.map(({ setGlobalStep }) => setGlobalStep(step())),
          { name: "chief_init" },
        ),
        localStepInitOp: assign(localStep, step()).op,
      };
      this.#initTokens = (count) =>
        graph.withNameScope(this.#name, () =>
          graph.withDevice(globalStep.device, () => tokens(graph, queue, count, step(), globalStep)),
        );
      return graph.withControlDependencies(
        accumulators.map(({ apply }) => apply),
        () => {
          const [token] = graph.withColocation(queue.handle, () => dequeue(queue));
          if (!token) throw invalidArgument("A token is one number.");
          return graph.withColocation(localStep.handle, () => assign(localStep, token)).op;
        },
      );
    });
  }

  #accumulator(graph: Graph, gradient: Gradient, of: Variable, localStep: Variable): Accumulator {
    const { dtype, shape, name } = of;
    if (!shape) throw invalidArgument(`The shape of variable ${name} has to be known.`);
    // The name that Python gives it, whose variables are named as tensors: replicas of both kinds share it.
    const attrs = { dtype, shape, shared_name: `${name}:0/grad_accum` };
    // Rows are added to all: an accumulator of rows would divide each by how many replicas had it, not by their number.
    const dense = denseGradient(gradient);
    return graph.withDevice(of.device, () => {
      const handle = graph.op("ConditionalAccumulator", [], attrs, "grad_accum").output;
      const apply = graph.op("AccumulatorApplyGradient", [handle, localStep.value, dense], { dtype });
      const required = Tensor.of(this.#aggregated, "int32");
      const average = graph.op("AccumulatorTakeGradient", [handle, required], { dtype }).output;
      const setGlobalStep = (step: Output) => graph.op("AccumulatorSetGlobalStep", [handle, step]);
      return { apply, setGlobalStep, average: reshaped(graph, average, shape) };
    });
  }
}

/** The same tensor with the shape that is known of it. */
function reshaped(graph: Graph, x: Output, shape: readonly number[]): Output {
  return graph.op("Reshape", [x, Tensor.of(shape, "int32", [shape.length])]).output;
}

function onItsDevice(graph: Graph, step: Variable): Output {
  return graph.withColocation(step.handle, () => readVariable(step));
}

/** Puts tokens with the number of the step into the queue. */
function tokens(graph: Graph, queue: Queue, count: number, step: Output, globalStep: Variable): Operation {
  return graph.withColocation(globalStep.handle, () => enqueueMany(queue, [fill(graph, [count], step)]));
}
