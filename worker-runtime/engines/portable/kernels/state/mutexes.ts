import type { CancellationSignal } from "../../../../cancellation/cancellation-signal.js";
import { cancelled, invalidArgument, unimplemented } from "../../../../protocol/status.js";
import type { Resource } from "../../resources/resource-manager.js";
import { ObjectTensor, type VariantObject } from "../../values.js";
import type { KernelDefinition, OpContext, Outputs } from "../kernel.js";
import { noTypes } from "../support/dtypes.js";
import { handledResource, resourceKernel } from "./handle-resources.js";
import { statefulKernel } from "./stateful-kernel.js";

const MUTEX = "tensorflow::Mutex";
const HELD_LOCK = "tensorflow::MutexLock";

/** Admits one holder at a time, in the order of their requests. */
class Mutex implements Resource {
  readonly typeName = MUTEX;
  #held = false;
  #waiting: { enter(): void; refuse(): void }[] = [];

  /** @throws TensorFlowError CANCELLED once the signal is aborted or the mutex is removed. */
  async acquire(signal: CancellationSignal): Promise<void> {
    if (signal.aborted) {
      throw lockCancelled();
    }
    if (!this.#held) {
      this.#held = true;
      return;
    }
    let abort = (): void => undefined;
    await new Promise<void>((resolve, reject) => {
      const waiter = { enter: resolve, refuse: () => reject(lockCancelled()) };
      abort = () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiter);
        waiter.refuse();
      };
      this.#waiting.push(waiter);
      signal.addEventListener("abort", abort, { once: true });
    }).finally(() => signal.removeEventListener("abort", abort));
  }

  /** Admits the next waiter. */
  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#held = false;
    } else {
      next.enter();
    }
  }

  dispose(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { refuse } of waiting) {
      refuse();
    }
  }
}

function lockCancelled() {
  return cancelled("Lock acquisition cancelled.");
}

/**
 * A mutex held by a step: both a value of the graph and a resource of the step, which releases the mutex if the step
 * fails before doing so.
 */
class HeldLock implements VariantObject, Resource {
  readonly typeName = HELD_LOCK;
  readonly #mutex: Mutex;
  #released = false;

  constructor(mutex: Mutex) {
    this.#mutex = mutex;
  }

  release(): void {
    if (!this.#released) {
      this.#released = true;
      this.#mutex.release();
    }
  }

  dispose(): void {
    this.release();
  }

  encode(): never {
    throw unimplemented("A lock cannot leave its task.");
  }
}

async function lock(mutex: Mutex, { step }: OpContext): Promise<Outputs> {
  await mutex.acquire(step.signal);
  const held = new HeldLock(mutex);
  step.stepResources.create("", step.stepResources.uniqueName("lock"), held);
  return [ObjectTensor.variant(held)];
}

/** Mutexes, as CriticalSection uses them. */
export const mutexKernels: readonly KernelDefinition[] = [
  resourceKernel("MutexV2", { typeName: MUTEX, prepare: () => () => new Mutex() }, noTypes),
  statefulKernel(
    "MutexLock",
    (node) => (context) => lock(handledResource<Mutex>(node, context, 0, MUTEX), context),
    { types: noTypes },
  ),
  statefulKernel(
    "ConsumeMutexLock",
    () =>
      ({ inputs: [value] }) => {
        const [held] = value instanceof ObjectTensor ? value.elements : [];
        if (!(held instanceof HeldLock)) {
          throw invalidArgument("Expected input to be a MutexLock.");
        }
        held.release();
        return [];
      },
    { types: noTypes },
  ),
];
