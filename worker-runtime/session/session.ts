import type { DeviceAttributes } from "../../protos/generated/tensorflow/device_attributes.js";
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { RunStepResponse } from "../../protos/generated/tensorflow/master.js";
import { CancellationController } from "../cancellation/cancellation-controller.js";
import type { CancellationSignal } from "../cancellation/cancellation-signal.js";
import { inBackground } from "../faults.js";
import {
  cancelled,
  cancelledBy,
  failedPrecondition,
  StatusCode,
  TensorFlowError,
} from "../protocol/status.js";
import { Channel } from "../rpc/channel.js";
import { masterClient } from "../rpc/master-client.js";
import { CONTROL_DEADLINE_MILLIS } from "../rpc/service-client.js";
import { addressOfTarget } from "../rpc/target-address.js";
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

/** The arguments of a step besides its fetches. */
export interface RunArguments {
  readonly feeds?: Feeds | undefined;
  /** Operations that are run for their side effects. */
  readonly targets?: readonly OperationRef[] | undefined;
  readonly options?: StepOptions | undefined;
  /** Cancels the step, here and on the servers. */
  readonly signal?: AbortSignal | undefined;
}

export interface ResetOptions {
  /** The devices whose tasks are cleared; defaults to all. */
  readonly deviceFilters?: readonly string[] | undefined;
  readonly credentials?: SessionOptions["credentials"];
  readonly signal?: AbortSignal | undefined;
}

/** Adds the task's name to a connection error, which names only the address. */
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

/** Runs a call that is aborted if a task of the session is lost. */
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
 * The master ends a step at its deadline and reports what the step waited for. Only if no response arrives for this
 * much longer does the call end without one.
 */
const STEP_ANSWER_MILLIS = 2_000;

/** The deadline of a step's call: its own, or the configuration's for all operations, or none. */
function stepDeadline({ plan }: Connection, timeoutMillis: number | undefined): number | undefined {
  if (timeoutMillis !== undefined && timeoutMillis > 0) {
    return timeoutMillis + STEP_ANSWER_MILLIS;
  }
  const forAll = Number(plan.config.operationTimeoutInMs);
  return forAll > 0 ? forAll : undefined;
}

/**
 * A client's session with a master: any server that speaks TensorFlow's protocol. The constructor sends nothing; the
 * first run creates the session, later ones first send nodes added to the graph. Steps may run concurrently. Without a
 * target, the session starts its own local server.
 */
export class Session {
  readonly #link: SessionLink;
  readonly #signal: AbortSignal | undefined;
  /** One for each call in progress; aborted with the error of the call as the reason. */
  readonly #calls = new Set<CancellationController>();
  #closing: Promise<void> | undefined;
  readonly #onAbort = (): void => inBackground(this.close());

  /**
   * @param target "grpc://host:port", or undefined for the session's own local server.
   * @throws TensorFlowError INVALID_ARGUMENT if the target or the ClusterSpec is invalid.
   */
  constructor(target: string | undefined, options: SessionOptions = {}) {
    if (target !== undefined && target !== "") {
      // Throws now for targets and options that can never work.
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
   * Cancelling rejects immediately and ends the step on the servers, with one exception: TensorFlow's own master drops
   * a cancellation that arrives before it has asked its workers to run (measured with 2.21). Such a step ends with the
   * session.
   * @param fetches tensors whose values are returned: "x:0", "x", or an Output.
   * @returns values in the order of the fetches.
   * @throws TensorFlowError as the servers report it; CANCELLED if the signal is aborted or the session is closed;
   *   UNAVAILABLE or ABORTED naming the task that was lost or restarted.
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
        // Masters reject a step without anything to compute. As in TensorFlow's own client, the fed values are the
        // result.
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
   * Adds nodes to the session's graph. They are sent immediately if the session exists, otherwise when it is created.
   * @throws TensorFlowError the master's error; the session then continues without these nodes.
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

  /** Prepares a step that is run many times: its feeds and fetches are named once, then only tensors are sent. */
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
      // Masters differ in which of the two lists has remote devices, and may list a device twice.
      const byName = new Map(
        [...response.localDevice, ...response.remoteDevice].map((device) => [device.name, device]),
      );
      return [...byName.values()];
    });
  }

  /**
   * Closes the session: running steps end with CANCELLED, the master frees its graphs, the session's own local server
   * stops. Never throws if the master is gone. May be called more than once.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Clears the named containers (all variables and other state if none is named) of a server's cluster and closes all
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

  /** The context of callables and partial runs. */
  #stepContext(connection: Established, signal: CancellationSignal): StepContext {
    return {
      master: connection.master,
      sessionHandle: connection.session.handle,
      placeholders: this.#link.placeholders,
      run: (what, runSignal, call) =>
        this.#guard(what, runSignal, (guarded, abort) => watched(connection, abort, () => call(guarded))),
      signal,
    };
  }

  /** Runs a call that ends if its signal is aborted or the session is closed; `abort` ends it for other reasons. */
  async #guard<T>(
    what: string,
    signal: AbortSignal | undefined,
    call: (signal: CancellationSignal, abort: (reason: TensorFlowError) => void) => Promise<T>,
  ): Promise<T> {
    if (this.isClosed) {
      throw failedPrecondition("The session is closed.");
    }
    if (signal?.aborted) {
      throw cancelledBy(signal.reason, what);
    }
    const controller = new CancellationController();
    const leave = controller.follow(signal, () => cancelledBy(signal?.reason, what));
    this.#calls.add(controller);
    try {
      return await call(controller.signal, (reason) => controller.abort(reason));
    } finally {
      this.#calls.delete(controller);
      leave();
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
