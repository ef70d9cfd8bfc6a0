import type { ClusterDef } from "../../../../protos/generated/tensorflow/cluster.js";
import { TensorProto } from "../../../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import * as wire from "../../../../protos/generated/tensorflow/worker.js";
import { CancellationController } from "../../../cancellation/cancellation-controller.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { type TaskName, taskDeviceName } from "../../../cluster/device-name.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import {
  aborted,
  asTensorFlowError,
  cancelled,
  StatusCode,
  type TensorFlowError,
  unimplemented,
} from "../../../protocol/status.js";
import { CollectiveService } from "../collectives/collective-service.js";
import type { StepSequences } from "../collectives/step-sequences.js";
import type { KernelOffload } from "../compute/kernel-offload.js";
import type { Device } from "../device.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { checkRoomForGraph } from "../kernels/support/allocation.js";
import { memoryBudget } from "../kernels/support/memory-budget.js";
import type { TaskRegions } from "../regions/task-regions.js";
import { RecentRequestIds } from "../rendezvous/recent-request-ids.js";
import { parseRendezvousKey } from "../rendezvous/rendezvous-key.js";
import { RendezvousTable } from "../rendezvous/rendezvous-table.js";
import type { FileAccess } from "../resources/file-access.js";
import { sentValue } from "../value-proto.js";
import { nowMicros } from "../wall-clock.js";
import { registerGraph } from "./registered-graph.js";
import { RemoteWorkerCache } from "./remote-worker-cache.js";
import { RpcLog } from "./rpc-log.js";
import { SessionTable } from "./session-table.js";
import { StepRunner } from "./step-runner.js";
import type { TaskDevices } from "./task-devices.js";
import type { IncomingCall, WorkerCache, WorkerCallOptions, WorkerInterface } from "./worker-interface.js";
import type { WorkerSession } from "./worker-session.js";
import type { WorkerTransport } from "./worker-transport.js";

export interface WorkerOptions {
  readonly devices: TaskDevices;
  /** The server's own cluster. */
  readonly cluster: ClusterDef;
  readonly transport: WorkerTransport;
  readonly kernels: KernelRegistry;
  readonly ops: OpRegistry;
  readonly files: FileAccess;
  readonly compute: KernelOffload | undefined;
  readonly regions?: TaskRegions | undefined;
  /** The task that leads the groups of collectives, as the server's default configuration names it. */
  readonly groupLeader?: string | undefined;
  /** How long the session of a master without a connection is kept; 0: forever. */
  readonly sessionIdleMillis: number;
  log(line: string): void;
}

/** The worker of this task: what tensorflow.WorkerService offers, whether it is called from here or over the network. */
export class Worker implements WorkerInterface {
  /** The state that all sessions share unless they are isolated. */
  readonly sharedDevices: TaskDevices;
  /** The workers of the server's own cluster; this one is among them. */
  readonly workers: WorkerCache;
  readonly sessions: SessionTable;
  readonly #options: WorkerOptions;
  readonly #rendezvous = new RendezvousTable();
  readonly #requestIds = new RecentRequestIds();
  readonly #rpcLog = new RpcLog();
  readonly #steps: StepRunner;
  readonly #collectives: CollectiveService;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.sharedDevices = options.devices;
    this.workers = this.makeWorkerCache(options.cluster, options.devices.task);
    this.sessions = new SessionTable({
      devices: options.devices,
      workers: this.workers,
      makeWorkers: (cluster, task) => this.makeWorkerCache(cluster, task),
      sessionIdleMillis: options.sessionIdleMillis,
      onRemove: (session) => this.#endStepsOf(session),
    });
    this.#collectives = new CollectiveService({
      devices: options.devices,
      workers: this.workers,
      groupLeader: options.groupLeader ?? "",
      requestIds: this.#requestIds,
    });
    this.#steps = new StepRunner({
      rendezvous: this.#rendezvous,
      rpcLog: this.#rpcLog,
      collectives: this.#collectives,
      files: options.files,
      compute: options.compute,
      log: options.log,
    });
  }

  /** The devices of this task under the server's own name. */
  devices(): readonly Device[] {
    return this.sharedDevices.all;
  }

  /** Steps that run or whose tensors are still held; for tests of leaks. */
  get heldSteps(): number {
    return Math.max(this.#rendezvous.size, this.#steps.runningSteps, this.#collectives.heldSteps);
  }

  /** Where the collective steps of this task's masters are. */
  get stepSequences(): StepSequences {
    return this.#collectives.sequences;
  }

  /**
   * The workers of a cluster, this one among them.
   * @param task what this task is called in that cluster; unless given, the task that has this one's address.
   * @throws TensorFlowError INVALID_ARGUMENT for an address that is not host:port.
   */
  makeWorkerCache(cluster: ClusterDef, task: TaskName | undefined = this.#taskIn(cluster)): WorkerCache {
    const own = task === undefined ? undefined : { name: taskDeviceName(task), worker: this };
    return new RemoteWorkerCache(cluster, this.#options.transport, own);
  }

  /** Ends all steps and sessions and closes all connections. */
  close(): void {
    this.#steps.cancelAll(() => cancelled("The server is ending."));
    for (const session of this.sessions.all()) {
      this.#endStepsOf(session);
      this.sessions.remove(session.handle);
    }
    this.#collectives.close();
    this.workers.close();
    this.sharedDevices.clearAll();
  }

  async getStatus(): Promise<wire.GetStatusResponse> {
    return { deviceAttributes: this.devices().map(({ attributes }) => attributes) };
  }

  async createWorkerSession(
    request: wire.CreateWorkerSessionRequest,
    { connection }: IncomingCall = {},
  ): Promise<wire.CreateWorkerSessionResponse> {
    this.sessions.create(request, connection);
    return {};
  }

  async deleteWorkerSession(
    request: wire.DeleteWorkerSessionRequest,
  ): Promise<wire.DeleteWorkerSessionResponse> {
    this.sessions.remove(request.sessionHandle);
    return {};
  }

  async registerGraph(
    request: wire.RegisterGraphRequest,
    { connection }: IncomingCall = {},
  ): Promise<wire.RegisterGraphResponse> {
    const session = this.sessions.find(request, connection);
    checkRoomForGraph();
    return { graphHandle: session.addGraph(await registerGraph(request, session.devices, this.#options)) };
  }

  async deregisterGraph(
    request: wire.DeregisterGraphRequest,
    { connection }: IncomingCall = {},
  ): Promise<wire.DeregisterGraphResponse> {
    this.sessions.find(request, connection).removeGraph(request.graphHandle);
    return {};
  }

  async runGraph(
    request: wire.RunGraphRequest,
    { connection, signal }: IncomingCall = {},
  ): Promise<wire.RunGraphResponse> {
    try {
      this.#requestIds.track(request.requestId, request.stepId, "RunGraph (Worker)", () =>
        [
          `graph_handle: "${request.graphHandle}"`,
          `step_id: ${request.stepId}`,
          `session_handle: "${request.sessionHandle}"`,
          `request_id: ${request.requestId}`,
        ].join(" "),
      );
      const session = this.sessions.find(request, connection);
      const graph = session.graph(request.graphHandle);
      return await this.#steps.run(session, graph, request, signal);
    } catch (error) {
      const { code, message } = asTensorFlowError(error, StatusCode.INTERNAL);
      if (!request.storeErrorsInResponseBody) {
        throw error;
      }
      return { ...wire.RunGraphResponse.create(), statusCode: code, statusErrorMessage: message };
    }
  }

  async cleanupGraph({ stepId }: wire.CleanupGraphRequest): Promise<wire.CleanupGraphResponse> {
    for (const { steps } of this.sessions.all()) {
      steps.delete(stepId);
    }
    this.#endStep(stepId, `Cleanup ${stepId}`);
    memoryBudget.letGo();
    return {};
  }

  async cleanupAll({ container }: wire.CleanupAllRequest): Promise<wire.CleanupAllResponse> {
    this.sharedDevices.clear(container);
    memoryBudget.letGo();
    return {};
  }

  async recvTensor(
    request: wire.RecvTensorRequest,
    call?: WorkerCallOptions,
  ): Promise<wire.RecvTensorResponse> {
    const { stepId, rendezvousKey, requestId } = request;
    this.#requestIds.track(
      requestId,
      stepId,
      "RecvTensor (GrpcWorker)",
      () => `step_id: ${stepId} rendezvous_key: "${rendezvousKey}" request_id: ${requestId}`,
    );
    this.sharedDevices.checkSender(parseRendezvousKey(rendezvousKey));
    try {
      const signal = signalOf(call);
      const sent = await this.#rendezvous.get(stepId).recvLocal(rendezvousKey, signal);
      const response = wire.RecvTensorResponse.create();
      response.isDead = sent.isDead;
      response.sendStartMicros = BigInt(nowMicros());
      // Receivers want a tensor in any case; the content of a dead one is ignored.
      response.tensor = sent.isDead ? deadTensor() : await sentValue(sent.value, { signal });
      return response;
    } finally {
      this.#rendezvous.releaseUnused(stepId);
    }
  }

  async markRecvFinished(): Promise<wire.MarkRecvFinishedResponse> {
    // Answers are not kept for repeated calls, so nothing waits for this.
    return {};
  }

  async logging(request: wire.LoggingRequest): Promise<wire.LoggingResponse> {
    return this.#rpcLog.handle(request);
  }

  async tracing(): Promise<wire.TracingResponse> {
    throw unimplemented("Tracing");
  }

  async recvBuf(request: wire.RecvBufRequest, call?: WorkerCallOptions): Promise<wire.RecvBufResponse> {
    return this.#collectives.recvBuf(request, signalOf(call));
  }

  async completeGroup(
    request: wire.CompleteGroupRequest,
    call?: WorkerCallOptions,
  ): Promise<wire.CompleteGroupResponse> {
    return this.#collectives.completeGroup(request, signalOf(call));
  }

  async completeInstance(
    request: wire.CompleteInstanceRequest,
    call?: WorkerCallOptions,
  ): Promise<wire.CompleteInstanceResponse> {
    return this.#collectives.completeInstance(request, signalOf(call));
  }

  async getStepSequence(request: wire.GetStepSequenceRequest): Promise<wire.GetStepSequenceResponse> {
    return this.#collectives.getStepSequence(request);
  }

  /** The name of this task in another cluster: names may differ, and the same name may be another task. */
  #taskIn(cluster: ClusterDef): TaskName | undefined {
    const { job: ownJob, index: ownIndex } = this.sharedDevices.task;
    const address = this.#options.cluster.job.find(({ name }) => name === ownJob)?.tasks.get(ownIndex);
    for (const { name: job, tasks } of cluster.job) {
      for (const [index, other] of tasks) {
        if (other === address) {
          return { job, index };
        }
      }
    }
    return undefined;
  }

  #endStepsOf(session: WorkerSession): void {
    for (const stepId of session.steps) {
      this.#endStep(stepId, `Step ${stepId} ended with its session.`);
    }
    session.steps.clear();
  }

  #endStep(stepId: bigint, why: string): void {
    const reason = (): TensorFlowError => aborted(why);
    this.#steps.cancel(stepId, reason);
    // Masters that share a graph key may use the id of such a step once more.
    const mayComeAgain = this.#collectives.endStep(stepId);
    this.#rendezvous.end(stepId, reason, mayComeAgain);
  }
}

/** The tensor that TensorFlow sends in place of a dead one: its empty tensor. */
function deadTensor(): TensorProto {
  return TensorProto.fromPartial({ dtype: DataType.DT_FLOAT, tensorShape: { dim: [{ size: 0n }] } });
}

/** Never aborted where the caller cannot cancel. */
function signalOf(call: WorkerCallOptions | undefined): CancellationSignal {
  return call?.signal ?? new CancellationController().signal;
}
