import type { NamedTensorProto } from "../../../../protos/generated/tensorflow/named_tensor.js";
import { type RunGraphRequest, RunGraphResponse } from "../../../../protos/generated/tensorflow/worker.js";
import { CancellationController } from "../../../cancellation/cancellation-controller.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import {
  asTensorFlowError,
  cancelled,
  internalError,
  invalidArgument,
  PayloadKey,
  StatusCode,
  TensorFlowError,
} from "../../../protocol/status.js";
import type { CollectiveService } from "../collectives/collective-service.js";
import type { StepMembers } from "../collectives/step-collectives.js";
import type { KernelOffload } from "../compute/kernel-offload.js";
import { runGraph } from "../executor/executor.js";
import type { StepContext } from "../executor/step-context.js";
import { StepStatsCollector } from "../executor/step-stats.js";
import { withoutWaitingNodes } from "../executor/waiting-nodes.js";
import { memoryBudget } from "../kernels/support/memory-budget.js";
import { ReceivedTensor } from "../memory/received-tensor.js";
import { type PausingWork, withPauses } from "../pauses.js";
import { parseRendezvousKey } from "../rendezvous/rendezvous-key.js";
import type { RendezvousTable } from "../rendezvous/rendezvous-table.js";
import type { StepRendezvous } from "../rendezvous/step-rendezvous.js";
import type { FileAccess } from "../resources/file-access.js";
import { ResourceManager } from "../resources/resource-manager.js";
import { sentValue, valueFromProto } from "../value-proto.js";
import type { Value } from "../values.js";
import type { RegisteredGraph } from "./registered-graph.js";
import { remoteReceiver } from "./remote-receiver.js";
import type { RpcLog } from "./rpc-log.js";
import type { WorkerSession } from "./worker-session.js";

export interface StepEnvironment {
  readonly rendezvous: RendezvousTable;
  readonly rpcLog: RpcLog;
  readonly collectives: CollectiveService;
  readonly files: FileAccess;
  readonly compute: KernelOffload | undefined;
  log(line: string): void;
}

/** A step of one partition, from its first RunGraph to its end. */
interface RunningStep {
  readonly controller: CancellationController;
  readonly rendezvous: StepRendezvous;
  /** Resolves when all nodes have run; rejects with the step's error. */
  readonly finished: Promise<void>;
  readonly stats: StepStatsCollector | undefined;
}

/** Runs partitions: one RunGraph, or several for the parts of a partial run. */
export class StepRunner {
  readonly #env: StepEnvironment;
  /** Partial runs that wait for their next part, by step. */
  readonly #partial = new Map<bigint, RunningStep>();
  /** All running steps; a set for each step id, since a test may run one step twice at once. */
  readonly #running = new Map<bigint, Set<CancellationController>>();

  constructor(env: StepEnvironment) {
    this.#env = env;
  }

  /** Number of running steps. */
  get runningSteps(): number {
    return this.#running.size;
  }

  /**
   * Runs a partition, or another part of a partial run, and waits for the values that the caller fetches. Takes
   * ownership of the request's tensors: they must not be read afterwards.
   *
   * @throws TensorFlowError the step's first error; CANCELLED when the signal is aborted, which ends the whole step.
   */
  async run(
    session: WorkerSession,
    graph: RegisteredGraph,
    request: RunGraphRequest,
    signal: CancellationSignal | undefined,
  ): Promise<RunGraphResponse> {
    const { stepId } = request;
    // Before any node runs, so that an invalid feed starts nothing.
    const feeds = await withPauses(feedsOf(request.send));
    const before = request.isPartial ? this.#partial.get(stepId) : undefined;
    const step = before ?? this.#start(session, graph, request, feeds);
    const cancel = (): void => {
      step.controller.abort(cancelled(`RunGraph of step ${stepId} was cancelled by its caller.`));
      // A caller that is gone does not clean up; a live one may do so again.
      this.#env.rendezvous.end(stepId);
      this.#env.collectives.endStep(stepId);
      session.steps.delete(stepId);
    };
    if (signal?.aborted) {
      cancel();
    }
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      if (before !== undefined) {
        sendAll(step.rendezvous, feeds);
      }
      return await this.#answer(step, graph, request);
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Ends a running step, with a reason that is created only then; unknown steps are ignored. */
  cancel(stepId: bigint, reason: () => TensorFlowError): void {
    for (const controller of this.#running.get(stepId) ?? []) {
      controller.abort(reason());
    }
  }

  /** Ends all steps. */
  cancelAll(reason: () => TensorFlowError): void {
    for (const stepId of [...this.#running.keys()]) {
      this.cancel(stepId, reason);
    }
  }

  #start(
    session: WorkerSession,
    graph: RegisteredGraph,
    request: RunGraphRequest,
    feeds: readonly Feed[],
  ): RunningStep {
    const { stepId, isPartial } = request;
    const rendezvous = this.#env.rendezvous.get(stepId);
    const { devices, workers } = session;
    rendezvous.attach(remoteReceiver({ stepId, devices, workers, log: this.#env.rpcLog }));
    session.steps.add(stepId);
    const controller = new CancellationController();
    const stats = request.execOpts?.recordTimeline === true ? new StepStatsCollector() : undefined;
    sendAll(rendezvous, feeds);
    const step: RunningStep = {
      controller,
      rendezvous,
      stats,
      finished: this.#execute(session, graph, stepId, rendezvous, controller, stats),
    };
    // The error is reported to the pending call; a partial run may have none at the moment.
    step.finished.catch(() => undefined);
    if (isPartial && !request.isLastPartialRun) {
      this.#partial.set(stepId, step);
      step.finished.catch(() => this.#partial.delete(stepId));
    }
    return step;
  }

  async #execute(
    session: WorkerSession,
    graph: RegisteredGraph,
    stepId: bigint,
    rendezvous: StepRendezvous,
    controller: CancellationController,
    stats: StepStatsCollector | undefined,
  ): Promise<void> {
    const stepResources = new ResourceManager();
    const collectives = this.#membersOf(stepId, session, graph);
    const step: StepContext = {
      stepId,
      session: session.handle,
      signal: controller.signal,
      resources: (device) => session.devices.resources(device),
      stepResources,
      rendezvous,
      collectives,
      functions: graph.functions,
      files: this.#env.files,
      compute: this.#env.compute,
      log: (line) => this.#env.log(line),
    };
    const running = this.#running.get(stepId) ?? new Set();
    this.#running.set(stepId, running.add(controller));
    try {
      const work = { kernelNanos: 0 };
      await runGraph(graph.compiled, { step, work, ...(stats === undefined ? {} : { stats }) });
      graph.ran(work.kernelNanos);
    } catch (error) {
      const failure = asTensorFlowError(error, StatusCode.INTERNAL);
      // Receivers of this step's tensors fail, too, and their master distinguishes the cause from the consequences.
      rendezvous.abort(derived(failure));
      if (collectives !== undefined) {
        this.#env.collectives.failStep(stepId, collectives, derived(failure));
      }
      controller.abort(failure);
      throw failure;
    } finally {
      running.delete(controller);
      if (running.size === 0) {
        this.#running.delete(stepId);
      }
      stepResources.clearAll();
      memoryBudget.letGo();
    }
  }

  #membersOf(stepId: bigint, session: WorkerSession, graph: RegisteredGraph): StepMembers | undefined {
    return graph.collectiveGraphKey === 0n
      ? undefined
      : this.#env.collectives.beginStep(stepId, session, graph.groupLeader);
  }

  async #answer(
    step: RunningStep,
    graph: RegisteredGraph,
    request: RunGraphRequest,
  ): Promise<RunGraphResponse> {
    const { stepId, isPartial, isLastPartialRun, execOpts } = request;
    if (!isPartial) {
      await step.finished;
    }
    const response = RunGraphResponse.create();
    response.recv = await receiveAll(step, request);
    if (isPartial && isLastPartialRun) {
      this.#partial.delete(stepId);
      await step.finished;
    }
    if (step.stats !== undefined) {
      response.stepStats = step.stats.toProto();
    }
    if (execOpts?.recordPartitionGraphs === true) {
      response.partitionGraph = [graph.graphDef];
    }
    return response;
  }
}

/** A value that the caller feeds, by its key. */
interface Feed {
  readonly name: string;
  readonly value: Value;
}

function* feedsOf(send: readonly NamedTensorProto[]): PausingWork<readonly Feed[]> {
  const feeds: Feed[] = [];
  // If two keys share one tensor, its memory must not be given back twice.
  const areDistinct = new Set(send.map(({ tensor }) => tensor)).size === send.length;
  for (const [index, { name, tensor }] of send.entries()) {
    parseRendezvousKey(name);
    if (tensor === undefined) {
      throw invalidArgument(`Invalid TensorProto for feed value ${index}`);
    }
    const value = yield* valueFromProto(tensor);
    feeds.push({ name, value: areDistinct ? ReceivedTensor.lend(value) : value });
    yield;
  }
  return feeds;
}

function sendAll(rendezvous: StepRendezvous, feeds: readonly Feed[]): void {
  for (const { name, value } of feeds) {
    rendezvous.send(name, { isDead: false, value });
  }
}

/** The values that the caller fetches. A key that is fetched twice is received once, as in TensorFlow. */
async function receiveAll(step: RunningStep, request: RunGraphRequest): Promise<NamedTensorProto[]> {
  const { stepId, recvKey } = request;
  const keys = [...new Set(recvKey)];
  try {
    return await Promise.all(
      keys.map(async (name) => {
        parseRendezvousKey(name);
        const sent = await step.rendezvous.recv(name, step.controller.signal);
        if (sent.isDead) {
          throw invalidArgument(`The tensor returned for ${name} was not valid.`);
        }
        return { name, tensor: await sentValue(sent.value, step.controller) };
      }),
    );
  } catch (error) {
    if (step.controller.signal.aborted) {
      // The step's own error names the nodes that waited.
      await step.finished;
      throw asTensorFlowError(step.controller.signal.reason, StatusCode.INTERNAL);
    }
    const { message } = asTensorFlowError(error);
    throw internalError(`Failed to fetch outputs for step ${stepId}. (Original error message: ${message})`, {
      cause: error,
    });
  }
}

/**
 * The same error, marked as derived from one that is reported elsewhere, and without what this task's nodes wait for.
 */
function derived(error: TensorFlowError): TensorFlowError {
  return new TensorFlowError(error.code, withoutWaitingNodes(error.message), {
    cause: error,
    payloads: new Map([...error.payloads, [PayloadKey.DERIVED_STATUS, new Uint8Array(0)]]),
  });
}
