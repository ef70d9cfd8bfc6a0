/** The available ops: those of the library that will run the graph, or the list bundled with Tensordeck. */
import type { Runtime } from "../../api/runtime.js";

export interface OpList {
  /** In words: "TensorFlow 2.21.0, …". */
  readonly source: string;
  /** A serialized tensorflow.OpList. */
  readonly opList: Uint8Array;
}

export interface OpListCollaborators {
  readonly runtime: () => Promise<Runtime | undefined>;
  readonly ask: (runtime: Runtime, signal: AbortSignal) => Promise<Uint8Array>;
  readonly bundled: () => OpList;
}

export class OpListService {
  readonly #collaborators: OpListCollaborators;
  readonly #disposed = new AbortController();
  /** Lists by the library's path; querying one takes a separate process. */
  readonly #known = new Map<string, Promise<OpList>>();

  constructor(collaborators: OpListCollaborators) {
    this.#collaborators = collaborators;
  }

  async list(): Promise<OpList> {
    const runtime = await this.#collaborators.runtime().catch(() => undefined);
    if (!runtime) return this.#collaborators.bundled();
    const key = `${runtime.path} ${runtime.version}`;
    let list = this.#known.get(key);
    if (!list) {
      list = this.#ask(runtime);
      this.#known.set(key, list);
      // A failed query is retried by the next call.
      list.catch(() => this.#known.delete(key));
    }
    return await list.catch(() => this.#collaborators.bundled());
  }

  dispose(): void {
    this.#disposed.abort();
  }

  async #ask(runtime: Runtime): Promise<OpList> {
    const opList = await this.#collaborators.ask(runtime, this.#disposed.signal);
    return { source: `TensorFlow ${runtime.version}, ${runtime.origin}`, opList };
  }
}
