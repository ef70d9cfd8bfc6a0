import type { ClusterDef } from "../../../../protos/generated/tensorflow/cluster.js";
import type { CreateWorkerSessionRequest } from "../../../../protos/generated/tensorflow/worker.js";
import type { TaskName } from "../../../cluster/device-name.js";
import { internalError, invalidArgument, StatusCode, TensorFlowError } from "../../../protocol/status.js";
import type { ClientConnection } from "../clients/client-connection.js";
import { OrphanWatch } from "../clients/orphan-watch.js";
import { possiblyRestarted, type TaskDevices } from "./task-devices.js";
import type { WorkerCache } from "./worker-interface.js";
import { WorkerSession } from "./worker-session.js";

/**
 * Limits on what is kept for masters that are gone. TensorFlow's own workers keep everything, so the limits exceed what
 * a reconnecting master needs; a master that was restarted ends its earlier sessions itself.
 */
const MAX_LOST_SESSIONS = 64;
const LOST_SESSION_MILLIS = 3_600_000;

export interface SessionTableOptions {
  /** The devices under the server's own name, with the resources that sessions share. */
  readonly devices: TaskDevices;
  /** The workers of the server's own cluster. */
  readonly workers: WorkerCache;
  /** Workers of a cluster that a master brought, in which this task has that name. */
  makeWorkers(cluster: ClusterDef, task: TaskName): WorkerCache;
  /** How long the session of a master without a connection is kept; 0: forever. */
  readonly sessionIdleMillis: number;
  /** Called with sessions that are gone, to end their steps. */
  onRemove(session: WorkerSession): void;
}

/** A request's reference to its session. */
export interface SessionOfRequest {
  readonly sessionHandle: string;
  /** Whether the master created one: otherwise all calls share one session. */
  readonly createWorkerSessionCalled: boolean;
}

/** Identifies the task and incarnation of a master with several sessions here. */
interface MasterLife {
  readonly incarnation: bigint;
  readonly handles: Set<string>;
}

/** The sessions that masters have on this worker, by handle. */
export class SessionTable {
  readonly #options: SessionTableOptions;
  readonly #sessions = new Map<string, WorkerSession>();
  readonly #masters = new Map<string, MasterLife>();
  readonly #orphans: OrphanWatch;
  /** The session of masters that run steps without creating one, as in TensorFlow before 1.4. */
  readonly #legacy: WorkerSession;

  constructor(options: SessionTableOptions) {
    this.#options = options;
    const { devices, workers, sessionIdleMillis } = options;
    this.#orphans = new OrphanWatch(
      { maxLost: MAX_LOST_SESSIONS, lostMillis: LOST_SESSION_MILLIS, idleMillis: sessionIdleMillis },
      (handle) => this.remove(handle),
    );
    this.#legacy = new WorkerSession({
      handle: "",
      devices,
      workers,
      ownsWorkers: false,
      ownsResources: false,
    });
  }

  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Creates a session. An existing handle is left as it is, as in TensorFlow. A master's task with another incarnation
   * was restarted: its earlier sessions will not be used again, so they end.
   *
   * @param connection the call's connection; undefined for the master of this process.
   * @throws TensorFlowError INVALID_ARGUMENT for an empty handle or a cluster with a wrong address; INTERNAL for a
   *   cluster that does not contain this task.
   */
  create(request: CreateWorkerSessionRequest, connection: ClientConnection | undefined): void {
    const { sessionHandle: handle, masterTask, masterIncarnation } = request;
    if (handle === "") {
      throw invalidArgument("Session must be non-empty.");
    }
    this.#noteMaster(masterTask, masterIncarnation, handle);
    if (!this.#sessions.has(handle)) {
      this.#sessions.set(handle, this.#make(request));
    }
    this.#orphans.used(handle, connection);
  }

  /**
   * The session of a call.
   * @param connection the call's connection; undefined for the master of this process.
   * @throws TensorFlowError ABORTED, with the payload that makes a client start over, if there is none.
   */
  find(request: SessionOfRequest, connection: ClientConnection | undefined): WorkerSession {
    const { sessionHandle: handle, createWorkerSessionCalled: isOwn } = request;
    const session = isOwn ? this.#sessions.get(handle) : this.#legacy;
    if (session === undefined) {
      throw new TensorFlowError(
        StatusCode.ABORTED,
        `Session handle is not found: ${handle}. Possibly this worker ("${this.#options.devices.taskName}") just ` +
          "restarted.",
        { payloads: possiblyRestarted },
      );
    }
    if (isOwn) {
      this.#orphans.used(handle, connection);
    }
    return session;
  }

  /** Ends a session; an unknown one is ignored. */
  remove(handle: string): void {
    const session = this.#sessions.get(handle);
    if (session === undefined) {
      return;
    }
    this.#sessions.delete(handle);
    this.#orphans.forget(handle);
    for (const [task, { handles }] of this.#masters) {
      handles.delete(handle);
      if (handles.size === 0) {
        this.#masters.delete(task);
      }
    }
    this.#options.onRemove(session);
    session.close();
  }

  /** All sessions, including the one for masters without sessions. */
  all(): readonly WorkerSession[] {
    return [this.#legacy, ...this.#sessions.values()];
  }

  #make({ sessionHandle, serverDef, isolateSessionState }: CreateWorkerSessionRequest): WorkerSession {
    const { devices, workers, makeWorkers } = this.#options;
    const cluster = serverDef?.cluster;
    const ownCluster = cluster !== undefined && cluster.job.length > 0;
    if (!ownCluster && !isolateSessionState) {
      return new WorkerSession({
        handle: sessionHandle,
        devices,
        workers,
        ownsWorkers: false,
        ownsResources: false,
      });
    }
    const task =
      serverDef === undefined || serverDef.jobName === ""
        ? devices.task
        : { job: serverDef.jobName, index: serverDef.taskIndex };
    const ownWorkers = ownCluster ? makeWorkers(cluster, task) : undefined;
    if (ownCluster && !hasTask(cluster, task)) {
      throw internalError(
        `Could not parse port for local server from "": the session's cluster has no task ${task.index} of job ` +
          `"${task.job}", which this worker is to be.`,
      );
    }
    return new WorkerSession({
      handle: sessionHandle,
      devices: devices.renamed(task, isolateSessionState),
      workers: ownWorkers ?? workers,
      ownsWorkers: ownWorkers !== undefined,
      ownsResources: isolateSessionState,
    });
  }

  #noteMaster(task: string, incarnation: bigint, handle: string): void {
    if (task === "") {
      return;
    }
    const known = this.#masters.get(task);
    if (known !== undefined && known.incarnation === incarnation) {
      known.handles.add(handle);
      return;
    }
    const stale = [...(known?.handles ?? [])];
    this.#masters.set(task, { incarnation, handles: new Set([handle]) });
    for (const old of stale) {
      if (old !== handle) {
        this.remove(old);
      }
    }
  }
}

function hasTask(cluster: ClusterDef, { job, index }: TaskName): boolean {
  return cluster.job.some(({ name, tasks }) => name === job && tasks.has(index));
}
