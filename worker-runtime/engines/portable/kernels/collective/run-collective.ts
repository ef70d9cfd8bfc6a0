import { setMaxListeners } from "node:events";
import { cancelled, deadlineExceeded, internalError, invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { CollectiveParams, CollectiveType } from "../../collectives/collective.js";
import type { Execution } from "../../collectives/ring.js";
import type { OpContext } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { scalarOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { tensorAt } from "../support/tensor-inputs.js";

const MILLIS_PER_SECOND = 1000;

/** The longest time that Node's timers know; 24 days. */
const MAX_TIMEOUT_MILLIS = 2 ** 31 - 1;

/** The group and the rank in it that a node names. */
export interface CollectiveKeys {
  readonly groupSize: number;
  readonly groupKey: number;
  readonly instanceKey: number;
}

/** The keys of the ops whose keys are attributes. @throws TensorFlowError INVALID_ARGUMENT for a size that is none. */
export function keysOfAttrs(node: KernelNode): CollectiveKeys {
  return {
    groupSize: positive(node.int("group_size")),
    groupKey: node.int("group_key"),
    instanceKey: node.int("instance_key"),
  };
}

/**
 * The keys of the ops whose keys are inputs, from this one on.
 * @throws TensorFlowError INVALID_ARGUMENT for what is no scalar and for a size that is none.
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

/** What a node does in one execution. */
export interface CollectiveWork {
  readonly keys: CollectiveKeys;
  readonly type: CollectiveType;
  /** Of the result. */
  readonly shape: readonly number[];
  readonly isSource: boolean;
  /** Does the node's part once all members are there. */
  run(execution: Execution): Promise<Tensor>;
}

/**
 * Joins the others and does a node's part.
 * @throws TensorFlowError DEADLINE_EXCEEDED, in TensorFlow's words, after the node's `timeout_seconds`; what the leader or
 *   another member answers; CANCELLED, or the reason of the step's signal.
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

/** Ends a node's waits with the step, after a time, or with the first that fails. */
class Wait {
  readonly #controller = new AbortController();
  readonly #step: AbortSignal;
  readonly #timeoutMillis: number;
  readonly #follow = (): void => this.#controller.abort(this.#step.reason);
  #timer: NodeJS.Timeout | undefined;

  /** @param timeoutSeconds 0 for none. */
  constructor(step: AbortSignal, timeoutSeconds: number) {
    this.#step = step;
    this.#timeoutMillis = timeoutSeconds * MILLIS_PER_SECOND;
    // As many as the group has members.
    setMaxListeners(0, this.signal);
    if (step.aborted) {
      this.#follow();
    } else {
      step.addEventListener("abort", this.#follow, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the time anew. */
  begin(timeoutText: string): void {
    clearTimeout(this.#timer);
    if (this.#timeoutMillis > 0) {
      this.#timer = setTimeout(
        () => this.#controller.abort(deadlineExceeded(timeoutText)),
        Math.min(this.#timeoutMillis, MAX_TIMEOUT_MILLIS),
      );
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#step.removeEventListener("abort", this.#follow);
    // Where one exchange failed the others have no use any more.
    this.#controller.abort(cancelled("The collective has ended."));
  }
}

function positive(groupSize: number): number {
  if (groupSize <= 0) {
    throw invalidArgument(`group_size must be positive integer but got ${groupSize}`);
  }
  return groupSize;
}
