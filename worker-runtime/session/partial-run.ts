import { randomRequestId } from "../random-id.js";
import { CONTROL_DEADLINE_MILLIS } from "../rpc/service-client.js";
import type { StepContext } from "./callable.js";
import {
  type Feeds,
  type OperationRef,
  operationNameOf,
  type TensorRef,
  tensorNameOf,
  tensorsOfFeeds,
} from "./references.js";
import { type RunResult, runResultOf, runStepRequest } from "./run-step.js";

/** Everything that will be fed and fetched in the parts of a partial run. */
export interface PartialRunSpec {
  readonly feeds?: readonly TensorRef[] | undefined;
  readonly fetches?: readonly TensorRef[] | undefined;
  readonly targets?: readonly OperationRef[] | undefined;
}

/** A step that is fed and fetched in several parts; each feed and each fetch once. */
export class PartialRun {
  readonly #context: StepContext;
  readonly #handle: string;
  readonly #targets: readonly string[];

  private constructor(context: StepContext, handle: string, targets: readonly string[]) {
    this.#context = context;
    this.#handle = handle;
    this.#targets = targets;
  }

  /** Announces the step to the master. Called by sessions. */
  static async setUp(spec: PartialRunSpec, context: StepContext): Promise<PartialRun> {
    const targets = (spec.targets ?? []).map(operationNameOf);
    const { partialRunHandle } = await context.master.partialRunSetup(
      {
        sessionHandle: context.sessionHandle,
        feed: (spec.feeds ?? []).map(tensorNameOf),
        fetch: (spec.fetches ?? []).map(tensorNameOf),
        target: targets,
        requestId: randomRequestId(),
      },
      { signal: context.signal, deadlineMillis: CONTROL_DEADLINE_MILLIS },
    );
    return new PartialRun(context, partialRunHandle, targets);
  }

  /** Names of the operations that the whole run executes for their side effects. */
  get targets(): readonly string[] {
    return this.#targets;
  }

  /**
   * Feeds and fetches a part.
   * @throws TensorFlowError as `Session.run`; INVALID_ARGUMENT for names that were not announced or were already used.
   */
  run(
    fetches: readonly TensorRef[],
    args: { readonly feeds?: Feeds | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<RunResult> {
    const { master, sessionHandle, placeholders } = this.#context;
    return this.#context.run("The partial run", args.signal, async (signal) => {
      const names = {
        feeds: tensorsOfFeeds(args.feeds, placeholders),
        fetches: fetches.map(tensorNameOf),
        targets: [],
      };
      const request = runStepRequest(sessionHandle, names, undefined, this.#handle);
      return runResultOf(await master.runStep(request, { signal }), names);
    });
  }
}
