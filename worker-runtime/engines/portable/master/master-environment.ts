import type { ClusterDef } from "../../../../protos/generated/tensorflow/cluster.js";
import type { ServerDef } from "../../../../protos/generated/tensorflow/tensorflow_server.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import type { StepSequences } from "../collectives/step-sequences.js";
import type { Device } from "../device.js";
import type { KernelRegistry } from "../kernels/registry.js";
import type { FileAccess } from "../resources/file-access.js";
import type { WorkerCache, WorkerInterface } from "../worker/worker-interface.js";

/** Limits of a master; each has a safe default. */
export interface MasterLimits {
  /** Maximum number of sessions. */
  readonly maxSessions: number;
  /** Nodes of a session's graph. */
  readonly maxNodes: number;
  /** Signatures of a session for which a graph is kept ready; the least recently used one is dropped. */
  readonly maxPreparedSteps: number;
  /**
   * At the limit of sessions one that was not used for this long is closed, as its client is assumed to be gone.
   */
  readonly abandonedAfterMillis: number;
  /**
   * Sessions that are kept after the connection of their client was lost; beyond it, those without a connection for
   * longest are closed. A client that reconnects continues its session.
   */
  readonly maxLostSessions: number;
  /** How long each of these is kept, in milliseconds. */
  readonly lostSessionMillis: number;
  /**
   * A session that was not used for this long is closed in any case: TensorFlow's session_gc_seconds. With 0 sessions
   * stay until they are closed, as on TensorFlow's own servers, with or without a connection.
   */
  readonly sessionIdleMillis: number;
}

export const DEFAULT_MASTER_LIMITS: MasterLimits = {
  maxSessions: 1000,
  maxNodes: 1_000_000,
  maxPreparedSteps: 500,
  abandonedAfterMillis: 60_000,
  maxLostSessions: 8,
  lostSessionMillis: 3_600_000,
  // A notebook that is left overnight finds its session in the morning.
  sessionIdleMillis: 24 * 3_600_000,
};

/** The environment of a master; all of it belongs to the server. */
export interface MasterEnvironment {
  /** The worker of the master's own task. */
  readonly worker: WorkerInterface;
  readonly serverDef: ServerDef;
  /** The devices of the master's own task; the first is its CPU:0, where feeds start and fetches end. */
  readonly localDevices: readonly Device[];
  readonly makeWorkerCache: (cluster: ClusterDef) => WorkerCache;
  /** The sequences of steps with collectives, shared by this task's masters. */
  readonly stepSequences?: StepSequences | undefined;
  readonly kernels: KernelRegistry;
  readonly ops: OpRegistry;
  /** The folders to which watched steps may be written. */
  readonly files: FileAccess;
  readonly log: (line: string) => void;
  readonly limits?: Partial<MasterLimits> | undefined;
}
