import type * as wire from "../../../../protos/generated/tensorflow/worker.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { taskDeviceName, taskOfDevice } from "../../../cluster/device-name.js";
import { dtypeOf } from "../../../protocol/dtype.js";
import { shapeFromProto } from "../../../protocol/shape.js";
import { failedPrecondition, internalError, type TensorFlowError } from "../../../protocol/status.js";
import type { Group, GroupRequest, InstanceRequest } from "./collective.js";
import { GroupTable } from "./group-table.js";
import { InstanceTable } from "./instance-table.js";

const noBytes = new Uint8Array(0);

/**
 * A task's role as the leader of groups: answers CompleteGroup and CompleteInstance, for other tasks and its own
 * devices.
 */
export class GroupLeader {
  readonly #instances = new InstanceTable();
  readonly #groups = new GroupTable((group, reason) => this.#instances.forget(group, reason));

  /** @throws TensorFlowError as `GroupTable.complete`. */
  completeGroup(request: GroupRequest, signal: CancellationSignal): Promise<Group> {
    return this.#groups.complete(request, signal);
  }

  /**
   * @returns the rank of a broadcast's source.
   * @throws TensorFlowError FAILED_PRECONDITION, in TensorFlow's words, for a group that is not known or not complete, and
   *   as `InstanceTable.complete`.
   */
  async completeInstance(request: InstanceRequest, signal: CancellationSignal): Promise<number> {
    const group = this.#groups.find(request.groupKey);
    if (group === undefined) {
      throw failedPrecondition(
        `group ${request.groupKey} not found. This normally means the server has restarted`,
      );
    }
    return this.#instances.complete(group, request, signal);
  }

  /** Ends all waits. */
  close(error: TensorFlowError): void {
    this.#groups.close(error);
    this.#instances.close(error);
  }
}

/** @throws TensorFlowError INTERNAL, in TensorFlow's words, for a request without a device. */
export function groupRequestOf(request: wire.CompleteGroupRequest): GroupRequest {
  const { groupKey, groupSize, deviceType, collectiveType, deviceAttributes: device } = request;
  if (device === undefined) {
    throw internalError(
      "CompleteGroupRequest device_attributes is not set. Make sure you're running the same version of Tensorflow on all " +
        "workers.",
    );
  }
  return { groupKey, groupSize, deviceType, collectiveType, device };
}

export function groupResponse({
  groupKey,
  groupSize,
  deviceType,
  devices,
}: Group): wire.CompleteGroupResponse {
  const tasks = new Set(devices.map(({ name }) => taskNameOf(name)));
  return {
    groupKey,
    groupSize,
    deviceType,
    numTasks: tasks.size,
    // Only NCCL has a communicator key.
    communicatorKey: noBytes,
    deviceAttributes: [...devices],
  };
}

/** @throws TensorFlowError INVALID_ARGUMENT for an invalid dtype or shape. */
export function instanceRequestOf(request: wire.CompleteInstanceRequest): InstanceRequest {
  const { name, groupKey, groupSize, instanceKey, type, device, isSource } = request;
  const dtype = dtypeOf(request.dataType);
  const shape = shapeFromProto(request.shape);
  return { name, groupKey, groupSize, instanceKey, type, dtype, shape, device, isSource };
}

/** "/job:worker/replica:0/task:1" of one of its devices; the device itself if the name has no task. */
export function taskNameOf(device: string): string {
  const task = taskOfDevice(device);
  return task === undefined ? device : taskDeviceName(task);
}
