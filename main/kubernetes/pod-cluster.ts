/**
 * A deployed cluster as one that graphs run on: each of its tasks is reached at a port of this machine and asked for its
 * health there. The tasks reach each other inside Kubernetes, by the names of their pods.
 */
import { deviceOfTask, shortTaskText } from "../../worker-runtime/cluster/device-name.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Engine, Machine, TaskState } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";
import type { ClusterTask } from "../cluster/cluster-task.js";
import { Colours } from "../cluster/colours.js";
import { type ForeignServer, ForeignServers } from "../cluster/foreign-servers.js";
import type { RunCluster } from "../runs/run-cluster.js";
import { defined, problem } from "../shared/problems.js";
import { clearServerState } from "../tasks/clear-state.js";
import type { OpenProbe } from "../tasks/health.js";
import type { PodTask } from "./pod-task.js";
import type { PortForward } from "./port-forward.js";

/** A task that the cluster should have, whether its pod exists or not. */
export interface WantedTask {
  readonly pod: string;
  readonly job: string;
  readonly index: number;
  readonly engine: Engine;
}

export interface PodClusterOptions {
  readonly name: string;
  readonly openProbe: OpenProbe;
  /** Opens a port of this machine for the task of a pod. */
  readonly openForward: (pod: PodTask, onChange: () => void) => Promise<PortForward>;
  /** Replaces a pod, whose task then starts anew. */
  readonly restart: (pod: string) => Promise<void>;
  readonly onChange: () => void;
}

/** Ids of tasks in pods begin with it; those of machines never do. */
const ID_PREFIX = "kubernetes:";

/** In place of a node, for a task that has none. */
const NO_NODE = "Kubernetes";

export class PodCluster implements RunCluster {
  /** The tasks know each other from their start: sessions carry no ClusterSpec. */
  readonly membership = "fixed";
  readonly name: string;
  readonly #options: PodClusterOptions;
  readonly #servers: ForeignServers;
  readonly #colours = new Colours();
  readonly #listeners = new Set<() => void>();
  /** How often the state of a pod's task was cleared. */
  readonly #clears = new Map<string, number>();
  /** By pod. */
  readonly #forwards = new Map<string, Promise<PortForward>>();
  #wanted: readonly WantedTask[] = [];
  #pods: ReadonlyMap<string, PodTask> = new Map();
  /** Why the cluster can no longer be used. */
  #end: Problem | undefined;

  constructor(options: PodClusterOptions) {
    this.name = options.name;
    this.#options = options;
    this.#servers = new ForeignServers(options.openProbe, () => this.#changed());
  }

  /** Takes over what Kubernetes says of the cluster, and follows its tasks. */
  update(wanted: readonly WantedTask[], pods: readonly PodTask[]): void {
    if (this.#end !== undefined) return;
    const before = this.#pods;
    this.#wanted = wanted;
    this.#pods = new Map(pods.map((pod) => [pod.pod, pod]));
    for (const pod of this.#forwards.keys()) {
      if (!wanted.some((task) => task.pod === pod)) inBackground(this.#leave(pod));
    }
    for (const task of wanted) {
      const pod = this.#pods.get(task.pod);
      if (pod !== undefined && pod.uid !== before.get(task.pod)?.uid) inBackground(this.#reach(task, pod));
    }
    this.#tell();
  }

  tasks(): ClusterTask[] {
    return this.#wanted.map((wanted) => this.#task(wanted));
  }

  /** The nodes with their tasks, as windows show them. */
  machines(): Machine[] {
    const tasks = this.tasks();
    const nodes = [...new Set(tasks.map(({ machineId }) => machineId))];
    return nodes.map((id) => {
      const own = tasks.filter(({ machineId }) => machineId === id);
      return {
        id,
        name: own[0]?.elsewhere ?? NO_NODE,
        kind: "foreign",
        presence: own.some(({ state }) => state === "running") ? "online" : "connecting",
        ...{ platform: "", osName: "", arch: "", cores: 0, memoryBytes: 0, version: "" },
        ...{ gpus: [], addresses: [], engines: [] },
        tasks: own.map(({ snapshot }) => snapshot),
      };
    });
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Replaces the pod. @throws ProblemError */
  async startTask(taskId: string): Promise<void> {
    await this.#options.restart(podOfTask(taskId));
  }

  /** Restarts of pods are shown as what Kubernetes does, whatever they held. */
  noteVariables(): void {}

  /** Clears the variables, queues and sessions of a task. @throws ProblemError, TensorFlowError UNAVAILABLE */
  async clearState(pod: string): Promise<void> {
    const server = this.#servers.list().find(({ id }) => id === pod);
    if (server?.state !== "running") {
      throw problem("UNAVAILABLE", `The task of pod ${pod} does not answer.`, {
        remedy: "Wait until it runs.",
      });
    }
    await clearServerState(server.address, server);
    this.#clears.set(pod, (this.#clears.get(pod) ?? 0) + 1);
    this.#changed();
  }

  /**
   * Leaves the tasks, which go on. Resolves when their ports are closed.
   * @param reason what runs that go on say of them
   */
  async end(reason: Problem): Promise<void> {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#servers.dispose();
    for (const listener of [...this.#listeners]) listener();
    await Promise.all([...this.#forwards.keys()].map((pod) => this.#leave(pod)));
  }

  /** Asks a task whose pod is new for its health. The port stays the same when a pod is replaced. */
  async #reach({ pod, job, index }: WantedTask, task: PodTask): Promise<void> {
    const opening = this.#forwards.get(pod) ?? this.#options.openForward(task, () => this.#changed());
    this.#forwards.set(pod, opening);
    const { port } = await opening;
    if (this.#end !== undefined || this.#forwards.get(pod) !== opening) return;
    this.#servers.addAgain({ id: pod, address: `127.0.0.1:${port}`, job, index });
  }

  async #leave(pod: string): Promise<void> {
    const forward = this.#forwards.get(pod);
    this.#forwards.delete(pod);
    this.#servers.remove(pod);
    this.#colours.free(pod);
    this.#clears.delete(pod);
    await (await forward)?.close();
  }

  #changed(): void {
    if (this.#end === undefined) this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
    this.#options.onChange();
  }

  #task(wanted: WantedTask): ClusterTask {
    const { job, index, engine } = wanted;
    const pod = this.#pods.get(wanted.pod);
    const server = this.#servers.list().find(({ id }) => id === wanted.pod);
    const name = shortTaskText(wanted);
    const id = taskIdOfPod(wanted.pod);
    const state = this.#end === undefined ? stateOf(pod, server) : "failed";
    const isUp = state === "running";
    const snapshot = defined({
      ...{ id, job, index, engine, state, gpu: "auto" as const, foreign: true, pod: wanted.pod },
      address: server?.address ?? "",
      startedAt: pod?.startedAt,
      colour: this.#colours.of(wanted.pod),
      devices: isUp
        ? (server?.devices ?? []).map((device) => ({ ...device, name: deviceOfTask(device.name, wanted) }))
        : [],
      problem: this.#problemOf(name, state, pod, server),
    });
    const { address, devices } = snapshot;
    const serverOfPod = server?.incarnation && [pod?.uid, pod?.restarts, server.incarnation].join(" ");
    const elsewhere = pod?.node ?? NO_NODE;
    return {
      ...{ id, name, job, index, engine, state, address, devices, elsewhere, snapshot },
      ...{ machineId: `${ID_PREFIX}node ${elsewhere}`, foreign: true, needsPort: false },
      incarnation: serverOfPod && `${serverOfPod} ${this.#clears.get(wanted.pod) ?? 0}`,
      server: serverOfPod,
      unusable: undefined,
      locked: undefined,
    };
  }

  #problemOf(
    name: string,
    state: TaskState,
    pod: PodTask | undefined,
    server: ForeignServer | undefined,
  ): Problem | undefined {
    if (this.#end !== undefined) return { ...this.#end, task: name };
    const found = pod?.problem ?? (state === "unresponsive" ? server?.problem : undefined);
    return found && { ...found, task: name };
  }
}

/** Joins Kubernetes' report on the pod with that of its server. */
function stateOf(pod: PodTask | undefined, server: ForeignServer | undefined): TaskState {
  // Kubernetes is about to make it, or to make it anew.
  if (pod === undefined) return "starting";
  if (pod.state === "failed" || pod.state === "stopping" || pod.state === "stopped") return pod.state;
  if (server?.state === "unresponsive") return pod.state === "running" ? "unresponsive" : pod.state;
  return server?.state === "running" ? "running" : "starting";
}

/** The id of the task of a pod. */
export function taskIdOfPod(pod: string): string {
  return `${ID_PREFIX}${pod}`;
}

/** @param taskId as of `PodCluster.tasks` */
function podOfTask(taskId: string): string {
  return taskId.slice(ID_PREFIX.length);
}
