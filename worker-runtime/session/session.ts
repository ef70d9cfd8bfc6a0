import type { DeviceAttributes } from "../../protos/generated/tensorflow/device_attributes.js";
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { cancelled, cancelledBy, failedPrecondition, TensorFlowError } from "../protocol/status.js";
import { addressOfTarget, Channel } from "../rpc/channel.js";
import { MasterClient } from "../rpc/master-client.js";
import { CONTROL_DEADLINE_MILLIS } from "../rpc/service-client.js";
import { Callable, type CallableSpec } from "./callable.js";
import { GraphFeed } from "./graph-source.js";
import { type LocalServer, startLocalServer } from "./local-server.js";
import { createMasterSession, type MasterSession } from "./master-session.js";
import { PartialRun, type PartialRunSpec } from "./partial-run.js";
import { Participants } from "./participants.js";
import {
  type Feeds,
  type OperationRef,
  operationNameOf,
  PlaceholderTypes,
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
import { planSession, type SessionConfig, type SessionOptions, type SessionPlan } from "./session-options.js";
import { StepWatch } from "./step-watch.js";
import { orAborted, SharedWork } from "./wait.js";

/** What a step is given besides its fetches. */
export interface RunArguments {
  readonly feeds?: Feeds | undefined;
  /** Operations that are run for their effect. */
  readonly targets?: readonly OperationRef[] | undefined;
  readonly options?: StepOptions | undefined;
  /** Cancels the step, here and on the servers. */
  readonly signal?: AbortSignal | undefined;
}

/** Everything that exists once a session has been connected. */
interface Connection {
  readonly plan: SessionPlan;
  readonly channel: Channel;
  readonly master: MasterClient;
  readonly participants: Participants;
  readonly watch: StepWatch;
  readonly server: LocalServer | undefined;
}

/** A connection with the session that was created over it. */
interface Established extends Connection {
  readonly session: MasterSession;
}

const nothingToExtend = Promise.resolve();

/**
 * A client's session with a master: any server that speaks TensorFlow's protocol. The constructor sends nothing; the first
 * run creates the session, later ones first send what the graph gained. Steps may run at the same time. Without a target,
 * the session has a local server of its own.
 */
export class Session {
  readonly #target: string | undefined;
  readonly #options: SessionOptions;
  readonly #graph: GraphFeed;
  readonly #placeholders = new PlaceholderTypes();
  /** One for each call in progress; aborted with the reason that the call is to fail with. */
  readonly #calls = new Set<AbortController>();
  #connection: Connection | undefined;
  #setUp: SharedWork<Established> | undefined;
  #established: Established | undefined;
  #extending: Promise<void> = nothingToExtend;
  #closing: Promise<void> | undefined;
  readonly #onAbort = (): void => void this.close();

  /**
   * @param target "grpc://host:port", or undefined for a local server of the session's own.
   * @throws TensorFlowError INVALID_ARGUMENT when the target or the ClusterSpec cannot be used.
   */
  constructor(target: string | undefined, options: SessionOptions = {}) {
    if (target !== undefined && target !== "") {
      // Refuses now what could never be dialled or created.
      planSession(addressOfTarget(target), options);
      this.#target = target;
    }
    this.#options = options;
    this.#graph = new GraphFeed(options.graph);
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** True once `close` was called. */
  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Runs one step.
   * @param fetches tensors whose values are wanted: "x:0", "x", or an Output.
   * @returns values in the order of the fetches.
   * @throws TensorFlowError as the servers report it; CANCELLED when the signal is aborted or the session is closed;
   *   UNAVAILABLE or ABORTED naming the task that went away or was restarted.
   */
  async run(fetches: readonly TensorRef[], args: RunArguments = {}): Promise<RunResult> {
    return this.#guard("The step", args.signal, async (signal) => {
      const connection = await this.#ready(signal);
      const names: StepNames = {
        feeds: tensorsOfFeeds(args.feeds, this.#placeholders),
        fetches: fetches.map(tensorNameOf),
        targets: (args.targets ?? []).map(operationNameOf),
      };
      const runOptions = runOptionsOf(args.options);
      const request = runStepRequest(connection.session.handle, names, runOptions);
      const deadlineMillis = this.#stepDeadline(connection, args.options?.timeoutMillis);
      const response = await this.#watched(connection, signal, (stepSignal) =>
        connection.master.runStep(request, { signal: stepSignal, deadlineMillis }),
      );
      return runResultOf(response, names);
    });
  }

  /** Adds nodes to the session's graph. They are sent at once where the session exists, otherwise when it is created. */
  async extend(graph: GraphDef, signal?: AbortSignal): Promise<void> {
    this.#graph.add(graph);
    if (this.#established !== undefined) {
      await this.#guard("Extending the graph", signal, (callSignal) => this.#ready(callSignal));
    }
  }

  /** Creates the session now instead of at the first run. */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#guard("Creating the session", signal, (callSignal) => this.#ready(callSignal));
  }

  /** Prepares a step that is run many times: its feeds and fetches are named once, then only tensors travel. */
  makeCallable(spec: CallableSpec, signal?: AbortSignal): Promise<Callable> {
    return this.#guard("Making the callable", signal, async (callSignal) => {
      const connection = await this.#ready(callSignal);
      return Callable.make(spec, {
        master: connection.master,
        sessionHandle: connection.session.handle,
        placeholders: this.#placeholders,
        run: (what, runSignal, call) =>
          this.#guard(what, runSignal, (guarded) => this.#watched(connection, guarded, call)),
        signal: callSignal,
      });
    });
  }

  /** Begins a step that is fed and fetched in several parts. */
  partialRunSetup(spec: PartialRunSpec, signal?: AbortSignal): Promise<PartialRun> {
    return this.#guard("Setting up the partial run", signal, async (callSignal) => {
      const connection = await this.#ready(callSignal);
      return PartialRun.setUp(spec, {
        master: connection.master,
        sessionHandle: connection.session.handle,
        placeholders: this.#placeholders,
        run: (what, runSignal, call) =>
          this.#guard(what, runSignal, (guarded) => this.#watched(connection, guarded, call)),
        signal: callSignal,
      });
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
      const { master, session } = await this.#ready(callSignal);
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
    options: { readonly deviceFilters?: readonly string[]; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    const channel = new Channel(target);
    try {
      await new MasterClient(channel).reset(
        { container: [...containers], deviceFilters: [...(options.deviceFilters ?? [])] },
        { signal: options.signal, deadlineMillis: CONTROL_DEADLINE_MILLIS },
      );
    } finally {
      channel.close();
    }
  }

  /** Runs a call that ends when its own signal is aborted or the session is closed. */
  async #guard<T>(
    what: string,
    signal: AbortSignal | undefined,
    call: (signal: AbortSignal) => Promise<T>,
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
      return await call(controller.signal);
    } finally {
      this.#calls.delete(controller);
      signal?.removeEventListener("abort", pass);
    }
  }

  /** Runs a call that also ends when a task of the session goes away. */
  async #watched<T>(
    { watch }: Connection,
    signal: AbortSignal,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    const pass = (): void => controller.abort(signal.reason);
    signal.addEventListener("abort", pass, { once: true });
    const unwatch = watch.add((error) => controller.abort(error));
    try {
      return await call(controller.signal);
    } finally {
      unwatch();
      signal.removeEventListener("abort", pass);
    }
  }

  /** The session on the master, created and extended as far as the graph has been built. */
  async #ready(signal: AbortSignal): Promise<Established> {
    if (this.#established === undefined) {
      if (this.#setUp === undefined || this.#setUp.isCancelled) {
        this.#setUp = new SharedWork("Creating the session", (work) => this.#create(work));
      }
      const setUp = this.#setUp;
      try {
        this.#established = await setUp.join(signal);
      } catch (error) {
        // The next run tries again.
        if (this.#setUp === setUp && !signal.aborted) {
          this.#setUp = undefined;
        }
        throw error;
      }
    }
    const established = this.#established;
    if (this.#graph.hasMore) {
      this.#extending = this.#extending.catch(() => undefined).then(() => this.#extend(established));
    }
    if (this.#extending !== nothingToExtend) {
      await orAborted(this.#extending, signal, "Extending the graph");
    }
    return established;
  }

  async #create(signal: AbortSignal): Promise<Established> {
    this.#connection ??= await this.#connect(signal);
    const connection = this.#connection;
    const session = await createMasterSession({
      master: connection.master,
      plan: connection.plan,
      participants: connection.participants,
      graph: this.#graph,
      placeholders: this.#placeholders,
      signal,
      onProgress: this.#options.onProgress,
    });
    return { ...connection, session };
  }

  async #connect(signal: AbortSignal): Promise<Connection> {
    const server =
      this.#target === undefined ? await startLocalServer(this.#options.config, signal) : undefined;
    const channel = new Channel(server?.target ?? this.#target ?? "", this.#options.credentials);
    const plan = planSession(channel.address, this.#options);
    const participants = new Participants(plan.participants, this.#options.credentials);
    const watch = new StepWatch(participants);
    return { plan, channel, master: new MasterClient(channel), participants, watch, server };
  }

  async #extend({ master, plan, session }: Established): Promise<void> {
    if (!this.#graph.hasMore) {
      return;
    }
    const { graph: graphDef, putBack } = this.#graph.take();
    try {
      const response = await master.extendSession(
        { sessionHandle: session.handle, graphDef, currentGraphVersion: session.graphVersion },
        { deadlineMillis: plan.createTimeoutMillis },
      );
      session.graphVersion = response.newGraphVersion;
      this.#placeholders.add(graphDef.node);
    } catch (error) {
      putBack();
      throw error;
    }
  }

  #stepDeadline({ plan }: Connection, timeoutMillis: number | undefined): number | undefined {
    if (timeoutMillis !== undefined && timeoutMillis > 0) {
      return timeoutMillis;
    }
    const forAll = Number(plan.config.operationTimeoutInMs);
    return forAll > 0 ? forAll : undefined;
  }

  async #close(): Promise<void> {
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    const reason = cancelled("The session was closed while this ran.");
    for (const controller of this.#calls) {
      controller.abort(reason);
    }
    await this.#setUp?.ended();
    const connection = this.#connection;
    if (connection === undefined) {
      return;
    }
    try {
      await this.#closeOnMaster(connection);
    } finally {
      connection.watch.stop();
      connection.participants.close();
      connection.channel.close();
      await connection.server?.stop();
    }
  }

  async #closeOnMaster({ master }: Connection): Promise<void> {
    if (this.#established === undefined) {
      return;
    }
    try {
      await master.closeSession(
        { sessionHandle: this.#established.session.handle },
        { deadlineMillis: CONTROL_DEADLINE_MILLIS },
      );
    } catch (error) {
      // A master that is gone, or has forgotten the session, has nothing left to close.
      if (!(error instanceof TensorFlowError)) {
        throw error;
      }
    }
  }
}

export type { SessionConfig, SessionOptions };
