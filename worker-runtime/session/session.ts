import type { DeviceAttributes } from "../../protos/generated/tensorflow/device_attributes.js";
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { RunStepResponse } from "../../protos/generated/tensorflow/master.js";
import { inBackground } from "../faults.js";
import {
  cancelled,
  cancelledBy,
  failedPrecondition,
  StatusCode,
  TensorFlowError,
} from "../protocol/status.js";
import { addressOfTarget, Channel } from "../rpc/channel.js";
import { masterClient } from "../rpc/master-client.js";
import { CONTROL_DEADLINE_MILLIS } from "../rpc/service-client.js";
import { Callable, type CallableSpec, type StepContext } from "./callable.js";
import { PartialRun, type PartialRunSpec } from "./partial-run.js";
import type { Participant } from "./participants.js";
import {
  type Feeds,
  type OperationRef,
  operationNameOf,
  type TensorRef,
  tensorNameOf,
  tensorsOfFeeds,
} from "./references.js";
import {
  type RunResult,
  runOptionsOf,
  runResultOf,
  runStepRequest,
  type StepNames,
  type StepOptions,
} from "./run-step.js";
import { type Connection, type Established, SessionLink } from "./session-link.js";
import { planSession, type SessionConfig, type SessionOptions } from "./session-options.js";

/** What a step is given besides its fetches. */
export interface RunArguments {
  readonly feeds?: Feeds | undefined;
  /** Operations that are run for their effect. */
  readonly targets?: readonly OperationRef[] | undefined;
  readonly options?: StepOptions | undefined;
  /** Cancels the step, here and on the servers. */
  readonly signal?: AbortSignal | undefined;
}

export interface ResetOptions {
  /** The devices whose tasks are cleared; all unless given. */
  readonly deviceFilters?: readonly string[] | undefined;
  readonly credentials?: SessionOptions["credentials"];
  readonly signal?: AbortSignal | undefined;
}

/** An error of the connection to a task, which names only its address, with the task's name. */
function withTask(error: unknown, participants: readonly Participant[]): unknown {
  if (
    !(error instanceof TensorFlowError) ||
    error.code !== StatusCode.UNAVAILABLE ||
    error.task !== undefined
  ) {
    return error;
  }
  const task = participants.find((one) => error.message.includes(one.address))?.task;
  return new TensorFlowError(error.code, error.message, {
    task,
    payloads: error.payloads,
    cause: error.cause,
  });
}

/** Runs a call that is aborted when a task of the session goes away. */
async function watched<T>(
  { watch, plan }: Connection,
  abort: (reason: TensorFlowError) => void,
  call: () => Promise<T>,
): Promise<T> {
  const unwatch = watch.add(abort);
  try {
    return await call();
  } catch (error) {
    throw withTask(error, plan.participants);
  } finally {
    unwatch();
  }
}

/**
 * The master ends a step when its own time is over and says what the step waited for. Only where no answer has come for
 * so much longer does the call end without.
 */
const STEP_ANSWER_MILLIS = 2_000;

/** The deadline of a step's call: from its own, or the configuration's for all operations, or none. */
function stepDeadline({ plan }: Connection, timeoutMillis: number | undefined): number | undefined {
  if (timeoutMillis !== undefined && timeoutMillis > 0) {
    return timeoutMillis + STEP_ANSWER_MILLIS;
  }
  const forAll = Number(plan.config.operationTimeoutInMs);
  return forAll > 0 ? forAll : undefined;
}

/**
 * A client's session with a master: any server that speaks TensorFlow's protocol. The constructor sends nothing; the first
 * run creates the session, later ones first send what the graph gained. Steps may run at the same time. Without a target,
 * the session has a local server of its own.
 */
export class Session {
  readonly #link: SessionLink;
  readonly #signal: AbortSignal | undefined;
  /** One for each call in progress; aborted with the reason that the call is to fail with. */
  readonly #calls = new Set<AbortController>();
  #closing: Promise<void> | undefined;
  readonly #onAbort = (): void => inBackground(this.close());

  /**
   * @param target "grpc://host:port", or undefined for a local server of the session's own.
   * @throws TensorFlowError INVALID_ARGUMENT when the target or the ClusterSpec cannot be used.
   */
  constructor(target: string | undefined, options: SessionOptions = {}) {
    if (target !== undefined && target !== "") {
      // Refuses now what could never be dialled or created.
      planSession(addressOfTarget(target), options);
    }
    this.#link = new SessionLink(target === "" ? undefined : target, options);
    this.#signal = options.signal;
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (options.signal?.aborted) {
      this.#closing = Promise.resolve();
    }
  }

  /** True once `close` was called. */
  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Runs one step.
   *
   * Cancelling ends the wait here at once, and the step on the servers, with one exception: TensorFlow's own master forgets
   * a cancellation that reaches it before it has asked its workers to run (measured with 2.21). What such a step waits
   * for there ends with the session.
   * @param fetches tensors whose values are wanted: "x:0", "x", or an Output.
   * @returns values in the order of the fetches.
   * @throws TensorFlowError as the servers report it; CANCELLED when the signal is aborted or the session is closed;
   *   UNAVAILABLE or ABORTED naming the task that went away or was restarted.
   */
  async run(fetches: readonly TensorRef[], args: RunArguments = {}): Promise<RunResult> {
    return this.#guard("The step", args.signal, async (signal, abort) => {
      const connection = await this.#link.ready(signal);
      const names: StepNames = {
        feeds: tensorsOfFeeds(args.feeds, this.#link.placeholders),
        fetches: fetches.map(tensorNameOf),
        targets: (args.targets ?? []).map(operationNameOf),
      };
      const runOptions = runOptionsOf(args.options);
      const request = runStepRequest(connection.session.handle, names, runOptions);
      if (request.fetch.length === 0 && request.target.length === 0) {
        // Nothing is to be computed, which a master refuses; as TensorFlow's own client, the fed values are the answer.
        return runResultOf(RunStepResponse.create(), names);
      }
      const deadlineMillis = stepDeadline(connection, args.options?.timeoutMillis);
      const response = await watched(connection, abort, () =>
        connection.master.runStep(request, { signal, deadlineMillis }),
      );
      return runResultOf(response, names);
    });
  }

  /**
   * Adds nodes to the session's graph. They are sent at once where the session exists, otherwise when it is created.
   * @throws TensorFlowError what the master answers; the session then goes on without these nodes.
   */
  async extend(graph: GraphDef, signal?: AbortSignal): Promise<void> {
    this.#link.graph.add(graph);
    if (this.#link.isEstablished) {
      await this.#guard("Extending the graph", signal, (callSignal) => this.#link.ready(callSignal));
    }
  }

  /** Creates the session now instead of at the first run. */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#guard("Creating the session", signal, (callSignal) => this.#link.ready(callSignal));
  }

  /** Prepares a step that is run many times: its feeds and fetches are named once, then only tensors travel. */
  makeCallable(spec: CallableSpec, signal?: AbortSignal): Promise<Callable> {
    return this.#guard("Making the callable", signal, async (callSignal) => {
      const connection = await this.#link.ready(callSignal);
      return Callable.make(spec, this.#stepContext(connection, callSignal));
    });
  }

  /** Begins a step that is fed and fetched in several parts. */
  partialRunSetup(spec: PartialRunSpec, signal?: AbortSignal): Promise<PartialRun> {
    return this.#guard("Setting up the partial run", signal, async (callSignal) => {
      const connection = await this.#link.ready(callSignal);
      return PartialRun.setUp(spec, this.#stepContext(connection, callSignal));
    });
  }

  /** Runs a part of a step that `partialRunSetup` began: the same as the partial run's own `run`. */
  partialRun(
    partial: PartialRun,
    fetches: readonly TensorRef[],
    args: Pick<RunArguments, "feeds" | "signal"> = {},
  ) {
    return partial.run(fetches, args);
  }

  /** The devices that the session can use, on all of its tasks. */
  listDevices(signal?: AbortSignal): Promise<DeviceAttributes[]> {
    return this.#guard("Listing the devices", signal, async (callSignal) => {
      const { master, session } = await this.#link.ready(callSignal);
      const response = await master.listDevices(
        { sessionHandle: session.handle },
        { signal: callSignal, deadlineMillis: CONTROL_DEADLINE_MILLIS },
      );
      // Masters differ in which of the two lists holds remote devices, and may repeat one.
      const byName = new Map(
        [...response.localDevice, ...response.remoteDevice].map((device) => [device.name, device]),
      );
      return [...byName.values()];
    });
  }

  /**
   * Closes the session: running steps end with CANCELLED, the master frees its graphs, a local server of the session's own
   * stops. Never throws for a master that is gone. May be called again.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Clears the named containers (all variables and other state when none is named) of a server's cluster and closes all
   * of its sessions.
   * @throws TensorFlowError as the server reports it.
   */
  static async reset(
    target: string,
    containers: readonly string[] = [],
    options: ResetOptions = {},
  ): Promise<void> {
    const channel = new Channel(target, options.credentials);
    try {
      await masterClient(channel).reset(
        { container: [...containers], deviceFilters: [...(options.deviceFilters ?? [])] },
        { signal: options.signal, deadlineMillis: CONTROL_DEADLINE_MILLIS },
      );
    } finally {
      channel.close();
    }
  }

  /** What callables and partial runs are given of the session. */
  #stepContext(connection: Established, signal: AbortSignal): StepContext {
    return {
      master: connection.master,
      sessionHandle: connection.session.handle,
      placeholders: this.#link.placeholders,
      run: (what, runSignal, call) =>
        this.#guard(what, runSignal, (guarded, abort) => watched(connection, abort, () => call(guarded))),
      signal,
    };
  }

  /** Runs a call that ends when its own signal is aborted or the session is closed; `abort` ends it for another reason. */
  async #guard<T>(
    what: string,
    signal: AbortSignal | undefined,
    call: (signal: AbortSignal, abort: (reason: TensorFlowError) => void) => Promise<T>,
  ): Promise<T> {
    if (this.isClosed) {
      throw failedPrecondition("The session is closed.");
    }
    if (signal?.aborted) {
      throw cancelledBy(signal.reason, what);
    }
    const controller = new AbortController();
    const pass = (): void => controller.abort(cancelledBy(signal?.reason, what));
    signal?.addEventListener("abort", pass, { once: true });
    this.#calls.add(controller);
    try {
      return await call(controller.signal, (reason) => controller.abort(reason));
    } finally {
      this.#calls.delete(controller);
      signal?.removeEventListener("abort", pass);
    }
  }

  async #close(): Promise<void> {
    this.#signal?.removeEventListener("abort", this.#onAbort);
    const reason = cancelled("The session was closed while this ran.");
    for (const controller of this.#calls) {
      controller.abort(reason);
    }
    await this.#link.close();
  }
}

export type { SessionConfig, SessionOptions };
