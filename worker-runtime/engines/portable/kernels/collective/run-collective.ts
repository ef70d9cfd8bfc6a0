import { CancellationController } from "../../../../cancellation/cancellation-controller.js";
import type { CancellationSignal } from "../../../../cancellation/cancellation-signal.js";
import { cancelled, deadlineExceeded, internalError, invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { MAX_TIMER_MILLIS } from "../../../../timers.js";
import type { CollectiveParams, CollectiveType } from "../../collectives/collective.js";
import type { Execution } from "../../collectives/ring.js";
import type { OpContext } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { scalarOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";

const MILLIS_PER_SECOND = 1000;

/** The longest delay of Node's timers, 24 days. */

/** The keys with which a node names its group and instance. */
export interface CollectiveKeys {
  readonly groupSize: number;
  readonly groupKey: number;
  readonly instanceKey: number;
}

/** The keys of an op that has them as attributes. @throws TensorFlowError INVALID_ARGUMENT for an invalid size. */
export function keysOfAttrs(node: KernelNode): CollectiveKeys {
  return {
    groupSize: positive(node.int("group_size")),
    groupKey: node.int("group_key"),
    instanceKey: node.int("instance_key"),
  };
}

/**
 * The keys of an op that has them as inputs, starting at input `first`.
 * @throws TensorFlowError INVALID_ARGUMENT for anything that is not a scalar and for an invalid size.
 */
export function keysOfInputs({ inputs }: OpContext, first: number): CollectiveKeys {
  const scalar = (offset: number, name: string): number => {
    const tensor = tensorAt(inputs, first + offset);
    if (tensor.shape.length > 0) {
      throw invalidArgument(`Unexpected dimensions on input ${name}, got ${cppShapeText(tensor.shape)}`);
    }
    return scalarOf(tensor, name);
  };
  return {
    groupSize: positive(scalar(0, "group_size")),
    groupKey: scalar(1, "group_key"),
    instanceKey: scalar(2, "instance_key"),
  };
}

/** The work of a node in one execution. */
export interface CollectiveWork {
  readonly keys: CollectiveKeys;
  readonly type: CollectiveType;
  /** The shape of the result. */
  readonly shape: readonly number[];
  readonly isSource: boolean;
  /** Does the node's part once all members have joined. */
  run(execution: Execution): Promise<Tensor>;
}

/**
 * Joins the group and does a node's part.
 * @throws TensorFlowError DEADLINE_EXCEEDED, in TensorFlow's words, after the node's `timeout_seconds`; the error of
 *   the leader or of another member; CANCELLED, or the reason of the step's signal.
 */
export async function runCollective(
  node: KernelNode,
  { step, frameId, iteration }: OpContext,
  { keys, type, shape, isSource, run }: CollectiveWork,
): Promise<readonly [Tensor]> {
  const { collectives, signal } = step;
  if (collectives === undefined) {
    throw internalError(`Failed to get CollectiveExecutor from OpKernelContext for Op ${node.name}`);
  }
  const params: CollectiveParams = {
    ...keys,
    name: node.name,
    type,
    dtype: node.type("T"),
    shape,
    device: node.device,
    isSource,
  };
  const key = [keys.groupKey, keys.instanceKey, frameId, iteration].join(":");
  const wait = new Wait(signal, node.float("timeout_seconds"));
  try {
    wait.begin("Collective has timed out waiting for other workers.");
    const member = await collectives.join(params, wait.signal);
    wait.begin("Collective has timed out during execution.");
    return [await run({ member, key, signal: wait.signal })];
  } finally {
    wait.end();
  }
}

/** Ends a node's waits when the step ends, after a timeout, or when one of them fails. */
class Wait {
  readonly #controller = new CancellationController();
  readonly #leaveStep: () => void;
  readonly #timeoutMillis: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param timeoutSeconds 0 for no timeout. */
  constructor(step: CancellationSignal, timeoutSeconds: number) {
    this.#leaveStep = this.#controller.follow(step);
    this.#timeoutMillis = timeoutSeconds * MILLIS_PER_SECOND;
  }

  get signal(): CancellationSignal {
    return this.#controller.signal;
  }

  /** Restarts the timeout. */
  begin(timeoutText: string): void {
    clearTimeout(this.#timer);
    if (this.#timeoutMillis > 0) {
      this.#timer = setTimeout(
        () => this.#controller.abort(deadlineExceeded(timeoutText)),
        Math.min(this.#timeoutMillis, MAX_TIMER_MILLIS),
      );
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#leaveStep();
    // After one exchange has failed, the others are of no use.
    this.#controller.abort(cancelled("The collective has ended."));
  }
}

function positive(groupSize: number): number {
  if (groupSize <= 0) {
    throw invalidArgument(`group_size must be positive integer but got ${groupSize}`);
  }
  return groupSize;
}
