/** Everything that a diagnosis may go by, as one snapshot. What is not known is left out, and no diagnosis is made of it. */
import type { Access, LogLine, Machine, Membership, Task } from "../../../api/cluster.js";
import type { DiscoveryState } from "../../../api/machines.js";
import type { Problem } from "../../../api/problem.js";
import type { Route, Throughput } from "../../../api/reachability.js";
import type { GpuLoad, MachineSample, TaskSample } from "../../../api/samples.js";

/** What the environment of a machine's account says about proxies; see proxies.ts. */
export interface ProxyVariables {
  readonly machineId: string;
  /** As they are set: { https_proxy: "http://proxy:3128" }, without no_proxy. */
  readonly variables: Readonly<Record<string, string>>;
  /** What no_proxy and no_grpc_proxy exempt. */
  readonly noProxy: readonly string[];
}

/** The session of the newest run. */
export interface SessionFacts {
  readonly state: "opening" | "open" | "closing";
  /** Milliseconds since the epoch: when the run began, or the closing. */
  readonly since: number;
  /** Tasks that the session's ClusterSpec has, "worker/0"; absent where they are not known. */
  readonly tasks?: readonly string[];
  /** The GraphDef as it is sent. */
  readonly graphBytes?: number;
  /** What is fed in each step. */
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
  /** What was measured last, by machine and by task. */
  readonly samples?: {
    readonly machines: ReadonlyMap<string, Partial<MachineSample>>;
    readonly tasks: ReadonlyMap<string, TaskSample>;
  };
  /** What keeps the cluster from being as closed as it should be. */
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

/** Name of a machine by its id; the id where it is unknown. */
export function machineName({ machines }: Pick<Situation, "machines">, id: string): string {
  return machines.find((machine) => machine.id === id)?.name ?? id;
}

/** Whether a task has a process that is up or was. */
export function isUp({ state }: Pick<Task, "state">): boolean {
  return state === "running" || state === "unresponsive";
}
