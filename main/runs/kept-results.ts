import type { Tensor } from "../../worker-runtime/protocol/tensor.js";
import type { TensorPreview } from "../api/runs.js";
import { problem } from "../shared/problems.js";
import { previewTensor } from "./previews.js";

/** The newest results are held whole, so that a window can look at any part of them, up to this much together. */
const MAX_KEPT_BYTES = 512 << 20;

export interface NamedTensor {
  readonly name: string;
  readonly tensor: Tensor;
}

/** The fetched tensors of the newest step of a run. */
export class KeptResults {
  readonly #maxBytes: number;
  #tensors = new Map<string, Tensor>();
  /** Names of results that were too large to be held. */
  #dropped = new Set<string>();

  constructor(maxBytes = MAX_KEPT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Replaces all. If they are too large together, the largest are dropped. */
  set(results: readonly NamedTensor[]): void {
    this.#tensors = new Map();
    this.#dropped = new Set();
    let bytes = 0;
    for (const { name, tensor } of [...results].sort((a, b) => a.tensor.byteLength - b.tensor.byteLength)) {
      bytes += tensor.byteLength;
      if (bytes <= this.#maxBytes) this.#tensors.set(name, tensor);
      else this.#dropped.add(name);
    }
  }

  /** @throws ProblemError NOT_FOUND, RESOURCE_EXHAUSTED or OUT_OF_RANGE. */
  slice(name: string, offset: number, count: number): TensorPreview {
    const tensor = this.#tensors.get(name);
    if (!tensor) {
      if (this.#dropped.has(name)) {
        throw problem("RESOURCE_EXHAUSTED", `${name} is too large to be looked at as a whole.`, {
          remedy: "Fetch a part of it, for example through a Slice node.",
        });
      }
      throw problem("NOT_FOUND", `There is no result ${name}.`, { remedy: "Fetch it in the next run." });
    }
    if (offset > 0 && offset >= tensor.size) {
      throw problem("OUT_OF_RANGE", `${name} has ${tensor.size} elements; ${offset} is out of range.`);
    }
    return previewTensor(name, tensor, offset, count);
  }
}
