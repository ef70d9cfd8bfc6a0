import { randomBytes } from "node:crypto";
import type { ConfigProto } from "../../../../protos/generated/tensorflow/config.js";
import type * as proto from "../../../../protos/generated/tensorflow/master.js";
import {
  ListDevicesResponse,
  RunCallableResponse,
  RunStepResponse,
} from "../../../../protos/generated/tensorflow/master.js";
import { CancellationController } from "../../../cancellation/cancellation-controller.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { invalidArgument, type TensorFlowError } from "../../../protocol/status.js";
import { watchingOptions } from "../debug/tensor-watches.js";
import { ExclusiveAccess } from "../exclusive-access.js";
import { withPauses } from "../pauses.js";
import type { WorkerCache } from "../worker/worker-interface.js";
import { Callables } from "./callables.js";
import { DebugRuns } from "./debug-runs.js";
import { checkedFeed } from "./feed-checks.js";
import type { MasterEnvironment, MasterLimits } from "./master-environment.js";
import { PartialRuns } from "./partial-runs.js";
import { placementDevices } from "./placer.js";
import { PreparedStepCache } from "./prepared-step-cache.js";
import { openCluster } from "./session-cluster.js";
import { groupLeaderOf, sessionConfig } from "./session-config.js";
import { SessionGraph } from "./session-graph.js";
import { StepRunner } from "./step-runner.js";
import { checkSignature } from "./step-signature.js";
import { createWorkerSessions, deleteWorkerSessions, type WorkerSessions } from "./worker-sessions.js";

/** The parts of a master that opening a session needs. */
export interface SessionTools {
  readonly env: MasterEnvironment;
  readonly limits: MasterLimits;
  /** The connections of the server's own cluster. */
  readonly sharedCache: () => WorkerCache;
}

/** A client's session: a graph, the tasks that it runs on, and the running steps. */
export class MasterSession {
  readonly #workers: WorkerSessions;
  readonly #graph: SessionGraph;
  /** Extensions come one after another. */
  readonly #growth = new ExclusiveAccess();
  readonly #runner: StepRunner;
  readonly #partialRuns: PartialRuns;
  readonly #callables: Callables;
  readonly #ended: CancellationController;
  #lastUsedMillis = performance.now();

  private constructor(
    workers: WorkerSessions,
    graph: SessionGraph,
    { env, limits }: SessionTools,
    ended: CancellationController,
  ) {
    this.#workers = workers;
    this.#graph = graph;
    this.#ended = ended;
    let names = 0;
    const newName = (prefix: string) => {
      names += 1;
      return `${prefix}_S${names}`;
    };
    const { kernels } = env;
    const tools = { session: workers, graph, kernels, newName, signal: ended.signal };
    this.#runner = new StepRunner(
      workers,
      new PreparedStepCache(tools, limits.maxPreparedSteps),
      new DebugRuns(env.files),
      ended.signal,
    );
    this.#partialRuns = new PartialRuns(this.#runner);
    this.#callables = new Callables(this.#runner);
  }

  /**
   * Waits for the tasks of the session and creates the session on each of them.
   * @throws TensorFlowError what is wrong with the graph, the configuration or a task; CANCELLED when the client
   * cancels.
   */
  static async create(
    { graphDef, config: asked, target }: proto.CreateSessionRequest,
    tools: SessionTools,
    signal: CancellationSignal,
  ): Promise<MasterSession> {
    const { env, limits, sharedCache } = tools;
    const config = sessionConfig(env.serverDef.defaultSessionConfig, asked);
    const cluster = await openCluster({ config, target }, env, sharedCache, signal);
    try {
      const devices = placementDevices(cluster.localDevices, cluster.remoteDevices);
      const placement = {
        devices,
        kernels: env.kernels,
        softPlacement: config.allowSoftPlacement,
        log: config.logDevicePlacement ? env.log : undefined,
      };
      const graph = new SessionGraph({ ops: env.ops, placement, maxNodes: limits.maxNodes });
      if (graphDef !== undefined) {
        await withPauses(graph.begin(graphDef), signal);
      }
      const workers = {
        handle: randomBytes(8).toString("hex"),
        cluster,
        config,
        stepSequences: env.stepSequences,
        groupLeader: groupLeaderOf(env.serverDef.defaultSessionConfig, config),
      };
      await createWorkerSessions(workers, signal);
      const ended = new CancellationController();
      return new MasterSession(workers, graph, tools, ended);
    } catch (error) {
      cluster.close();
      throw error;
    }
  }

  get handle(): string {
    return this.#workers.handle;
  }

  get graphVersion(): bigint {
    return this.#graph.version;
  }

  get config(): ConfigProto {
    return this.#workers.config;
  }

  /** How long it has been unused; 0 while a step runs. */
  get idleMillis(): number {
    return this.#runner.isIdle ? performance.now() - this.#lastUsedMillis : 0;
  }

  async extend({ graphDef, currentGraphVersion }: proto.ExtendSessionRequest): Promise<bigint> {
    this.#touch();
    return this.#growth.run(() => withPauses(this.#graph.extend(graphDef, currentGraphVersion)));
  }

  async runStep(request: proto.RunStepRequest, signal: CancellationSignal): Promise<RunStepResponse> {
    this.#touch();
    const { fetch: fetches, target: targets, options, partialRunHandle } = request;
    const names = request.feed.map(({ name }) => name);
    const feeds = new Map(request.feed.map(({ name, tensor }, i) => [name, checkedFeed(tensor, i)]));
    let result: Awaited<ReturnType<StepRunner["run"]>>;
    if (partialRunHandle !== "") {
      result = await this.#partialRuns.run({ handle: partialRunHandle, feeds, fetches, options, signal });
    } else {
      const collectiveGraphKey = options?.experimental?.collectiveGraphKey ?? 0n;
      const debug = watchingOptions(options?.debugOptions);
      const signature = { feeds: names, fetches, targets, connections: [], collectiveGraphKey, debug };
      checkSignature(signature);
      result = await this.#runner.run({ signature, feeds, options, signal });
    }
    this.#touch();
    const response = RunStepResponse.create();
    response.tensor = [...result.tensors].map(([name, tensor]) => ({ name, tensor }));
    response.metadata = result.metadata;
    return response;
  }

  /** @returns the handle of the partial run. */
  partialRunSetup(
    { feed, fetch, target }: proto.PartialRunSetupRequest,
    signal: CancellationSignal,
  ): Promise<string> {
    this.#touch();
    return this.#partialRuns.setup(
      { feeds: feed, fetches: fetch, targets: target, connections: [], collectiveGraphKey: 0n },
      signal,
    );
  }

  makeCallable({ options }: proto.MakeCallableRequest, signal: CancellationSignal): Promise<bigint> {
    this.#touch();
    if (options === undefined) {
      throw invalidArgument("A callable needs options that say what it feeds and fetches.");
    }
    return this.#callables.make(options, signal);
  }

  async runCallable(
    { handle, feed }: proto.RunCallableRequest,
    signal: CancellationSignal,
  ): Promise<RunCallableResponse> {
    this.#touch();
    const result = await this.#callables.run(handle, feed, signal);
    this.#touch();
    return { ...RunCallableResponse.create(), ...result };
  }

  releaseCallable({ handle }: proto.ReleaseCallableRequest): void {
    this.#touch();
    this.#callables.release(handle);
  }

  /** As in TensorFlow: only a session with its own cluster distinguishes remote devices from the master's. */
  listDevices(): ListDevicesResponse {
    this.#touch();
    const { localDevices, remoteDevices, propagated } = this.#workers.cluster;
    const response = ListDevicesResponse.create();
    response.localDevice = propagated === undefined ? [...localDevices, ...remoteDevices] : [...localDevices];
    response.remoteDevice = propagated === undefined ? [] : [...remoteDevices];
    return response;
  }

  /** Ends all steps with this error, waits until they have ended, and lets the workers forget the session. */
  async close(reason: TensorFlowError): Promise<void> {
    this.#ended.abort(reason);
    this.#partialRuns.endAll();
    await this.#runner.whenIdle();
    await deleteWorkerSessions(this.#workers);
    this.#workers.cluster.close();
  }

  #touch(): void {
    this.#lastUsedMillis = performance.now();
  }
}
