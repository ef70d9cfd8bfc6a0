import type { CallableOptions, RunMetadata } from "../../../../protos/generated/tensorflow/config.js";
import type { TensorProto } from "../../../../protos/generated/tensorflow/tensor.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { internalError, invalidArgument } from "../../../protocol/status.js";
import { watchingOptions } from "../debug/tensor-watches.js";
import { checkedFeed } from "./feed-checks.js";
import type { Lease } from "./prepared-step-cache.js";
import type { StepRunner } from "./step-runner.js";
import { checkSignature, type StepSignature } from "./step-signature.js";

interface Callable {
  readonly options: CallableOptions;
  readonly signature: StepSignature;
  /** Keeps the graph registered. */
  readonly lease: Lease;
}

export interface CallableResult {
  /** In the order of the callable's fetches. */
  readonly fetch: TensorProto[];
  readonly metadata: RunMetadata;
}

/** Callables: steps that a client runs by a number, with tensors in a fixed order instead of names. */
export class Callables {
  readonly #runner: StepRunner;
  readonly #callables = new Map<bigint, Callable>();
  #next = 0n;

  constructor(runner: StepRunner) {
    this.#runner = runner;
  }

  /** @throws TensorFlowError what is wrong with the signature. */
  async make(options: CallableOptions, signal: CancellationSignal): Promise<bigint> {
    const signature: StepSignature = {
      feeds: options.feed,
      fetches: options.fetch,
      targets: options.target,
      connections: options.tensorConnection.map(({ fromTensor, toTensor }) => ({
        from: fromTensor,
        to: toTensor,
      })),
      collectiveGraphKey: options.runOptions?.experimental?.collectiveGraphKey ?? 0n,
      debug: watchingOptions(options.runOptions?.debugOptions),
    };
    checkSignature(signature);
    const lease = await this.#runner.prepare(signature, false, signal);
    const handle = this.#next;
    this.#next += 1n;
    this.#callables.set(handle, { options, signature, lease });
    return handle;
  }

  /**
   * @throws TensorFlowError INVALID_ARGUMENT for an unknown callable or mismatched feeds; the error that ended the
   * step.
   */
  async run(
    handle: bigint,
    feed: readonly TensorProto[],
    signal: CancellationSignal,
  ): Promise<CallableResult> {
    const callable = this.#callables.get(handle);
    if (callable === undefined) {
      throw invalidArgument(
        handle >= 0n && handle < this.#next
          ? `Attempted to run callable after handle was released: ${handle}`
          : `No such callable handle: ${handle}`,
      );
    }
    const { options, signature } = callable;
    if (feed.length !== options.feed.length) {
      throw invalidArgument(
        `The callable takes ${options.feed.length} feeds, but ${feed.length} were given.`,
      );
    }
    const feeds = new Map(options.feed.map((name, i) => [name, checkedFeed(feed[i], i)]));
    const { tensors, metadata } = await this.#runner.run({
      signature,
      feeds,
      options: options.runOptions,
      signal,
    });
    const fetch = options.fetch.map((name) => {
      const tensor = tensors.get(name);
      if (tensor === undefined) {
        throw internalError(`The step gave nothing for ${name}.`);
      }
      return tensor;
    });
    return { fetch, metadata };
  }

  /** Releasing an unknown callable has no effect. */
  release(handle: bigint): void {
    this.#callables.get(handle)?.lease.giveBack();
    this.#callables.delete(handle);
  }
}
