import type { DeviceAttributes } from "../../../../protos/generated/tensorflow/device_attributes.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { type DeviceParts, parseDeviceName } from "../../../cluster/device-name.js";
import {
  failedPrecondition,
  internalError,
  invalidArgument,
  resourceExhausted,
  type TensorFlowError,
} from "../../../protocol/status.js";
import type { Group, GroupRequest } from "./collective.js";
import { WaitingList } from "./waiting-list.js";

/** Maximum number of groups; a program has one for each set of its devices. */
const MAX_GROUPS = 10_000;

/** More devices than any cluster has; a group of more would never be complete. */
const MAX_GROUP_SIZE = 65_536;

interface Gathering {
  readonly groupKey: number;
  readonly groupSize: number;
  readonly deviceType: string;
  /** Devices that have joined, by name, each with the number of calls that wait for it. */
  readonly devices: Map<string, { readonly attributes: DeviceAttributes; calls: number }>;
  readonly waiting: WaitingList<Group>;
  /** Set when all have joined. */
  group: Group | undefined;
}

/**
 * The groups that a leader gathers, by key. A mismatched member ends the wait of the others with its error, as in
 * TensorFlow, but not permanently: a group that failed, or one of whose members was restarted, is dropped, so that the
 * next step gathers it again.
 */
export class GroupTable {
  readonly #groups = new Map<number, Gathering>();
  readonly #onForget: (group: Group, reason: TensorFlowError) => void;

  /** @param onForget called with a complete group that is dropped. */
  constructor(onForget: (group: Group, reason: TensorFlowError) => void = () => undefined) {
    this.#onForget = onForget;
  }

  /** Number of known groups, complete or not. */
  get size(): number {
    return this.#groups.size;
  }

  /** A complete group. */
  find(groupKey: number): Group | undefined {
    return this.#groups.get(groupKey)?.group;
  }

  /**
   * Adds a device, unless it is already there, and waits for the rest of its group.
   * @throws TensorFlowError INTERNAL, in TensorFlow's words, for another size or device type than the group's and for a
   *   device too many; FAILED_PRECONDITION for a device that was restarted since it joined; INVALID_ARGUMENT for an
   *   invalid size; CANCELLED, or the signal's reason.
   */
  async complete(request: GroupRequest, signal: CancellationSignal): Promise<Group> {
    const { groupKey, device } = request;
    const gathering = this.#groups.get(groupKey) ?? this.#begin(request);
    const problem = mismatch(gathering, request);
    if (problem !== undefined) {
      this.#refuse(gathering, problem);
      throw problem;
    }
    const known = gathering.devices.get(device.name);
    if (known !== undefined && known.attributes.incarnation !== device.incarnation) {
      const restarted = failedPrecondition(
        `Device ${device.name} current incarnation doesn't match with one in the group. This usually means this worker ` +
          "has restarted but the collective leader hasn't, or this worker connects to a wrong cluster.",
      );
      this.#groups.delete(groupKey);
      gathering.waiting.rejectAll(restarted);
      if (gathering.group !== undefined) {
        this.#onForget(gathering.group, restarted);
      }
      throw restarted;
    }
    if (gathering.group !== undefined) {
      return gathering.group;
    }
    const member = known ?? { attributes: device, calls: 0 };
    member.calls += 1;
    gathering.devices.set(device.name, member);
    if (gathering.devices.size < gathering.groupSize) {
      return gathering.waiting.wait(signal, `Waiting for group ${groupKey}`, () =>
        this.#leave(gathering, device.name),
      );
    }
    const group: Group = {
      groupKey,
      groupSize: gathering.groupSize,
      deviceType: gathering.deviceType,
      devices: ranked([...gathering.devices.values()].map(({ attributes }) => attributes)),
    };
    gathering.group = group;
    gathering.waiting.resolveAll(group);
    return group;
  }

  /** Ends all waits. */
  close(error: TensorFlowError): void {
    for (const { waiting } of this.#groups.values()) {
      waiting.rejectAll(error);
    }
    this.#groups.clear();
  }

  #begin({ groupKey, groupSize, deviceType }: GroupRequest): Gathering {
    if (groupSize <= 0 || groupSize > MAX_GROUP_SIZE) {
      throw invalidArgument(`group_size must be positive integer but got ${groupSize}`);
    }
    if (this.#groups.size >= MAX_GROUPS) {
      throw resourceExhausted(`This task leads ${MAX_GROUPS} groups of collectives and accepts no more.`);
    }
    const gathering: Gathering = {
      groupKey,
      groupSize,
      deviceType,
      devices: new Map(),
      waiting: new WaitingList(),
      group: undefined,
    };
    this.#groups.set(groupKey, gathering);
    return gathering;
  }

  /** A mismatched device ends an incomplete group; a complete one stays as it is. */
  #refuse(gathering: Gathering, problem: TensorFlowError): void {
    if (gathering.group === undefined) {
      this.#groups.delete(gathering.groupKey);
      gathering.waiting.rejectAll(problem);
    }
  }

  /** A device whose call was cancelled is not a member, unless another call for it still waits. */
  #leave(gathering: Gathering, device: string): void {
    const member = gathering.devices.get(device);
    if (member === undefined) {
      return;
    }
    member.calls -= 1;
    if (member.calls === 0) {
      gathering.devices.delete(device);
    }
    if (gathering.devices.size === 0 && this.#groups.get(gathering.groupKey) === gathering) {
      this.#groups.delete(gathering.groupKey);
    }
  }
}

function mismatch(
  gathering: Gathering,
  { groupKey, groupSize, deviceType, device }: GroupRequest,
): TensorFlowError | undefined {
  const joining = `Device ${device.name} is joining a group`;
  const key = `(group_key=${groupKey})`;
  if (deviceType !== gathering.deviceType) {
    return internalError(`${joining} with incompatible device type ${gathering.deviceType} ${key}`);
  }
  if (groupSize !== gathering.groupSize) {
    return internalError(
      `${joining} with size ${groupSize}, but that group has size ${gathering.groupSize} ${key}`,
    );
  }
  if (gathering.group !== undefined && !gathering.devices.has(device.name)) {
    return internalError(`${joining} that is already full ${key}`);
  }
  return undefined;
}

function ranked(devices: readonly DeviceAttributes[]): readonly DeviceAttributes[] {
  return devices
    .map((device) => ({ device, parts: parseDeviceName(device.name) }))
    .sort((a, b) => compareParts(a.parts, b.parts))
    .map(({ device }) => device);
}

function compareParts(a: DeviceParts, b: DeviceParts): number {
  return (
    compareText(a.job, b.job) ||
    (a.replica ?? 0) - (b.replica ?? 0) ||
    (a.task ?? 0) - (b.task ?? 0) ||
    compareText(a.type, b.type) ||
    (typeof a.index === "number" && typeof b.index === "number" ? a.index - b.index : 0)
  );
}

function compareText(a = "", b = ""): number {
  return a < b ? -1 : Number(a > b);
}
