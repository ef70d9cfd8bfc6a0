/** The deployed cluster that graphs run on, in place of the machines' own, until it is left. */
import type { LogLine } from "../api/cluster.js";
import type { KubernetesState } from "../api/kubernetes.js";
import type { RunCluster } from "../runs/run-cluster.js";
import type { OpenProbe } from "../tasks/health.js";
import { type DeployedCluster, wantedTasks } from "./deployed-cluster.js";
import { PodCluster, type PodClusterOptions, taskIdOfPod } from "./pod-cluster.js";
import { type FollowedLog, PodLogs } from "./pod-logs.js";
import type { PodTask } from "./pod-task.js";

/** The parts of the application that clusters in Kubernetes need if graphs are to run on them. */
export interface RunsOnPods {
  readonly openProbe: OpenProbe;
  /** Runs graphs on this cluster from now on; undefined: on the machines' own again. */
  readonly chooseCluster: (cluster: RunCluster | undefined) => void;
  /** Whether a run goes on there. */
  readonly runsOn: (cluster: RunCluster) => boolean;
  /** New lines of a task's log. */
  readonly onLog: (taskId: string, lines: LogLine[]) => void;
}

export interface UsedClusterOptions extends Omit<PodClusterOptions, "openProbe"> {
  readonly follow: FollowedLog;
}

export class UsedCluster {
  readonly #runs: RunsOnPods;
  readonly #cluster: PodCluster;
  readonly #logs: PodLogs;

  constructor(runs: RunsOnPods, { follow, ...options }: UsedClusterOptions) {
    this.#runs = runs;
    this.#cluster = new PodCluster({ ...options, openProbe: runs.openProbe });
    this.#logs = new PodLogs(follow, (pod, lines) => runs.onLog(taskIdOfPod(pod), lines));
  }

  get name(): string {
    return this.#cluster.name;
  }

  /** Whether a run goes on there. */
  get isBusy(): boolean {
    return this.#runs.runsOn(this.#cluster);
  }

  state(): NonNullable<KubernetesState["used"]> {
    return { cluster: this.name, machines: this.#cluster.machines() };
  }

  /** Graphs run on it from now on. */
  choose(): void {
    this.#runs.chooseCluster(this.#cluster);
  }

  /** Takes over what Kubernetes says of it. @param tasks those of all clusters */
  update(deployed: DeployedCluster, tasks: readonly PodTask[]): void {
    const own = tasks.filter(({ cluster }) => cluster === this.name);
    this.#cluster.update(wantedTasks(deployed), own);
    this.#logs.update(own);
  }

  /** Lines of a pod after the last one that is known. */
  logAfter(pod: string, sequence: number): LogLine[] {
    return this.#logs.after(pod, sequence);
  }

  clearState(pod: string): Promise<void> {
    return this.#cluster.clearState(pod);
  }

  /** Graphs run on the machines' own cluster again. @param reason why, as a sentence */
  async end(reason: string): Promise<void> {
    this.#runs.chooseCluster(undefined);
    this.#logs.dispose();
    await this.#cluster.end({ code: "CANCELLED", message: `The cluster ${this.name} was left.`, reason });
  }
}
