/** The libtensorflow of this machine: found in the background, installed on request. */
import type { InstallProgress, Runtime, RuntimeState } from "../../api/runtime.js";
import { deferred } from "../../shared/deferred.js";
import type { EmitEvent } from "../../shared/events.js";
import { problem, problemOf } from "../../shared/problems.js";
import type { RuntimeTools } from "./runtime-tools.js";

/** A progress bar need not move faster than the eye can follow. */
const PROGRESS_INTERVAL_MILLIS = 250;

interface Search {
  /** Resolves when it is known whether this machine has a library. Never rejects. */
  readonly located: Promise<void>;
  /** Resolves when it is also known what could be installed. Never rejects. */
  readonly done: Promise<void>;
}

export class RuntimeService {
  readonly #tools: RuntimeTools;
  readonly #emit: EmitEvent;
  readonly #disposed = new AbortController();
  #state: RuntimeState = {};
  /** The search in progress or the last one; absent before the first. */
  #search: Search | undefined;
  /** Set if and only if an installation runs. */
  #installation: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;

  constructor(tools: RuntimeTools, emit: EmitEvent) {
    this.#tools = tools;
    this.#emit = emit;
  }

  /** The current state; the first call waits for detection. */
  async get(): Promise<RuntimeState> {
    this.#search ??= this.#begin();
    await this.#search.done;
    return this.#state;
  }

  /** The library that new tasks use; waits for detection on this machine, but not for what could be installed. */
  async runtime(): Promise<Runtime | undefined> {
    this.#search ??= this.#begin();
    await this.#search.located;
    return this.#state.runtime;
  }

  /** The library if one was already found; does not wait. */
  known(): Runtime | undefined {
    return this.#state.runtime;
  }

  /** Repeats the search. */
  async refresh(): Promise<RuntimeState> {
    this.#search = this.#begin(this.#search?.done);
    await this.#search.done;
    return this.#state;
  }

  /**
   * Starts the installation; its progress is reported by events.
   * @throws ProblemError FAILED_PRECONDITION when one is in progress.
   */
  install(): void {
    if (this.#installation) {
      throw problem("FAILED_PRECONDITION", "TensorFlow is already being installed.");
    }
    const abort = new AbortController();
    this.#setState({
      ...withoutProblem(this.#state),
      progress: { phase: "checking", doneBytes: 0, totalBytes: 0 },
    });
    this.#installation = { abort, done: this.#install(abort.signal) };
  }

  /** Ends the installation and removes what it had written; resolves when that is done. */
  async cancelInstall(): Promise<void> {
    this.#installation?.abort.abort();
    await this.#installation?.done;
  }

  async dispose(): Promise<void> {
    this.#disposed.abort();
    await this.cancelInstall();
  }

  async #install(signal: AbortSignal): Promise<void> {
    let lastShown = 0;
    const onProgress = (progress: InstallProgress) => {
      const now = Date.now();
      const isNewPhase = progress.phase !== this.#state.progress?.phase;
      if (!isNewPhase && now - lastShown < PROGRESS_INTERVAL_MILLIS) return;
      lastShown = now;
      this.#setState({ ...this.#state, progress });
    };
    try {
      await this.#tools.install(onProgress, signal);
      this.#installation = undefined;
      this.#setState(withoutProgress(this.#state));
      await this.refresh();
    } catch (error) {
      this.#installation = undefined;
      const state = withoutProgress(this.#state);
      // The user knows that it was cancelled.
      this.#setState(signal.aborted ? state : { ...state, problem: problemOf(error) });
    }
  }

  /** @param before What must have ended first: two concurrent searches would report their results in any order. */
  #begin(before?: Promise<void>): Search {
    const located = deferred<void>();
    const done = Promise.resolve(before)
      .then(() => this.#find(located.resolve))
      .finally(located.resolve);
    return { located: located.promise, done };
  }

  /** @param located Called as soon as it is known whether there is a library. */
  async #find(located: () => void): Promise<void> {
    const { signal } = this.#disposed;
    try {
      const found = await this.#tools.find(signal);
      // Tasks can start now; what could be installed is determined afterwards.
      if (found.runtime) this.#setState({ ...this.#progress(), ...found });
      located();
      const offered = await this.#tools.offer(found.runtime, signal);
      if (!found.runtime || offered.offer) this.#setState({ ...this.#progress(), ...offered, ...found });
    } catch (error) {
      if (!signal.aborted) this.#setState({ ...this.#progress(), problem: problemOf(error) });
    }
  }

  /** An installation may begin and end during a search, so this is read when the event is sent. */
  #progress(): Pick<RuntimeState, "progress"> {
    const { progress } = this.#state;
    return progress ? { progress } : {};
  }

  #setState(state: RuntimeState): void {
    this.#state = state;
    if (!this.#disposed.signal.aborted) this.#emit("runtime", state);
  }
}

function withoutProblem({ problem: _, ...state }: RuntimeState): RuntimeState {
  return state;
}

function withoutProgress({ progress: _, ...state }: RuntimeState): RuntimeState {
  return state;
}
