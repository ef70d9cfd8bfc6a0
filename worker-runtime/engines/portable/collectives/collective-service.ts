import type * as wire from "../../../../protos/generated/tensorflow/worker.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { parseDeviceName } from "../../../cluster/device-name.js";
import {
  cancelled,
  failedPrecondition,
  internalError,
  invalidArgument,
  type TensorFlowError,
} from "../../../protocol/status.js";
import type { RecentRequestIds } from "../rendezvous/recent-request-ids.js";
import type { TaskDevices } from "../worker/task-devices.js";
import type { WorkerCache } from "../worker/worker-interface.js";
import { bufResponse } from "./buf-message.js";
import { BufTable } from "./buf-table.js";
import { GroupLeader, groupRequestOf, groupResponse, instanceRequestOf } from "./group-leader.js";
import { type Leadership, MemberResolver } from "./member-resolver.js";
import { StepMembers } from "./step-collectives.js";
import { StepSequences } from "./step-sequences.js";

export interface CollectiveServiceOptions {
  /** The devices under the server's own name. */
  readonly devices: TaskDevices;
  /** The workers of the server's own cluster. */
  readonly workers: WorkerCache;
  /** The task that the server's default configuration names; "" for none: this one then leads. */
  readonly groupLeader: string;
  readonly requestIds: RecentRequestIds;
}

/** The parts of a session that its collectives use. */
export interface CollectiveSession {
  readonly devices: TaskDevices;
  readonly workers: WorkerCache;
}

/** The collectives of a task: its worker's answers to other tasks, and the collectives of its own steps. */
export class CollectiveService {
  /** The sequences of all masters of this task. */
  readonly sequences = new StepSequences();
  readonly #options: CollectiveServiceOptions;
  readonly #leader = new GroupLeader();
  readonly #buffers = new BufTable();
  /** Resolvers by leader, for each cluster that sessions see. */
  readonly #resolvers = new WeakMap<WorkerCache, Map<string, MemberResolver>>();
  /** Steps that began here and were not cleaned up. */
  readonly #steps = new Set<bigint>();

  constructor(options: CollectiveServiceOptions) {
    this.#options = options;
  }

  /** Number of steps that others may query; for tests of leaks. */
  get heldSteps(): number {
    return this.#buffers.size;
  }

  /**
   * Begins a step with collectives.
   * @param groupLeader the task that the session's configuration names; the server's own takes precedence.
   */
  beginStep(stepId: bigint, session: CollectiveSession, groupLeader: string): StepMembers {
    const { devices, workers } = session;
    const resolver = this.#resolver(session, this.#options.groupLeader || groupLeader);
    const buffers = this.#buffers.begin(stepId);
    this.#steps.add(stepId);
    return new StepMembers({ stepId, devices, workers, buffers, resolver });
  }

  /** Records that a step failed: its waiters get the error, and the next step resolves its groups again. */
  failStep(stepId: bigint, members: StepMembers, error: TensorFlowError): void {
    members.forgetGroups();
    this.#buffers.fail(stepId, error);
  }

  /** @returns whether it was a step with collectives, whose id masters may reuse. */
  endStep(stepId: bigint): boolean {
    const wasOne = this.#steps.delete(stepId);
    // Requests that are still waiting here cannot be served any more.
    this.#buffers.end(stepId, () => internalError("Delete called on non-empty BufRendezvous"));
    return wasOne;
  }

  /** Ends all waits. */
  close(): void {
    const error = cancelled("The server is ending.");
    this.#leader.close(error);
    this.#buffers.close(() => error);
  }

  /**
   * Answers with a tensor that a device of this task provides.
   * @throws TensorFlowError INVALID_ARGUMENT for no device of this task; FAILED_PRECONDITION for one of an earlier
   *   incarnation; ABORTED for a request that was received twice or a step that failed here; INTERNAL for a step that
   *   is meanwhile cleaned up; CANCELLED.
   */
  async recvBuf(request: wire.RecvBufRequest, signal: CancellationSignal): Promise<wire.RecvBufResponse> {
    const { stepId, bufRendezvousKey, requestId } = request;
    this.#options.requestIds.track(
      requestId,
      stepId,
      "RecvBuf (GrpcWorker)",
      () => `step_id: ${stepId} buf_rendezvous_key: "${bufRendezvousKey}" request_id: ${requestId}`,
    );
    this.#checkSource(request);
    try {
      return bufResponse(await this.#buffers.of(stepId).consume(bufRendezvousKey, signal));
    } finally {
      this.#buffers.releaseUnused(stepId);
    }
  }

  /** @throws TensorFlowError as `groupRequestOf` and `GroupTable.complete`; what the server's own leader answers. */
  async completeGroup(
    request: wire.CompleteGroupRequest,
    signal: CancellationSignal,
  ): Promise<wire.CompleteGroupResponse> {
    return groupResponse(await this.#own().completeGroup(groupRequestOf(request), signal));
  }

  /** @throws TensorFlowError as `GroupLeader.completeInstance`; what the server's own leader answers. */
  async completeInstance(
    request: wire.CompleteInstanceRequest,
    signal: CancellationSignal,
  ): Promise<wire.CompleteInstanceResponse> {
    const { instanceKey } = request;
    return {
      instanceKey,
      sourceRank: await this.#own().completeInstance(instanceRequestOf(request), signal),
    };
  }

  /** @throws TensorFlowError INTERNAL, in TensorFlow's words, where the server's configuration names another leader. */
  getStepSequence(request: wire.GetStepSequenceRequest): wire.GetStepSequenceResponse {
    const { groupLeader, devices } = this.#options;
    if (groupLeader !== "" && groupLeader !== devices.taskName) {
      throw internalError("GetStepSequenceAsync called at non-group-leader");
    }
    return this.sequences.answer(request);
  }

  #own(): MemberResolver {
    return this.#resolver(this.#options, this.#options.groupLeader);
  }

  #resolver({ devices, workers }: CollectiveSession, groupLeader: string): MemberResolver {
    const byLeader = this.#resolvers.get(workers) ?? new Map<string, MemberResolver>();
    this.#resolvers.set(workers, byLeader);
    const isOwn = groupLeader === "" || groupLeader === devices.taskName;
    const name = isOwn ? "" : groupLeader;
    const known = byLeader.get(name);
    if (known !== undefined) {
      return known;
    }
    const leadership: Leadership = isOwn
      ? { kind: "own", leader: this.#leader }
      : { kind: "other", task: groupLeader, worker: () => workers.worker(groupLeader) };
    const made = new MemberResolver(leadership);
    byLeader.set(name, made);
    return made;
  }

  /**
   * As for tensors: sessions know the task by different names, so a device is identified by its type, index and
   * incarnation.
   */
  #checkSource({ srcDevice, srcIncarnation }: wire.RecvBufRequest): void {
    const { all } = this.#options.devices;
    const { type, index } = parseDeviceName(srcDevice);
    const device = all.find(({ name }) => {
      const own = parseDeviceName(name);
      return own.type === type && own.index === index;
    });
    if (device?.incarnation === srcIncarnation) {
      return;
    }
    if (!all.some(({ name }) => name === srcDevice)) {
      throw invalidArgument(`${srcDevice} unknown device.`);
    }
    throw failedPrecondition(
      `RecvBuf expects a different device incarnation: ${srcIncarnation} vs. ${device?.incarnation}. Your worker job that ` +
        `contains the device ("${srcDevice}") was probably restarted. Check your worker job for the reason why it was ` +
        "restarted.",
    );
  }
}
