import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { cancelledBy, internalError, type TensorFlowError } from "../../../protocol/status.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { WaitingList } from "./waiting-list.js";

interface Offer {
  readonly tensor: Tensor;
  /** The producer, who waits until the tensor is taken. */
  readonly producer: WaitingList<void>;
}

/** The place where members of one task offer tensors in one step, and other members take them: each key once. */
export class BufRendezvous {
  readonly #offers = new Map<string, Offer>();
  readonly #consumers = new Map<string, WaitingList<Tensor>>();
  #error: TensorFlowError | undefined;

  /** Whether nothing is offered and nothing waits. */
  get isIdle(): boolean {
    return this.#offers.size === 0 && this.#consumers.size === 0;
  }

  /**
   * Offers a tensor, and waits until it is taken.
   * @throws TensorFlowError INTERNAL for a key that is on offer; the error of `abort`; CANCELLED, or the signal's reason.
   */
  async provide(key: string, tensor: Tensor, signal: CancellationSignal): Promise<void> {
    this.#check(signal, "Providing a buffer");
    if (this.#offers.has(key)) {
      throw internalError(`BufRendezvous::ProvideBuf already called for key ${key}`);
    }
    const consumer = this.#consumers.get(key);
    if (consumer !== undefined) {
      this.#consumers.delete(key);
      consumer.resolveAll(tensor);
      return;
    }
    const producer = new WaitingList<void>();
    this.#offers.set(key, { tensor, producer });
    await producer.wait(signal, "Providing a buffer", () => this.#offers.delete(key));
  }

  /**
   * Takes what is offered under a key, or waits for it.
   * @throws TensorFlowError INTERNAL when another receiver waits for it; the error of `abort`; CANCELLED, or the
   *   signal's reason.
   */
  async consume(key: string, signal: CancellationSignal): Promise<Tensor> {
    this.#check(signal, "Waiting for a buffer");
    const offer = this.#offers.get(key);
    if (offer !== undefined) {
      this.#offers.delete(key);
      offer.producer.resolveAll();
      return offer.tensor;
    }
    if (this.#consumers.has(key)) {
      throw internalError(`Second consumer arrived for key ${key}`);
    }
    const consumer = new WaitingList<Tensor>();
    this.#consumers.set(key, consumer);
    return consumer.wait(signal, "Waiting for a buffer", () => this.#consumers.delete(key));
  }

  /** Ends all waits, including later ones. The first error counts. */
  abort(error: TensorFlowError): void {
    this.#error ??= error;
    const offers = [...this.#offers.values()];
    const consumers = [...this.#consumers.values()];
    this.#offers.clear();
    this.#consumers.clear();
    for (const { producer } of offers) {
      producer.rejectAll(this.#error);
    }
    for (const consumer of consumers) {
      consumer.rejectAll(this.#error);
    }
  }

  #check(signal: CancellationSignal, what: string): void {
    if (this.#error !== undefined) {
      throw this.#error;
    }
    if (signal.aborted) {
      throw cancelledBy(signal.reason, what);
    }
  }
}
