/** The portable engine's kernels; determined once, when a window first requests them. */
import type { KernelList } from "../../api/kernels.js";

type Kernels = KernelList["kernels"];

export interface KernelListCollaborators {
  readonly version: string;
  /** Loads them, which takes a few tenths of a second. */
  readonly ask: (signal: AbortSignal) => Promise<Kernels>;
}

export class KernelListService {
  readonly #collaborators: KernelListCollaborators;
  readonly #disposed = new AbortController();
  #kernels: Promise<Kernels> | undefined;

  constructor(collaborators: KernelListCollaborators) {
    this.#collaborators = collaborators;
  }

  /** Rejects when the kernels cannot be listed; the next call tries again. */
  async list(): Promise<KernelList> {
    const { version, ask } = this.#collaborators;
    this.#kernels ??= ask(this.#disposed.signal).catch((error: unknown) => {
      this.#kernels = undefined;
      throw error;
    });
    return { version, kernels: await this.#kernels };
  }

  dispose(): void {
    this.#disposed.abort();
  }
}
