/** Everything that diagnoses are based on, as one snapshot. Unknown facts are left out and lead to no diagnosis. */
import type { Access, LogLine, Machine, Membership, Task } from "../../../api/cluster.js";
import type { DiscoveryState } from "../../../api/machines.js";
import type { Problem } from "../../../api/problem.js";
import type { Route, Throughput } from "../../../api/reachability.js";
import type { GpuLoad, MachineSample, TaskSample } from "../../../api/samples.js";

/** The proxy settings in the environment of a machine's account; see proxies.ts. */
export interface ProxyVariables {
  readonly machineId: string;
  /** The variables as set: { https_proxy: "http://proxy:3128" }, without no_proxy. */
  readonly variables: Readonly<Record<string, string>>;
  /** The hosts that no_proxy and no_grpc_proxy exempt. */
  readonly noProxy: readonly string[];
}

/** The session of the newest run. */
export interface SessionFacts {
  readonly state: "opening" | "open" | "closing";
  /** Milliseconds since the epoch: when the run began, or the closing. */
  readonly since: number;
  /** Tasks in the session's ClusterSpec, "worker/0"; absent if they are not known. */
  readonly tasks?: readonly string[];
  /** Bytes of the GraphDef as it is sent. */
  readonly graphBytes?: number;
  /** Bytes that are fed in each step. */
  readonly feedBytes?: number;
  /** The session's config carries gpu_options. */
  readonly hasGpuOptions?: boolean;
  /** Why the run failed. */
  readonly problem?: Problem;
}

export interface MeasuredThroughput {
  /** Machine ids. */
  readonly from: string;
  readonly to: string;
  readonly speed: Throughput;
}

export interface Situation {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly membership: Membership;
  readonly access: Access;
  readonly machines: readonly Machine[];
  readonly routes: readonly Route[];
  /** The latest measurements, by machine and by task. */
  readonly samples?: {
    readonly machines: ReadonlyMap<string, Partial<MachineSample>>;
    readonly tasks: ReadonlyMap<string, TaskSample>;
  };
  /** Reasons why the cluster is less closed than it should be. */
  readonly exposures?: readonly Problem[];
  readonly discovery?: DiscoveryState;
  readonly proxies?: readonly ProxyVariables[];
  /** The last lines of tasks' logs, by task id. */
  readonly logs?: ReadonlyMap<string, readonly LogLine[]>;
  /** Incarnations of the servers, by task id. */
  readonly incarnations?: ReadonlyMap<string, string>;
  readonly session?: SessionFacts;
  readonly throughputs?: readonly MeasuredThroughput[];
}

/** A task and the machine that it is on. */
export interface PlacedTask {
  readonly task: Task;
  readonly machine: Machine;
  /** "worker/0" */
  readonly name: string;
}

export function placedTasks({ machines }: Pick<Situation, "machines">): PlacedTask[] {
  return machines.flatMap((machine) =>
    machine.tasks.map((task) => ({ task, machine, name: `${task.job}/${task.index}` })),
  );
}

/** The processes that use a GPU's memory; empty if it was not measured. */
export function holdersOf({ samples }: Situation, machineId: string, gpuIndex: number): GpuLoad["processes"] {
  const loads = samples?.machines.get(machineId)?.gpus ?? [];
  return loads.find(({ index }) => index === gpuIndex)?.processes ?? [];
}

/** Name of a machine by its id; the id itself if it is unknown. */
export function machineName({ machines }: Pick<Situation, "machines">, id: string): string {
  return machines.find((machine) => machine.id === id)?.name ?? id;
}

/** Whether a task has a process that is up or was. */
export function isUp({ state }: Pick<Task, "state">): boolean {
  return state === "running" || state === "unresponsive";
}
