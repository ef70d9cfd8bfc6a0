import type { CancellationSignal } from "../../../../../cancellation/cancellation-signal.js";
import type { DType } from "../../../../../protocol/dtype.js";
import { cancelled, invalidArgument, type TensorFlowError } from "../../../../../protocol/status.js";
import type { Tensor } from "../../../../../protocol/tensor.js";
import type { Resource } from "../../../resources/resource-manager.js";

/** Sums gradients. */
export interface GradientSum<G> {
  readonly dtype: DType;
  /** @throws TensorFlowError INVALID_ARGUMENT if it does not match the others. */
  add(gradient: G): void;
  /** Returns the sum since the last call and resets it. @param count the number of gradients in it. */
  take(count: number): readonly Tensor[];
}

interface Attempt {
  readonly required: number;
  resolve(outputs: readonly Tensor[]): void;
  reject(error: TensorFlowError): void;
}

/**
 * Collects gradients from workers until there are enough of them, as SyncReplicasOptimizer requires. A gradient
 * computed from values older than the last take is stale and dropped. Takes are served in order.
 */
export class ConditionalAccumulator<G> implements Resource {
  readonly typeName: string;
  readonly sum: GradientSum<G>;
  #attempts: Attempt[] = [];
  #count = 0;
  #globalStep = 0n;

  constructor(typeName: string, sum: GradientSum<G>) {
    this.typeName = typeName;
    this.sum = sum;
  }

  /** Gradients since the last take. */
  get count(): number {
    return this.#count;
  }

  /** From now on, gradients of earlier steps are dropped. */
  setGlobalStep(step: bigint): void {
    this.#globalStep = step;
  }

  /** @throws TensorFlowError INVALID_ARGUMENT if the gradient does not match the others. */
  apply(localStep: bigint, gradient: G): void {
    if (localStep < this.#globalStep) {
      return;
    }
    this.sum.add(gradient);
    this.#count += 1;
    this.#serve();
  }

  /**
   * Waits until there are enough gradients and takes them all.
   * @throws TensorFlowError INVALID_ARGUMENT, CANCELLED once the signal is aborted.
   */
  async take(required: number, signal: CancellationSignal): Promise<readonly Tensor[]> {
    if (required <= 0) {
      throw invalidArgument(`Argument num_required must be positive, but was ${required}`);
    }
    const refuse = () => cancelled("TakeGrad operation was cancelled");
    if (signal.aborted) {
      throw refuse();
    }
    let abort = (): void => undefined;
    return new Promise<readonly Tensor[]>((resolve, reject) => {
      const attempt: Attempt = { required, resolve, reject };
      abort = () => {
        this.#attempts = this.#attempts.filter((one) => one !== attempt);
        reject(refuse());
        this.#serve();
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#attempts.push(attempt);
      this.#serve();
    }).finally(() => signal.removeEventListener("abort", abort));
  }

  dispose(): void {
    const attempts = this.#attempts;
    this.#attempts = [];
    for (const { reject } of attempts) {
      reject(cancelled("TakeGrad operation was cancelled"));
    }
  }

  #serve(): void {
    for (
      let attempt = this.#attempts[0];
      attempt !== undefined && this.#count >= attempt.required;
      attempt = this.#attempts[0]
    ) {
      this.#attempts.shift();
      this.#globalStep += 1n;
      attempt.resolve(this.sum.take(this.#count));
      this.#count = 0;
    }
  }
}
