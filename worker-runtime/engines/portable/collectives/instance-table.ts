import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { dataTypeOf } from "../../../protocol/dtype.js";
import { shapeText } from "../../../protocol/shape.js";
import {
  internalError,
  invalidArgument,
  resourceExhausted,
  type TensorFlowError,
} from "../../../protocol/status.js";
import { sameShape } from "../kernels/support/shapes.js";
import { CollectiveType, type Group, type InstanceRequest } from "./collective.js";
import { WaitingList } from "./waiting-list.js";

/** Maximum number of collectives of one group; a program has one for each node. */
const MAX_INSTANCES = 100_000;

/** The source's rank for collectives that are not broadcasts. */
export const NO_SOURCE = -1;

interface Instance {
  readonly request: InstanceRequest;
  /** Members that have joined, each with the number of calls that wait for it. */
  readonly known: Map<string, number>;
  /** Calls that wait for the rank of the source. */
  readonly waiting: WaitingList<number>;
  sourceRank: number;
  isComplete: boolean;
}

/**
 * The collectives of the groups that a leader leads. The members of a collective must agree on its kind; a broadcast
 * waits for all of them, since its source is known only then. A failed one is dropped, so that the next step can start
 * over.
 */
export class InstanceTable {
  /** By group, since groups are forgotten as a whole. */
  readonly #byGroup = new Map<Group, Map<number, Instance>>();

  /**
   * Records that a member has joined.
   * @returns the rank of a broadcast's source, NO_SOURCE for others.
   * @throws TensorFlowError INVALID_ARGUMENT for another shape and INTERNAL for another dtype or kind than the first
   *   member's, for a second source and for a broadcast without a source; CANCELLED, or the signal's reason.
   */
  async complete(group: Group, request: InstanceRequest, signal: CancellationSignal): Promise<number> {
    const rank = group.devices.findIndex(({ name }) => name === request.device);
    if (rank === -1) {
      throw internalError(`${request.device} is no member of group ${group.groupKey}.`);
    }
    const instances = this.#of(group);
    const instance = instances.get(request.instanceKey) ?? begin(instances, request);
    const problem = mismatch(instance, request, rank);
    if (problem !== undefined) {
      this.#end(group, instance, problem);
      throw problem;
    }
    if (request.type !== CollectiveType.BROADCAST || instance.isComplete) {
      return instance.sourceRank;
    }
    if (request.isSource) {
      instance.sourceRank = rank;
    }
    instance.known.set(request.device, (instance.known.get(request.device) ?? 0) + 1);
    if (instance.known.size < group.groupSize) {
      return instance.waiting.wait(signal, `Waiting for collective ${request.instanceKey}`, () =>
        this.#leave(group, instance, request),
      );
    }
    if (instance.sourceRank === NO_SOURCE) {
      const noSource = internalError(
        `Instance ${request.instanceKey} found no source for broadcast.  This could mean that there were group_size=` +
          `${group.groupSize} BcastRecvs but no BcastSend.`,
      );
      this.#end(group, instance, noSource);
      throw noSource;
    }
    instance.isComplete = true;
    instance.waiting.resolveAll(instance.sourceRank);
    return instance.sourceRank;
  }

  /** Forgets the collectives of a group. */
  forget(group: Group, reason: TensorFlowError): void {
    for (const { waiting } of this.#byGroup.get(group)?.values() ?? []) {
      waiting.rejectAll(reason);
    }
    this.#byGroup.delete(group);
  }

  /** Ends all waits. */
  close(error: TensorFlowError): void {
    for (const group of [...this.#byGroup.keys()]) {
      this.forget(group, error);
    }
  }

  #of(group: Group): Map<number, Instance> {
    const known = this.#byGroup.get(group);
    if (known !== undefined) {
      return known;
    }
    const made = new Map<number, Instance>();
    this.#byGroup.set(group, made);
    return made;
  }

  #end(group: Group, instance: Instance, problem: TensorFlowError): void {
    this.#of(group).delete(instance.request.instanceKey);
    instance.waiting.rejectAll(problem);
  }

  #leave(group: Group, instance: Instance, { device, instanceKey, isSource }: InstanceRequest): void {
    const calls = (instance.known.get(device) ?? 1) - 1;
    if (calls > 0) {
      instance.known.set(device, calls);
      return;
    }
    instance.known.delete(device);
    if (isSource) {
      instance.sourceRank = NO_SOURCE;
    }
    const instances = this.#of(group);
    if (instance.known.size === 0 && instances.get(instanceKey) === instance) {
      instances.delete(instanceKey);
    }
  }
}

function begin(instances: Map<number, Instance>, request: InstanceRequest): Instance {
  if (instances.size >= MAX_INSTANCES) {
    throw resourceExhausted(
      `Group ${request.groupKey} has ${MAX_INSTANCES} collectives; this task accepts no more for it.`,
    );
  }
  const instance: Instance = {
    request,
    known: new Map(),
    waiting: new WaitingList(),
    sourceRank: NO_SOURCE,
    isComplete: false,
  };
  instances.set(request.instanceKey, instance);
  return instance;
}

function mismatch(instance: Instance, request: InstanceRequest, rank: number): TensorFlowError | undefined {
  const { instanceKey, type, dtype, shape, device } = request;
  const first = instance.request;
  if (type !== first.type || dtype !== first.dtype) {
    return internalError(
      `Collective instance ${instanceKey} expected type ${first.type} and data_type ${dataTypeOf(first.dtype)} but got ` +
        `type ${type} and data_type ${dataTypeOf(dtype)}`,
    );
  }
  if (!sameShape(shape, first.shape)) {
    return invalidArgument(
      `Shape mismatch in the collective instance ${instanceKey}. Op at device ${device} expected shape ` +
        `${shapeText(shape)} but another member in the group expected shape ${shapeText(first.shape)}. This is likely due ` +
        "to different input shapes at different members of the collective op.",
    );
  }
  const { sourceRank, isComplete } = instance;
  const isSecond = request.isSource && sourceRank !== NO_SOURCE && sourceRank !== rank;
  const hasChanged = isComplete && !request.isSource && sourceRank === rank;
  if (isSecond || hasChanged) {
    return internalError(
      isSecond
        ? `Instance ${instanceKey} already has source ${sourceRank}, received second claim from ${rank}`
        : `Instance ${instanceKey} has its source at rank ${rank}, which now wants to receive.`,
    );
  }
  return undefined;
}
