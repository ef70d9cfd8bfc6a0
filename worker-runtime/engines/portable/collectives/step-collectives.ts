import type { DeviceAttributes } from "../../../../protos/generated/tensorflow/device_attributes.js";
import { RecvBufRequest } from "../../../../protos/generated/tensorflow/worker.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { itemSize } from "../../../protocol/dtype.js";
import { internalError } from "../../../protocol/status.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { randomId } from "../../../random-id.js";
import type { TaskDevices } from "../worker/task-devices.js";
import type { WorkerCache } from "../worker/worker-interface.js";
import { checkSize, tensorOfBuf } from "./buf-message.js";
import type { BufRendezvous } from "./buf-rendezvous.js";
import type { CollectiveParams, Expected, Group, Membership, StepCollectives } from "./collective.js";
import { taskNameOf } from "./group-leader.js";
import { groupRequestFor, type MemberResolver } from "./member-resolver.js";

export interface StepCollectivesParts {
  readonly stepId: bigint;
  /** This task's devices and the workers as the step's session knows them. */
  readonly devices: TaskDevices;
  readonly workers: WorkerCache;
  readonly buffers: BufRendezvous;
  readonly resolver: MemberResolver;
}

/** The collectives of one step: finds the groups of its nodes and carries their tensors. */
export class StepMembers implements StepCollectives {
  readonly #parts: StepCollectivesParts;
  readonly #groupKeys = new Set<number>();

  constructor(parts: StepCollectivesParts) {
    this.#parts = parts;
  }

  async join(params: CollectiveParams, signal: CancellationSignal): Promise<Membership> {
    const { devices, resolver } = this.#parts;
    this.#groupKeys.add(params.groupKey);
    const group = await resolver.completeGroup(groupRequestFor(params, devices), signal);
    const sourceRank = await resolver.completeInstance(params, signal);
    return new GroupMember(this.#parts, group, params.device, sourceRank);
  }

  /** The step failed: its groups are requested again. */
  forgetGroups(): void {
    for (const groupKey of this.#groupKeys) {
      this.#parts.resolver.forget(groupKey);
    }
  }
}

class GroupMember implements Membership {
  readonly tasks: readonly string[];
  readonly rank: number;
  readonly sourceRank: number;
  readonly #parts: StepCollectivesParts;
  readonly #members: readonly DeviceAttributes[];

  constructor(parts: StepCollectivesParts, { devices }: Group, device: string, sourceRank: number) {
    this.#parts = parts;
    this.#members = devices;
    this.tasks = devices.map(({ name }) => taskNameOf(name));
    this.rank = devices.findIndex(({ name }) => name === device);
    this.sourceRank = sourceRank;
  }

  provide(key: string, tensor: Tensor, signal: CancellationSignal): Promise<void> {
    return this.#parts.buffers.provide(key, tensor, signal);
  }

  async receive(rank: number, key: string, expected: Expected, signal: CancellationSignal): Promise<Tensor> {
    const { stepId, devices, workers, buffers } = this.#parts;
    const member = this.#members[rank];
    const task = this.tasks[rank];
    if (member === undefined || task === undefined) {
      throw internalError(`The group has no member of rank ${rank}.`);
    }
    if (task === devices.taskName) {
      return checkSize(await buffers.consume(key, signal), expected);
    }
    const request = RecvBufRequest.create();
    request.stepId = stepId;
    request.bufRendezvousKey = key;
    request.numBytes = BigInt(expected.count * itemSize(expected.dtype));
    request.srcDevice = member.name;
    request.srcIncarnation = member.incarnation;
    request.dstDevice = this.#members[this.rank]?.name ?? "";
    // Never 0, which is not checked.
    request.requestId = BigInt.asIntN(64, randomId()) | 1n;
    return tensorOfBuf(await workers.worker(task).recvBuf(request, { signal }), expected);
  }
}
