import { inBackground } from "../faults.js";
import type { Operation } from "../graph/operation.js";
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
  readonly #numTokens: number;
  #initTokens: Operation | undefined;
  #running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  /**
   * @param options.numTokens how many steps of replicas may begin before the first is complete. Defaults to -1, as many as
   *   replicas are aggregated; 0 makes all of them go in step.
   */
  constructor(
    optimizer: SyncReplicasOptimizer,
    { isChief, numTokens = -1 }: { readonly isChief: boolean; readonly numTokens?: number },
  ) {
    this.#optimizer = optimizer;
    this.#isChief = isChief;
    this.#numTokens = numTokens;
  }

  /** @throws TensorFlowError INVALID_ARGUMENT for too few tokens, and before the training operation was made */
  begin(): void {
    if (this.#isChief) this.#initTokens = this.#optimizer.getInitTokensOp(this.#numTokens);
  }

  async afterCreateSession(session: Session): Promise<void> {
    await this.#end();
    const { syncOp, chiefInitOp, localStepInitOp } = this.#optimizer.ops;
    await session.run([], { targets: [localStepInitOp] });
    if (!this.#isChief) return;
    await session.run([], {
      targets: this.#initTokens === undefined ? [chiefInitOp] : [chiefInitOp, this.#initTokens],
    });
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
