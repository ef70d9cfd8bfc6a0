import { DumpFolder } from "../debug/dump-files.js";
import { TensorWatches } from "../debug/tensor-watches.js";
import type { FileAccess } from "../resources/file-access.js";
import type { PreparedStep } from "./prepared-step.js";
import type { StepSignature } from "./step-signature.js";

/** Publishes the runs of watched steps: tfdbg reads no dump without the feeds, fetches and targets of its run. */
export class DebugRuns {
  readonly #files: FileAccess;
  /** How often each step was run. */
  readonly #runs = new WeakMap<PreparedStep, number>();

  /** @param files of the master's task. */
  constructor(files: FileAccess) {
    this.#files = files;
  }

  /**
   * To be called before a run; does nothing for a step that is not watched.
   * @throws TensorFlowError PERMISSION_DENIED for a folder that graphs may not write to; the error of the file.
   */
  async publish(step: PreparedStep, { debug, feeds, fetches, targets }: StepSignature): Promise<void> {
    if (debug === undefined) {
      return;
    }
    const index = this.#runs.get(step) ?? 0;
    this.#runs.set(step, index + 1);
    const run = { globalStep: debug.globalStep, index, feeds, fetches, targets };
    for (const folder of new TensorWatches(debug.debugTensorWatchOpts).folders) {
      await new DumpFolder(folder, this.#files).writeRun(run);
    }
  }
}
