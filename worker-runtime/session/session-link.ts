import type { CancellationSignal } from "../cancellation/cancellation-signal.js";
import { unlessAborted } from "../cancellation/unless-aborted.js";
import { cancelledBy, StatusCode, TensorFlowError } from "../protocol/status.js";
import { Channel } from "../rpc/channel.js";
import { type MasterClient, masterClient } from "../rpc/master-client.js";
import { CONTROL_DEADLINE_MILLIS } from "../rpc/service-client.js";
import { GraphFeed } from "./graph-source.js";
import { type LocalServer, startLocalServer } from "./local-server.js";
import { createMasterSession, type MasterSession } from "./master-session.js";
import { Participants } from "./participants.js";
import { PlaceholderTypes } from "./references.js";
import { planSession, type SessionOptions, type SessionPlan } from "./session-options.js";
import { SharedWork } from "./shared-work.js";
import { StepWatch } from "./step-watch.js";

/** Everything that exists once a session has been connected. */
export interface Connection {
  readonly plan: SessionPlan;
  readonly channel: Channel;
  readonly master: MasterClient;
  readonly participants: Participants;
  readonly watch: StepWatch;
  readonly server: LocalServer | undefined;
}

/** A connection and the session created over it. */
export interface Established extends Connection {
  readonly session: MasterSession;
}

const nothingToExtend = Promise.resolve();

/** The codes of calls that may not have reached the master; any other code means that it rejected the request. */
const unheard = new Set<StatusCode>([
  StatusCode.CANCELLED,
  StatusCode.UNAVAILABLE,
  StatusCode.DEADLINE_EXCEEDED,
  StatusCode.ABORTED,
]);

async function disconnect({ watch, participants, channel, server }: Connection): Promise<void> {
  watch.stop();
  participants.close();
  channel.close();
  await server?.stop();
}

/**
 * A session's link to its master: the local server, the connection and the session on the master, each created on first
 * use, and the parts of the graph that were sent.
 */
export class SessionLink {
  readonly graph: GraphFeed;
  readonly placeholders = new PlaceholderTypes();
  readonly #target: string | undefined;
  readonly #options: SessionOptions;
  #connection: Connection | undefined;
  #setUp: SharedWork<Established> | undefined;
  #established: Established | undefined;
  #extending: Promise<void> = nothingToExtend;

  constructor(target: string | undefined, options: SessionOptions) {
    this.#target = target;
    this.#options = options;
    this.graph = new GraphFeed(options.graph);
  }

  /** True once the session exists on the master. */
  get isEstablished(): boolean {
    return this.#established !== undefined;
  }

  /** The session on the master, created and extended as far as the graph has been built. */
  async ready(signal: CancellationSignal): Promise<Established> {
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
    if (this.graph.hasMore) {
      const extending = this.#extending.catch(() => undefined).then(() => this.#extend(established));
      // A rejection is reported to the current waiters, not to every later run.
      const forget = (): void => {
        if (this.#extending === extending) {
          this.#extending = nothingToExtend;
        }
      };
      this.#extending = extending;
      extending.then(forget, forget);
    }
    if (this.#extending !== nothingToExtend) {
      await unlessAborted(this.#extending, signal, () => cancelledBy(signal.reason, "Extending the graph"));
    }
    return established;
  }

  async #create(signal: AbortSignal): Promise<Established> {
    this.#connection ??= await this.#connect(signal);
    const connection = this.#connection;
    try {
      const session = await createMasterSession({
        master: connection.master,
        plan: connection.plan,
        participants: connection.participants,
        graph: this.graph,
        placeholders: this.placeholders,
        signal,
        onProgress: this.#options.onProgress,
      });
      return { ...connection, session };
    } catch (error) {
      if (connection.server !== undefined) {
        // It may have failed or been stopped by the signal; the next run starts another one.
        this.#connection = undefined;
        await disconnect(connection);
      }
      throw error;
    }
  }

  async #connect(signal: AbortSignal): Promise<Connection> {
    const server = this.#target === undefined ? await startLocalServer(this.#options, signal) : undefined;
    const channel = new Channel(server?.target ?? this.#target ?? "", this.#options.credentials);
    const plan = planSession(channel.address, this.#options);
    const participants = new Participants(plan.participants, this.#options.credentials);
    const watch = new StepWatch(participants);
    return { plan, channel, master: masterClient(channel), participants, watch, server };
  }

  async #extend({ master, plan, session }: Established): Promise<void> {
    if (!this.graph.hasMore) {
      return;
    }
    // One at a time, so that its rejection is reported only to the call that added it.
    const { graph: graphDef, putBack, putBackSource } = this.graph.take(1);
    try {
      const response = await master.extendSession(
        { sessionHandle: session.handle, graphDef, currentGraphVersion: session.graphVersion },
        { deadlineMillis: plan.createTimeoutMillis },
      );
      session.graphVersion = response.newGraphVersion;
      this.placeholders.add(graphDef.node);
    } catch (error) {
      if (error instanceof TensorFlowError && !unheard.has(error.code)) {
        putBackSource();
      } else {
        putBack();
      }
      throw error;
    }
  }

  /** Closes everything that was opened. Calls in progress must have been aborted. */
  async close(): Promise<void> {
    await this.#setUp?.ended();
    const connection = this.#connection;
    if (connection === undefined) {
      return;
    }
    try {
      await this.#closeOnMaster(connection);
    } finally {
      await disconnect(connection);
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
