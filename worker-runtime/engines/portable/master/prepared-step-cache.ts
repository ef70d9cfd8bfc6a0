import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { unlessAborted } from "../../../cancellation/unless-aborted.js";
import { deregister, type PreparedStep, type PrepareTools, prepareStep } from "./prepared-step.js";
import { isSameSignature, type StepSignature, signatureKey } from "./step-signature.js";

interface Entry {
  readonly prepared: Promise<PreparedStep>;
  /** Steps that run with it: it must not be deregistered before they end. */
  uses: number;
}

/** A prepared step that stays registered until it is given back. */
export interface Lease {
  readonly step: PreparedStep;
  giveBack(): void;
}

/** The steps that a session has prepared. The least recently used ones are dropped first. */
export class PreparedStepCache {
  readonly #tools: PrepareTools;
  readonly #limit: number;
  /** By signature, the most recently used at the end. */
  readonly #entries = new Map<string, Entry>();
  /** The signature that was looked up last. */
  #last: { readonly signature: StepSignature; readonly key: string } | undefined;

  constructor(tools: PrepareTools, limit: number) {
    this.#tools = tools;
    this.#limit = limit;
  }

  /**
   * @param isPartial partial runs have separate graphs.
   * @throws TensorFlowError what is wrong with the signature or the graph; the signal's reason.
   */
  async lease(signature: StepSignature, isPartial: boolean, signal: CancellationSignal): Promise<Lease> {
    const key = `${isPartial}${this.#keyOf(signature)}`;
    const entry = this.#entries.get(key) ?? this.#prepare(key, signature, isPartial);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.uses += 1;
    let isOut = true;
    const giveBack = () => {
      entry.uses -= isOut ? 1 : 0;
      isOut = false;
      this.#shrink();
    };
    try {
      const step = await unlessAborted(entry.prepared, signal);
      return { step, giveBack };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Most steps have the signature of the one before, and to compare it takes less than to put its key together. */
  #keyOf(signature: StepSignature): string {
    if (this.#last === undefined || !isSameSignature(this.#last.signature, signature)) {
      this.#last = { signature, key: signatureKey(signature) };
    }
    return this.#last.key;
  }

  #prepare(key: string, signature: StepSignature, isPartial: boolean): Entry {
    const prepared = prepareStep(signature, isPartial, this.#tools);
    const entry = { prepared, uses: 0 };
    prepared.catch(() => {
      // The next step with this signature tries again: a worker may be back, a graph may have grown.
      if (this.#entries.get(key) === entry) {
        this.#entries.delete(key);
      }
    });
    return entry;
  }

  #shrink(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= this.#limit) {
        return;
      }
      if (entry.uses === 0) {
        this.#entries.delete(key);
        entry.prepared
          .then(({ partitions }) => deregister(partitions, this.#tools.session))
          .catch(() => {
            // It was never registered.
          });
      }
    }
  }
}
