/** The recovery of a training that loses a task: it goes on from its newest whole checkpoint, by itself or when asked. */
import type { RunRequest } from "../api/runs.js";
import { ProblemError } from "../api/wire.js";
import { problem } from "../shared/problems.js";
import { lostTask } from "./lost-tasks.js";
import type { CheckpointKeeper } from "./run-checkpoints.js";
import type { RunStatus } from "./run-status.js";

interface Loss {
  readonly task: string;
  readonly afterStep: number;
}

export class TrainingRecovery {
  readonly #request: Pick<RunRequest, "training" | "checkpoints">;
  readonly #checkpoints: CheckpointKeeper;
  readonly #status: RunStatus;
  /** How often it may still go on by itself. */
  #left: number;
  /** The loss after which no checkpoint has been restored yet. */
  #loss: Loss | undefined;

  constructor(
    request: Pick<RunRequest, "training" | "checkpoints">,
    checkpoints: CheckpointKeeper,
    status: RunStatus,
  ) {
    this.#request = request;
    this.#checkpoints = checkpoints;
    this.#status = status;
    this.#left = request.checkpoints?.recoveries ?? 0;
  }

  /** Whether the next attempt has to restore a checkpoint. */
  get isDue(): boolean {
    return this.#loss !== undefined;
  }

  /** The run failed. Returns whether it is to go on by itself. */
  failed(error: unknown): boolean {
    if (!this.#request.training || !(error instanceof ProblemError)) return false;
    const { task } = error.problem;
    if (lostTask(error) && task !== undefined)
      this.#loss = { task, afterStep: this.#loss?.afterStep ?? this.#status.progress().step };
    if (!lostTask(error) || this.#checkpoints.newestStep === undefined || this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }

  /** The error with which the run ends, with an offer to go on if there is a checkpoint. */
  explained(error: unknown): unknown {
    const checkpointStep = this.#checkpoints.newestStep;
    const loss = this.#loss;
    if (!loss || checkpointStep === undefined || !(error instanceof ProblemError)) return error;
    this.#status.offerRecovery({ ...loss, checkpointStep });
    if (!lostTask(error)) return error;
    const { code, message, remedy: _, ...more } = error.problem;
    const start = `The training stopped after step ${loss.afterStep}`;
    return problem(code, message.replace(/^The run failed/, start), {
      ...more,
      remedy: `Restore from step ${checkpointStep} and go on.`,
    });
  }

  /**
   * Restores the newest whole checkpoint. Returns the step of the run that it is of.
   * @throws ProblemError NOT_FOUND or DATA_LOSS if there is none
   */
  async restore(signal: AbortSignal): Promise<number> {
    const loss = this.#loss;
    this.#status.setPhase("Restoring the newest checkpoint");
    const { runStep, checkpointStep, damaged } = await this.#checkpoints.restoreNewest(signal);
    if (loss) this.#status.recovered({ ...loss, checkpointStep, damaged: [...damaged] }, runStep);
    this.#loss = undefined;
    return runStep;
  }
}
