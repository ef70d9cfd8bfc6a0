import type { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import type { KeptTensor, TensorAddress } from "../../api/tensors.js";
import { problem } from "../../shared/problems.js";

/** Limit for the results of all runs together. */
const MAX_KEPT_BYTES = 512 << 20;

export interface NamedTensor {
  readonly name: string;
  readonly tensor: Tensor;
}

/** A tensor and the step that fetched it. */
export interface FoundTensor {
  readonly tensor: Tensor;
  readonly step: number;
}

interface RunResults {
  readonly step: number;
  readonly tensors: ReadonlyMap<string, Tensor>;
  /** Names of results that were too large to be kept. */
  readonly dropped: ReadonlySet<string>;
  readonly byteLength: number;
}

/**
 * The fetched tensors of the newest step of each run, so that windows can view any part of them. If they are too large
 * together, those of the oldest runs are released, then the largest of the newest run.
 */
export class TensorStore {
  readonly #maxBytes: number;
  /** The run that changed last is the last. */
  readonly #runs = new Map<string, RunResults>();
  #bytes = 0;

  constructor(maxBytes = MAX_KEPT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Replaces the results of a run. */
  set(runId: string, step: number, results: readonly NamedTensor[]): void {
    this.release(runId);
    const tensors = new Map<string, Tensor>();
    const dropped = new Set<string>();
    let byteLength = 0;
    for (const { name, tensor } of [...results].sort((a, b) => a.tensor.byteLength - b.tensor.byteLength)) {
      if (byteLength + tensor.byteLength > this.#maxBytes) {
        dropped.add(name);
        continue;
      }
      byteLength += tensor.byteLength;
      tensors.set(name, tensor);
    }
    this.#runs.set(runId, { step, tensors, dropped, byteLength });
    this.#bytes += byteLength;
    for (const oldest of this.#runs.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.release(oldest);
    }
  }

  release(runId: string): void {
    this.#bytes -= this.#runs.get(runId)?.byteLength ?? 0;
    this.#runs.delete(runId);
  }

  /** @throws ProblemError NOT_FOUND or RESOURCE_EXHAUSTED. */
  get({ runId, name }: TensorAddress): FoundTensor {
    const run = this.#runs.get(runId);
    const tensor = run?.tensors.get(name);
    if (run && tensor) return { tensor, step: run.step };
    if (run?.dropped.has(name)) {
      throw problem("RESOURCE_EXHAUSTED", `${name} is too large to be viewed as a whole.`, {
        remedy: "Fetch a part of it, for example through a Slice node.",
      });
    }
    if (run)
      throw problem("NOT_FOUND", `There is no result ${name}.`, { remedy: "Fetch it in the next run." });
    throw problem("NOT_FOUND", "The results of this run are no longer kept.", {
      reason: "Those of later runs took their place.",
      remedy: "Run again.",
    });
  }

  describe(address: TensorAddress): KeptTensor {
    const { tensor, step } = this.get(address);
    return {
      name: address.name,
      dtype: tensor.dtype,
      shape: [...tensor.shape],
      elementCount: tensor.size,
      byteLength: tensor.byteLength,
      step,
    };
  }
}
