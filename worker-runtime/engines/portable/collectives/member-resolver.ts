import { CompleteInstanceRequest } from "../../../../protos/generated/tensorflow/worker.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { parseDeviceName } from "../../../cluster/device-name.js";
import { dataTypeOf } from "../../../protocol/dtype.js";
import { shapeText, shapeToProto } from "../../../protocol/shape.js";
import { internalError } from "../../../protocol/status.js";
import type { TaskDevices } from "../worker/task-devices.js";
import type { WorkerInterface } from "../worker/worker-interface.js";
import type { CollectiveParams, Group, GroupRequest, InstanceRequest } from "./collective.js";
import type { GroupLeader } from "./group-leader.js";

/** The leader: this task, or another one. */
export type Leadership =
  | { readonly kind: "own"; readonly leader: GroupLeader }
  | { readonly kind: "other"; readonly task: string; worker(): WorkerInterface };

/**
 * Finds the groups of this task's devices at their leader. Answers of other tasks are cached, so that a step costs no
 * calls; a failed step forgets the groups that it used, as one of their members may have been restarted.
 */
export class MemberResolver {
  readonly #leadership: Leadership;
  readonly #groups = new Map<number, Group>();
  /** Ranks of sources by request, by group. */
  readonly #sources = new Map<number, Map<string, number>>();

  constructor(leadership: Leadership) {
    this.#leadership = leadership;
  }

  /** @throws TensorFlowError what the leader answers; INTERNAL for an inconsistent answer. */
  async completeGroup(request: GroupRequest, signal: CancellationSignal): Promise<Group> {
    const leadership = this.#leadership;
    if (leadership.kind === "own") {
      return leadership.leader.completeGroup(request, signal);
    }
    const { groupKey, groupSize, deviceType, collectiveType, device } = request;
    const known = this.#groups.get(groupKey);
    if (known !== undefined && fits(known, request)) {
      return known;
    }
    const answer = await leadership
      .worker()
      .completeGroup(
        { groupKey, groupSize, deviceType, collectiveType, deviceAttributes: device },
        { signal },
      );
    if (answer.deviceAttributes.length !== answer.groupSize) {
      throw internalError("CompleteGroupResponse group_size doesn't match device_name list");
    }
    const group = { groupKey, groupSize, deviceType, devices: answer.deviceAttributes };
    this.#groups.set(groupKey, group);
    return group;
  }

  /** @returns the rank of a broadcast's source. @throws TensorFlowError what the leader answers. */
  async completeInstance(request: InstanceRequest, signal: CancellationSignal): Promise<number> {
    const leadership = this.#leadership;
    if (leadership.kind === "own") {
      return leadership.leader.completeInstance(request, signal);
    }
    const { groupKey, instanceKey, type, dtype, shape, device, isSource } = request;
    const key = [instanceKey, type, dtype, shapeText(shape), device, isSource].join(" ");
    const sources = this.#sources.get(groupKey);
    const known = sources?.get(key);
    if (known !== undefined) {
      return known;
    }
    const wire = CompleteInstanceRequest.create();
    Object.assign(wire, {
      name: request.name,
      groupKey,
      groupSize: request.groupSize,
      instanceKey,
      type,
      device,
    });
    wire.dataType = dataTypeOf(dtype);
    wire.shape = shapeToProto(shape);
    wire.deviceType = parseDeviceName(device).type ?? "";
    wire.isSource = isSource;
    const { sourceRank } = await leadership.worker().completeInstance(wire, { signal });
    const kept = this.#sources.get(groupKey) ?? new Map<string, number>();
    this.#sources.set(groupKey, kept.set(key, sourceRank));
    return sourceRank;
  }

  /** Forgets the answers about a group, so that the leader is asked again. */
  forget(groupKey: number): void {
    this.#groups.delete(groupKey);
    this.#sources.delete(groupKey);
  }
}

/**
 * The request of a node's device to its group.
 * @throws TensorFlowError INTERNAL for a device that is not of this task.
 */
export function groupRequestFor(params: CollectiveParams, devices: TaskDevices): GroupRequest {
  const { groupKey, groupSize, type } = params;
  const device = devices.all.find(({ name }) => name === params.device);
  if (device === undefined) {
    throw internalError(
      `${params.name} runs on ${params.device}, which is not a device of ${devices.taskName}.`,
    );
  }
  return {
    groupKey,
    groupSize,
    deviceType: device.type,
    collectiveType: type,
    device: device.attributes,
  };
}

function fits(group: Group, { groupSize, deviceType, device }: GroupRequest): boolean {
  return (
    group.groupSize === groupSize &&
    group.deviceType === deviceType &&
    group.devices.some(({ name, incarnation }) => name === device.name && incarnation === device.incarnation)
  );
}
