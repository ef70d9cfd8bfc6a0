/** The types of collective operations: the data that members of a group exchange, and a kernel's view of its group. */

import type { DeviceAttributes } from "../../../../protos/generated/tensorflow/device_attributes.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import type { DType } from "../../../protocol/dtype.js";
import type { Tensor } from "../../../protocol/tensor.js";

/** TensorFlow's CollectiveType, as requests carry it. */
export const CollectiveType = { REDUCTION: 0, BROADCAST: 1, GATHER: 2 } as const;
export type CollectiveType = (typeof CollectiveType)[keyof typeof CollectiveType];

/** A device's membership in a group. */
export interface GroupRequest {
  readonly groupKey: number;
  /** Devices that the group has when it is complete. */
  readonly groupSize: number;
  /** "CPU": the same for all members. */
  readonly deviceType: string;
  readonly collectiveType: number;
  /** The device that wants to be a member. */
  readonly device: DeviceAttributes;
}

/** A complete group. */
export interface Group {
  readonly groupKey: number;
  readonly groupSize: number;
  readonly deviceType: string;
  /** In the order of their ranks: by job, replica, task, type and index. */
  readonly devices: readonly DeviceAttributes[];
}

/** A node's part in one collective of a group. */
export interface InstanceRequest {
  /** The node's name, for people. */
  readonly name: string;
  readonly groupKey: number;
  readonly groupSize: number;
  /** Distinguishes the collectives of a group. */
  readonly instanceKey: number;
  readonly type: number;
  readonly dtype: DType;
  /** The shape of the result. */
  readonly shape: readonly number[];
  /** The full name of the node's device. */
  readonly device: string;
  /** Whether its tensor is the one that is broadcast. */
  readonly isSource: boolean;
}

/** A node's request to its group. */
export interface CollectiveParams extends InstanceRequest {
  readonly type: CollectiveType;
}

/** A member's rank in its group, and its connection to the others. */
export interface Membership {
  /** The tasks of the members by rank; devices of one task have adjacent ranks. */
  readonly tasks: readonly string[];
  readonly rank: number;
  /** The rank of the member whose tensor is broadcast; -1 if there is none. */
  readonly sourceRank: number;
  /**
   * Provides a tensor to the one member that asks for the key, and waits until it has taken it.
   * @throws TensorFlowError CANCELLED, or the signal's reason; the error that ends the step.
   */
  provide(key: string, tensor: Tensor, signal: CancellationSignal): Promise<void>;
  /**
   * Requests the tensor that a member provides under a key.
   * @returns a vector of the given number of elements.
   * @throws TensorFlowError that member's; INTERNAL when it provides a different number of bytes; FAILED_PRECONDITION
   *   when it was restarted; CANCELLED.
   */
  receive(rank: number, key: string, expected: Expected, signal: CancellationSignal): Promise<Tensor>;
}

export interface Expected {
  readonly dtype: DType;
  readonly count: number;
}

/** The collectives of one step on one task. */
export interface StepCollectives {
  /**
   * Finds the other members: waits until the whole group, and for a broadcast the whole instance, has joined.
   * @throws TensorFlowError what the leader of the group answers; CANCELLED, or the signal's reason.
   */
  join(params: CollectiveParams, signal: CancellationSignal): Promise<Membership>;
}
