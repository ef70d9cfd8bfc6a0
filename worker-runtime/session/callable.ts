import { CallableOptions } from "../../protos/generated/tensorflow/config.js";
import type { CancellationSignal } from "../cancellation/cancellation-signal.js";
import { failedPrecondition, internalError, invalidArgument } from "../protocol/status.js";
import { tensorFromReceived, tensorToProto } from "../protocol/tensor.js";
import { randomRequestId } from "../random-id.js";
import type { MasterClient } from "../rpc/master-client.js";
import { CONTROL_DEADLINE_MILLIS } from "../rpc/service-client.js";
import {
  type FeedValue,
  type OperationRef,
  operationNameOf,
  type PlaceholderTypes,
  type TensorRef,
  tensorNameOf,
  tensorOfFeed,
} from "./references.js";
import { type RunResult, resultOf, runOptionsOf, type StepOptions } from "./run-step.js";

/** The parts of a session that its callables and partial runs need. */
export interface StepContext {
  readonly master: MasterClient;
  readonly sessionHandle: string;
  readonly placeholders: PlaceholderTypes;
  /** Runs a call that is aborted by the session's end, the caller's signal or a lost task. */
  readonly run: <T>(
    what: string,
    signal: AbortSignal | undefined,
    call: (signal: CancellationSignal) => Promise<T>,
  ) => Promise<T>;
  /** The signal of the call that creates the object. */
  readonly signal: CancellationSignal;
}

export interface CallableSpec {
  /** Tensors fed to each run, in this order. */
  readonly feeds?: readonly TensorRef[] | undefined;
  readonly fetches?: readonly TensorRef[] | undefined;
  readonly targets?: readonly OperationRef[] | undefined;
  /** The same for all runs. */
  readonly options?: StepOptions | undefined;
  /** Further parts of TensorFlow's CallableOptions, such as tensor connections; the properties above win. */
  readonly callableOptions?: Partial<CallableOptions> | undefined;
}

/** A step whose feeds, fetches and targets the master knows, so that a run sends only tensors. */
export class Callable {
  readonly #context: StepContext;
  readonly #handle: bigint;
  readonly #feeds: readonly string[];
  readonly #fetches: readonly string[];
  readonly #timeoutMillis: number | undefined;
  #released = false;

  private constructor(
    context: StepContext,
    handle: bigint,
    names: { readonly feeds: readonly string[]; readonly fetches: readonly string[] },
    timeoutMillis: number | undefined,
  ) {
    this.#context = context;
    this.#handle = handle;
    this.#feeds = names.feeds;
    this.#fetches = names.fetches;
    this.#timeoutMillis = timeoutMillis;
  }

  /** Asks the master to prepare the step. Called by sessions. */
  static async make(spec: CallableSpec, context: StepContext): Promise<Callable> {
    const feeds = (spec.feeds ?? []).map(tensorNameOf);
    const fetches = (spec.fetches ?? []).map(tensorNameOf);
    const options: CallableOptions = {
      ...CallableOptions.create(),
      ...spec.callableOptions,
      feed: feeds,
      fetch: fetches,
      target: (spec.targets ?? []).map(operationNameOf),
    };
    options.runOptions = runOptionsOf(spec.options) ?? options.runOptions;
    const { handle } = await context.master.makeCallable(
      { sessionHandle: context.sessionHandle, options, requestId: randomRequestId() },
      { signal: context.signal, deadlineMillis: CONTROL_DEADLINE_MILLIS },
    );
    return new Callable(context, handle, { feeds, fetches }, spec.options?.timeoutMillis);
  }

  /**
   * Runs the step.
   * @param values one for each feed, in their order.
   * @throws TensorFlowError as `Session.run`; FAILED_PRECONDITION after `release`.
   */
  async run(
    values: readonly FeedValue[] = [],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<RunResult> {
    if (this.#released) {
      throw failedPrecondition("The callable was released.");
    }
    if (values.length !== this.#feeds.length) {
      throw invalidArgument(
        `The callable takes ${this.#feeds.length} values, but ${values.length} were given.`,
      );
    }
    const { master, sessionHandle, placeholders } = this.#context;
    const feed = values.map((value, i) => {
      return tensorToProto(tensorOfFeed(this.#feeds[i] ?? "", value, placeholders));
    });
    const response = await this.#context.run("The step", signal, (callSignal) =>
      master.runCallable(
        { sessionHandle, handle: this.#handle, feed, requestId: randomRequestId() },
        { signal: callSignal, deadlineMillis: this.#timeoutMillis },
      ),
    );
    if (response.fetch.length !== this.#fetches.length) {
      throw internalError(
        `The master answered with ${response.fetch.length} tensors for ${this.#fetches.length} fetches.`,
      );
    }
    return resultOf(response.fetch.map(tensorFromReceived), response.metadata);
  }

  /** Releases the step on the master. May be called more than once. */
  async release(): Promise<void> {
    if (this.#released) {
      return;
    }
    this.#released = true;
    const { master, sessionHandle } = this.#context;
    await this.#context.run("Releasing the callable", undefined, (signal) =>
      master.releaseCallable(
        { sessionHandle, handle: this.#handle },
        { signal, deadlineMillis: CONTROL_DEADLINE_MILLIS },
      ),
    );
  }
}
