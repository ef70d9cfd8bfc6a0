import type { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import type { KeptTensor, TensorAddress } from "../../api/tensors.js";
import { problem } from "../../shared/problems.js";

/** Limit for the results of all runs together. */
const MAX_KEPT_BYTES = 512 << 20;

export interface NamedTensor {
  readonly name: string;
  readonly tensor: Tensor;
}

/** The results of a step, by name; some may be missing. */
export function namedTensors(
  names: readonly string[],
  values: readonly (Tensor | undefined)[],
): NamedTensor[] {
  return names.flatMap((name, at) => {
    const tensor = values[at];
    return tensor ? [{ name, tensor }] : [];
  });
}

/** The results of a run's newest step. */
export interface RunTensors {
  readonly step: number;
  readonly tensors: readonly NamedTensor[];
  /** Names of results that were too large to be kept. */
  readonly left: readonly string[];
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

/** The results of a run of before, from where they are kept for longer; undefined if they are not. */
export type ReadResults = (runId: string) => Promise<RunTensors | undefined>;

/**
 * The fetched tensors of the newest step of each run, so that windows can view any part of them. If they are too large
 * together, those of the oldest runs are released, then the largest of the newest run. Released ones, and those of before
 * the application was started, are read anew when they are asked for.
 */
export class TensorStore {
  readonly #maxBytes: number;
  readonly #readResults: ReadResults;
  /** The run that changed last is the last. */
  readonly #runs = new Map<string, RunResults>();
  #bytes = 0;

  constructor(maxBytes = MAX_KEPT_BYTES, readResults: ReadResults = () => Promise.resolve(undefined)) {
    this.#maxBytes = maxBytes;
    this.#readResults = readResults;
  }

  /** Replaces the results of a run. */
  set(runId: string, step: number, results: readonly NamedTensor[], left: readonly string[] = []): void {
    this.release(runId);
    const tensors = new Map<string, Tensor>();
    const dropped = new Set(left);
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

  /** The kept tensors of a run; undefined if nothing is. */
  resultsOf(runId: string): RunTensors | undefined {
    const run = this.#runs.get(runId);
    if (!run) return undefined;
    const tensors = [...run.tensors].map(([name, tensor]) => ({ name, tensor }));
    return { step: run.step, tensors, left: [...run.dropped] };
  }

  /** As `get`, also of a run whose results have to be read anew. What is here is found at once. */
  find(address: TensorAddress): FoundTensor | Promise<FoundTensor> {
    return this.#runs.has(address.runId) ? this.get(address) : this.#readAnew(address);
  }

  async #readAnew(address: TensorAddress): Promise<FoundTensor> {
    const { runId } = address;
    const read = await this.#readResults(runId);
    // Another request may have been faster.
    if (read && !this.#runs.has(runId)) this.set(runId, read.step, read.tensors, read.left);
    return this.get(address);
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
      reason: "Those of later runs took their place, or they were too large to be kept on disk.",
      remedy: "Run again.",
    });
  }

  async describe(address: TensorAddress): Promise<KeptTensor> {
    const { tensor, step } = await this.find(address);
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
