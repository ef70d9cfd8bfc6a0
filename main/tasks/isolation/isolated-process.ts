/** A task's process in the namespace: the one that a launcher creates, once the namespace is available. */
import { inBackground } from "../../../worker-runtime/faults.js";
import type { Problem } from "../../api/problem.js";
import { problem } from "../../shared/problems.js";
import { cannotShutOff } from "../exposure.js";
import type { LaunchRequest, LaunchTask, TaskExit, TaskProcess } from "../launcher.js";

/** A place for one task in the namespace. */
export interface Place {
  /** The prefix of the command line of a program that runs there. */
  readonly command: readonly string[];
  /** Call once, when the process has ended. */
  leave(): Promise<void>;
}

export interface IsolatedProcessOptions {
  readonly launch: LaunchTask;
  /**
   * Reserves a place for the task. Returns the reason, as a sentence, if isolation is not available.
   *
   * @param lost Called when the namespace is gone.
   */
  readonly enter: (lost: () => void) => Promise<Place | string>;
}

const NEVER_RAN: TaskExit = { code: null, signal: null };

export class IsolatedProcess implements TaskProcess {
  readonly ready: Promise<void>;
  readonly exited: Promise<TaskExit>;
  readonly #options: IsolatedProcessOptions;
  readonly #begun: Promise<TaskProcess>;
  #place: Place | undefined;
  #process: TaskProcess | undefined;
  #stopped = false;

  constructor(request: LaunchRequest, options: IsolatedProcessOptions) {
    this.#options = options;
    this.#begun = this.#begin(request);
    this.ready = this.#begun.then((process) => process.ready);
    // Reported to whatever awaits it.
    this.ready.catch(() => undefined);
    this.exited = this.#run();
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get isolated(): boolean {
    return this.#place !== undefined;
  }

  async notice(): Promise<Problem | undefined> {
    return await this.#process?.notice();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#process?.stop();
    await this.exited;
  }

  async #begin(request: LaunchRequest): Promise<TaskProcess> {
    const entered = await this.#options.enter(() => inBackground(this.stop()));
    const place = typeof entered === "string" ? undefined : entered;
    this.#place = place;
    if (this.#stopped) throw problem("CANCELLED", "The task was stopped before it had started.");
    if (typeof entered === "string" && !request.plan.mayBeExposed) throw cannotShutOff(entered);
    this.#process = this.#options.launch(place ? { ...request, commandPrefix: place.command } : request);
    return this.#process;
  }

  async #run(): Promise<TaskExit> {
    const exit = await this.#begun.then(
      (process) => process.exited,
      () => NEVER_RAN,
    );
    await this.#place?.leave();
    return exit;
  }
}
