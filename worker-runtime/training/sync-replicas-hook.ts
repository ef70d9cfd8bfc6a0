import { inBackground } from "../faults.js";
import type { SyncReplicasOptimizer } from "../graph/training/sync-replicas.js";
import type { Session } from "../session/session.js";
import type { SessionRunHook } from "./hooks.js";

/**
 * Runs what a SyncReplicasOptimizer needs besides training: on the chief, the operation that applies the averages of
 * the replicas' gradients, as often as there are enough of them.
 */
export class SyncReplicasHook implements SessionRunHook {
  readonly #optimizer: SyncReplicasOptimizer;
  readonly #isChief: boolean;
  readonly #initTokens: boolean;
  #running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  /**
   * @param options.initTokens whether replicas may begin a second step before the first is complete, as in TensorFlow;
   *   defaults to true. False makes all of them go in step.
   */
  constructor(
    optimizer: SyncReplicasOptimizer,
    { isChief, initTokens = true }: { readonly isChief: boolean; readonly initTokens?: boolean },
  ) {
    this.#optimizer = optimizer;
    this.#isChief = isChief;
    this.#initTokens = initTokens;
  }

  async afterCreateSession(session: Session): Promise<void> {
    await this.#end();
    const { syncOp, chiefInitOp, localStepInitOp, initTokensOp } = this.#optimizer.ops;
    await session.run([], { targets: [localStepInitOp] });
    if (!this.#isChief) return;
    await session.run([], { targets: this.#initTokens ? [chiefInitOp, initTokensOp] : [chiefInitOp] });
    const stop = new AbortController();
    const run = async () => {
      while (!stop.signal.aborted) await session.run([], { targets: [syncOp], signal: stop.signal });
    };
    // A failure ends the replicas' steps as well, which report it.
    const ended = run().catch(() => undefined);
    this.#running = { stop, ended };
    inBackground(ended);
  }

  close(): Promise<void> {
    return this.#end();
  }

  async #end(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.stop.abort();
    await running?.ended;
  }
}
