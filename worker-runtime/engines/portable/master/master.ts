import { ClusterDef } from "../../../../protos/generated/tensorflow/cluster.js";
import {
  CloseSessionResponse,
  CreateSessionResponse,
  ExtendSessionResponse,
  ListDevicesResponse,
  MakeCallableResponse,
  PartialRunSetupResponse,
  ReleaseCallableResponse,
  ResetResponse,
  type RunStepRequest,
  RunStepResponse,
} from "../../../../protos/generated/tensorflow/master.js";
import { withSharedSignal } from "../../../cancellation/shared-signal.js";
import { passesFilters } from "../../../cluster/device-filters.js";
import { taskDeviceName } from "../../../cluster/device-name.js";
import {
  aborted,
  asTensorFlowError,
  cancelled,
  invalidArgument,
  resourceExhausted,
  type TensorFlowError,
} from "../../../protocol/status.js";
import { OrphanWatch } from "../clients/orphan-watch.js";
import type { WorkerCache, WorkerInterface } from "../worker/worker-interface.js";
import { DEFAULT_MASTER_LIMITS, type MasterEnvironment, type MasterLimits } from "./master-environment.js";
import type { MasterCallOptions, MasterInterface } from "./master-interface.js";
import { MasterSession } from "./master-session.js";

/** Deadline of cleaning up: a worker that does not answer has nothing to clear, or is gone. */
const RESET_DEADLINE_MILLIS = 10_000;
/** Maximum interval between checks of sessions. */
const MAX_IDLE_CHECK_MILLIS = 600_000;
/** Deadline for listing all devices; a task that does not answer is left out. */
const LIST_DEADLINE_MILLIS = 5000;

/** The master of a task: the sessions of its clients by handle. */
export class Master implements MasterInterface {
  readonly #env: MasterEnvironment;
  readonly #limits: MasterLimits;
  readonly #sessions = new Map<string, MasterSession>();
  readonly #orphans: OrphanWatch;
  /** Includes sessions that are being opened. */
  #opening = 0;
  #sharedCache: WorkerCache | undefined;
  readonly #idleCheck: NodeJS.Timeout | undefined;

  constructor(env: MasterEnvironment) {
    this.#env = env;
    this.#limits = { ...DEFAULT_MASTER_LIMITS, ...env.limits };
    const { maxLostSessions, lostSessionMillis, sessionIdleMillis } = this.#limits;
    this.#orphans = new OrphanWatch(
      { maxLost: maxLostSessions, lostMillis: lostSessionMillis, idleMillis: sessionIdleMillis },
      (handle) => this.#closeOrphan(handle),
    );
    if (sessionIdleMillis > 0) {
      const period = Math.min(sessionIdleMillis / 4, MAX_IDLE_CHECK_MILLIS);
      this.#idleCheck = setInterval(() => this.#closeIdle(), period).unref();
    }
  }

  readonly createSession: MasterInterface["createSession"] = async (request, { signal, connection }) => {
    await this.#makeRoom();
    this.#opening += 1;
    try {
      const tools = { env: this.#env, limits: this.#limits, sharedCache: () => this.#cache() };
      const session = await MasterSession.create(request, tools, signal);
      if (signal.aborted) {
        // Its handle will never reach the client.
        await session.close(cancelled("The client gave up CreateSession."));
      } else {
        this.#sessions.set(session.handle, session);
        this.#orphans.used(session.handle, connection);
      }
      const response = CreateSessionResponse.create();
      response.sessionHandle = session.handle;
      response.graphVersion = session.graphVersion;
      return response;
    } finally {
      this.#opening -= 1;
    }
  };

  readonly extendSession: MasterInterface["extendSession"] = async (request, call) => {
    const response = ExtendSessionResponse.create();
    response.newGraphVersion = await this.#session(request.sessionHandle, call).extend(request);
    return response;
  };

  readonly runStep: MasterInterface["runStep"] = async (request, call) => {
    try {
      return await this.#session(request.sessionHandle, call).runStep(request, call.signal);
    } catch (error) {
      return responseOfError(asTensorFlowError(error), request);
    }
  };

  readonly partialRunSetup: MasterInterface["partialRunSetup"] = async (request, call) => {
    const response = PartialRunSetupResponse.create();
    const session = this.#session(request.sessionHandle, call);
    response.partialRunHandle = await session.partialRunSetup(request, call.signal);
    return response;
  };

  readonly makeCallable: MasterInterface["makeCallable"] = async (request, call) => {
    const response = MakeCallableResponse.create();
    response.handle = await this.#session(request.sessionHandle, call).makeCallable(request, call.signal);
    return response;
  };

  readonly runCallable: MasterInterface["runCallable"] = async (request, call) =>
    this.#session(request.sessionHandle, call).runCallable(request, call.signal);

  readonly releaseCallable: MasterInterface["releaseCallable"] = async (request, call) => {
    this.#session(request.sessionHandle, call).releaseCallable(request);
    return ReleaseCallableResponse.create();
  };

  readonly closeSession: MasterInterface["closeSession"] = async ({ sessionHandle }) => {
    const session = this.#sessions.get(sessionHandle);
    if (session === undefined) {
      throw aborted(goneText(sessionHandle));
    }
    this.#remove(sessionHandle);
    await session.close(cancelled("Step was cancelled by an explicit call to `Session::Close()`."));
    return CloseSessionResponse.create();
  };

  readonly listDevices: MasterInterface["listDevices"] = async (
    { sessionHandle },
    { signal, connection },
  ) => {
    if (sessionHandle !== "") {
      const session = this.#sessions.get(sessionHandle);
      if (session === undefined) {
        throw invalidArgument(goneText(sessionHandle));
      }
      this.#orphans.used(sessionHandle, connection);
      return session.listDevices();
    }
    const response = ListDevicesResponse.create();
    response.localDevice = this.#env.localDevices.map(({ attributes }) => attributes);
    const answers = await withSharedSignal(signal, (shared) =>
      Promise.allSettled(
        this.#otherWorkers([]).map((worker) =>
          worker.getStatus({}, { signal: shared, deadlineMillis: LIST_DEADLINE_MILLIS }),
        ),
      ),
    );
    response.remoteDevice = answers.flatMap((answer) =>
      answer.status === "fulfilled" ? answer.value.deviceAttributes : [],
    );
    return response;
  };

  readonly reset: MasterInterface["reset"] = async ({ container, deviceFilters }) => {
    const sessions = this.#removeAll();
    await Promise.allSettled(
      [this.#env.worker, ...this.#otherWorkers(deviceFilters)].map((worker) =>
        worker.cleanupAll({ container }, { deadlineMillis: RESET_DEADLINE_MILLIS }),
      ),
    );
    await closeAll(sessions, aborted("The session was ended by a Reset of this master."));
    return ResetResponse.create();
  };

  /** Ends all sessions and closes the connections. */
  async close(): Promise<void> {
    clearInterval(this.#idleCheck);
    const sessions = this.#removeAll();
    await closeAll(sessions, cancelled("The server of the session is stopping."));
    this.#sharedCache?.close();
    this.#sharedCache = undefined;
  }

  /** The session of a call. @throws TensorFlowError ABORTED if there is none. */
  #session(handle: string, { connection }: MasterCallOptions): MasterSession {
    const session = this.#sessions.get(handle);
    if (session === undefined) {
      throw aborted(`Session ${handle} is not found.`);
    }
    this.#orphans.used(handle, connection);
    return session;
  }

  #remove(handle: string): void {
    this.#sessions.delete(handle);
    this.#orphans.forget(handle);
  }

  #removeAll(): MasterSession[] {
    const sessions = [...this.#sessions.values()];
    for (const { handle } of sessions) {
      this.#remove(handle);
    }
    return sessions;
  }

  /** At the limit, closes the least recently used session, if it is old enough. */
  async #makeRoom(): Promise<void> {
    const { maxSessions, abandonedAfterMillis } = this.#limits;
    if (this.#sessions.size + this.#opening < maxSessions) {
      return;
    }
    const [oldest] = [...this.#sessions.values()].sort((a, b) => b.idleMillis - a.idleMillis);
    if (oldest === undefined || oldest.idleMillis < abandonedAfterMillis) {
      throw resourceExhausted(
        `This master has ${maxSessions} sessions and accepts no more. Close those that are not needed.`,
      );
    }
    await this.#abandon(oldest, "was left without being closed");
  }

  /** Closes sessions that have been unused for so long that their clients must be gone. */
  #closeIdle(): void {
    for (const session of this.#sessions.values()) {
      if (session.idleMillis >= this.#limits.sessionIdleMillis) {
        // Workers that do not answer do not matter: the session is gone here.
        this.#abandon(session, "was left without being closed").catch(() => undefined);
      }
    }
  }

  #closeOrphan(handle: string): void {
    const session = this.#sessions.get(handle);
    if (session !== undefined) {
      this.#abandon(session, "lost the connection of its client").catch(() => undefined);
    }
  }

  async #abandon(session: MasterSession, what: string): Promise<void> {
    this.#remove(session.handle);
    this.#env.log(`Closing session ${session.handle}, which ${what}.`);
    await session.close(aborted("The session was considered abandoned."));
  }

  #cache(): WorkerCache {
    this.#sharedCache ??= this.#env.makeWorkerCache(this.#env.serverDef.cluster ?? ClusterDef.create());
    return this.#sharedCache;
  }

  /** The workers of the server's own cluster except for its own. */
  #otherWorkers(filters: readonly string[]): WorkerInterface[] {
    const { jobName, taskIndex } = this.#env.serverDef;
    const own = taskDeviceName({ job: jobName, index: taskIndex });
    const cache = this.#cache();
    return cache
      .tasks()
      .filter((task) => task !== own && passesFilters(filters, task))
      .map((task) => cache.worker(task));
  }
}

async function closeAll(sessions: readonly MasterSession[], reason: TensorFlowError): Promise<void> {
  await Promise.allSettled(sessions.map((session) => session.close(reason)));
}

function goneText(handle: string): string {
  return `Session ${handle} is not found. Possibly, this master has restarted.`;
}

/** Clients request errors in the body if a long text must get through completely. */
function responseOfError(error: TensorFlowError, request: RunStepRequest): RunStepResponse {
  if (!request.storeErrorsInResponseBody) {
    throw error;
  }
  const response = RunStepResponse.create();
  response.statusCode = error.code;
  response.statusErrorMessage = error.message;
  return response;
}
