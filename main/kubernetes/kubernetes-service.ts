/** The connection to one namespace of a Kubernetes cluster, and what runs there. */
import { LinkedAbortController } from "../../worker-runtime/cancellation/linked-abort-controller.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { LogLine } from "../api/cluster.js";
import type { KubernetesState } from "../api/kubernetes.js";
import type { Problem } from "../api/problem.js";
import type { ScriptPodRequest } from "../api/scripts.js";
import { defined, problem, problemOf } from "../shared/problems.js";
import type { OpenPlace } from "../submit/submit-job.js";
import { notConnected } from "./api-problem.js";
import { ApiServer } from "./api-server.js";
import type { DeployedCluster } from "./deployed-cluster.js";
import { Deployments, type DeployOptions } from "./deployments.js";
import { type ContextChoice, readContexts } from "./kube-config.js";
import { clusterOfPod, isPodOf, jobsOf, tasksOfPods } from "./namespace-tasks.js";
import { PodForwards } from "./pod-forwards.js";
import { type PodLogLine, type PodLogOptions, podLog } from "./pod-log.js";
import { type PodUsage, podUsage, USAGE_MILLIS } from "./pod-metrics.js";
import type { Pod, PodTask } from "./pod-task.js";
import { PodWatch, type PodWatchListener } from "./pod-watch.js";
import { PortForward } from "./port-forward.js";
import { podSizeOf } from "./scripts/place.js";
import { type RunsOnPods, UsedCluster } from "./used-cluster.js";

export interface ConnectRequest extends ContextChoice {
  /** Absent: the context's. */
  readonly namespace?: string | undefined;
}

interface Connection {
  readonly api: ApiServer;
  readonly deployments: Deployments;
  watch: PodWatch | undefined;
  readonly forwards: PodForwards;
  readonly abort: AbortController;
  pods: ReadonlyMap<string, Pod>;
  clusters: ReadonlyMap<string, DeployedCluster>;
  usage: ReadonlyMap<string, PodUsage> | undefined;
  problem: Problem | undefined;
  usageTimer: NodeJS.Timeout | undefined;
  used: UsedCluster | undefined;
}

export class KubernetesService {
  readonly #listeners = new Set<(state: KubernetesState) => void>();
  #connection: Connection | undefined;
  /** Connecting and disconnecting follow each other. */
  #turn: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  /** @param runs absent: no graphs are run, as in a terminal */
  constructor(private readonly runs?: RunsOnPods) {}

  /** Calls the listener with the state after every change, until the returned function is called. */
  onState(listener: (state: KubernetesState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  contexts(kubeconfig?: string) {
    return readContexts(kubeconfig);
  }

  /** Connects, in place of any other connection, which stays if this one fails. @throws ProblemError */
  connect(request: ConnectRequest, signal?: AbortSignal): Promise<void> {
    return this.#inTurn(async () => {
      const api = await ApiServer.connect(request, signal);
      const namespace = request.namespace ?? api.namespace;
      const deployments = new Deployments(api, namespace);
      const clusters = await deployments.list(signal);
      const connection: Connection = {
        ...{ api, deployments, clusters, abort: new AbortController() },
        forwards: new PodForwards(
          ({ pod, port }, own) =>
            PortForward.open(
              api,
              { namespace, pod, port },
              { ...(own !== undefined && { port: own }), onChange: () => this.#tell() },
            ),
          () => this.#tell(),
        ),
        ...{ pods: new Map(), usage: undefined, problem: undefined, usageTimer: undefined },
        ...{ watch: undefined, used: undefined },
      };
      const listener: PodWatchListener = {
        onPods: (pods) => {
          connection.pods = new Map(pods);
          inBackground(this.#podsChanged(connection));
        },
        onProblem: (trouble) => {
          connection.problem = trouble;
          this.#tell();
        },
      };
      connection.watch = await PodWatch.open(api, namespace, listener, signal);
      await this.#end();
      this.#connection = connection;
      if (this.#isDisposed) await this.#end();
      else await this.#measure(connection);
    });
  }

  /** Ends the connection with its forwards; what was deployed goes on. */
  disconnect(): Promise<void> {
    return this.#inTurn(() => this.#end());
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.disconnect();
  }

  state(): KubernetesState {
    const connection = this.#connection;
    if (connection === undefined) return { clusters: [] };
    const { api, deployments, clusters, problem: trouble, usage, forwards, used } = connection;
    const tasks = this.tasks();
    const names = new Set([...clusters.keys(), ...tasks.map(({ cluster }) => cluster)]);
    return defined({
      connection: { context: api.context, server: api.server, namespace: deployments.namespace },
      problem: trouble,
      measuresLoad: usage !== undefined,
      used: used?.state(),
      clusters: [...names].sort().map((name) => ({
        name,
        jobs: jobsOf(clusters.get(name)).map(({ job, replicas }) => ({ job, replicas })),
        tasks: tasks
          .filter(({ cluster }) => cluster === name)
          .map(({ uid: _, ...task }) => {
            const forward = forwards.get(task.pod);
            return defined({
              ...task,
              usage: usage?.get(task.pod),
              target: forward && `grpc://127.0.0.1:${forward.port}`,
              forwardProblem: forward?.failure,
            });
          }),
      })),
    }) as KubernetesState;
  }

  /** In the order of clusters, jobs and indices. */
  tasks(): PodTask[] {
    const { pods, clusters } = this.#connected();
    return tasksOfPods(pods.values(), clusters);
  }

  /** @throws ProblemError, TensorFlowError */
  async deploy(cluster: DeployedCluster, options?: DeployOptions): Promise<void> {
    await this.#change(({ deployments }) => deployments.apply(cluster, options));
  }

  /** @throws ProblemError */
  async scale(name: string, job: string, replicas: number): Promise<void> {
    await this.#change(({ deployments }) => deployments.scale(name, job, replicas));
  }

  /** @throws ProblemError */
  async remove(name: string): Promise<void> {
    await this.#change(({ deployments }) => deployments.remove(name));
  }

  /**
   * Runs graphs on a cluster from now on, whose tasks are reached through ports of their own; undefined: on the
   * machines' own again.
   *
   * @throws ProblemError NOT_FOUND, or FAILED_PRECONDITION while a run goes on there
   */
  async use(name: string | undefined): Promise<void> {
    const connection = this.#connected();
    const { runs } = this;
    if (runs === undefined || name === connection.used?.name) return;
    if (connection.used?.isBusy) {
      throw problem("FAILED_PRECONDITION", `A run is in progress on ${connection.used.name}.`, {
        remedy: "Stop it first, or wait until it ends.",
      });
    }
    if (name !== undefined) await connection.deployments.get(name, connection.abort.signal);
    await this.#leave(connection, `${name ?? "Another cluster"} is used instead.`);
    if (name === undefined || this.#connection !== connection) return;
    const { api, deployments } = connection;
    const used: UsedCluster = new UsedCluster(runs, {
      name,
      openForward: ({ pod, port }, onChange) =>
        PortForward.open(api, { namespace: deployments.namespace, pod, port }, { onChange }),
      restart: (pod) => this.restart(pod),
      onChange: () => {
        if (connection.used === used && this.#connection === connection) this.#tell();
      },
      follow: (pod, options) => this.log(pod, { follow: true, ...options }),
    });
    connection.used = used;
    this.#updateUsed(connection);
    used.choose();
    this.#tell();
  }

  /** Replaces a pod. @throws ProblemError */
  async restart(pod: string): Promise<void> {
    const { api, deployments, abort } = this.#connected();
    await api.request({
      method: "DELETE",
      path: `/api/v1/namespaces/${encodeURIComponent(deployments.namespace)}/pods/${encodeURIComponent(pod)}`,
      what: `Pod ${pod} cannot be replaced`,
      signal: abort.signal,
    });
  }

  /** @throws ProblemError FAILED_PRECONDITION if graphs do not run there */
  async clearState(pod: string): Promise<void> {
    const { used } = this.#connected();
    if (used === undefined) {
      throw problem("FAILED_PRECONDITION", "No cluster in Kubernetes is used for graphs.", {
        remedy: "Run graphs on one first.",
      });
    }
    await used.clearState(pod);
  }

  /** The lines of a task of the used cluster after the last one that is known. */
  taskLog(pod: string, afterSequence: number): LogLine[] {
    return this.#connection?.used?.logAfter(pod, afterSequence) ?? [];
  }

  /** The namespace as a place for scripts. @throws ProblemError if there is no connection, or an option is wrong */
  scriptPlace(pod: ScriptPodRequest): { readonly name: string; readonly open: OpenPlace } {
    const { api, deployments } = this.#connected();
    const { namespace } = deployments;
    const size = podSizeOf(pod);
    const open: OpenPlace = async (job) => {
      const { openPlace } = await import("./scripts/open-place.js");
      return await openPlace(api, namespace, size)(job);
    };
    return { name: `${api.context}, namespace ${namespace}`, open };
  }

  /** The address at which sessions of this machine reach the task of a pod. @throws ProblemError */
  async forward(pod: string, port?: number): Promise<string> {
    const { forwards } = this.#connected();
    return await forwards.address(this.#task(pod), port);
  }

  async endForward(pod: string): Promise<void> {
    await this.#connected().forwards.end(pod);
  }

  /** Lines as they come. @throws ProblemError */
  log(
    pod: string,
    options: Omit<PodLogOptions, "signal"> & { readonly signal?: AbortSignal },
  ): AsyncGenerator<PodLogLine> {
    return linesOf(this.#connected(), this.#task(pod), options);
  }

  #connected(): Connection {
    if (this.#connection === undefined) throw notConnected();
    return this.#connection;
  }

  #task(pod: string): PodTask {
    const task = this.tasks().find((candidate) => candidate.pod === pod);
    if (task !== undefined) return task;
    throw problem("NOT_FOUND", `There is no pod ${pod}.`, { remedy: "Choose one of the listed pods." });
  }

  async #change(work: (connection: Connection) => Promise<void>): Promise<void> {
    const connection = this.#connected();
    try {
      await work(connection);
    } finally {
      await this.#readClusters(connection);
      this.#updateUsed(connection);
      this.#tell();
    }
  }

  /** A pod of an unknown cluster was deployed by another program of the same user. */
  async #podsChanged(connection: Connection): Promise<void> {
    const isKnown = [...connection.pods.values()].every((pod) => connection.clusters.has(clusterOfPod(pod)));
    if (!isKnown) await this.#readClusters(connection);
    const { pods, clusters, forwards } = connection;
    // A pod that is replaced keeps its name, and soon comes back; one of a removed task does not.
    await forwards.keepOnly((pod) => pods.has(pod) || isPodOf(clusters, pod));
    if (this.#connection !== connection) return;
    this.#updateUsed(connection);
    this.#tell();
  }

  #updateUsed(connection: Connection): void {
    const { used, clusters } = connection;
    if (used === undefined || this.#connection !== connection) return;
    const deployed = clusters.get(used.name);
    if (deployed === undefined) {
      inBackground(this.#leave(connection, "It was deleted."));
      return;
    }
    used.update(deployed, this.tasks());
  }

  /** Graphs run on the machines' own cluster again. @param reason why, as a sentence */
  async #leave(connection: Connection, reason: string): Promise<void> {
    const { used } = connection;
    if (used === undefined) return;
    connection.used = undefined;
    await used.end(reason);
  }

  async #readClusters(connection: Connection): Promise<void> {
    try {
      connection.clusters = await connection.deployments.list(connection.abort.signal);
    } catch (error) {
      if (!connection.abort.signal.aborted) connection.problem = problemOf(error);
    }
  }

  async #measure(connection: Connection): Promise<void> {
    const { api, deployments, abort } = connection;
    try {
      connection.usage = await podUsage(api, deployments.namespace, abort.signal);
    } catch {
      // The watch says what is wrong with the connection.
      connection.usage = undefined;
    }
    if (abort.signal.aborted) return;
    this.#tell();
    connection.usageTimer = setTimeout(() => inBackground(this.#measure(connection)), USAGE_MILLIS);
    connection.usageTimer.unref();
  }

  async #end(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    await this.#leave(connection, "The connection to Kubernetes was ended.");
    this.#connection = undefined;
    connection.abort.abort(problem("CANCELLED", "The connection to Kubernetes was ended."));
    clearTimeout(connection.usageTimer);
    await Promise.all([connection.watch?.close(), connection.forwards.close()]);
    this.#tell();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  #tell(): void {
    const state = this.state();
    for (const listener of [...this.#listeners]) listener(state);
  }
}

/** The lines of a pod's log, until the signal is aborted or the connection ends. */
async function* linesOf(
  { api, deployments, abort }: Connection,
  task: PodTask,
  { signal, ...options }: Omit<PodLogOptions, "signal"> & { readonly signal?: AbortSignal },
): AsyncGenerator<PodLogLine> {
  const ends = new LinkedAbortController(signal, abort.signal);
  try {
    yield* podLog(api, deployments.namespace, task, { ...options, signal: ends.signal });
  } finally {
    ends.abort();
  }
}
