import type { ClusterDef } from "../../protos/generated/tensorflow/cluster.js";
import { invalidArgument } from "../protocol/status.js";
import { addressProblem, parseHostPort } from "./address.js";
import { taskText } from "./device-name.js";

/** Addresses of a job's tasks: a list, or (sparse) a mapping from task index to address. */
export type JobAddresses = readonly string[] | Readonly<Record<number, string>>;

/** Job names with their tasks' addresses, as tf.train.ClusterSpec takes them. */
export type ClusterDict = Readonly<Record<string, JobAddresses>>;

/** One task of a cluster. */
export interface ClusterTask {
  readonly job: string;
  readonly index: number;
  readonly address: string;
}

/** Task indices are int32 on the wire. */
const MAX_TASK_INDEX = 2 ** 31 - 1;

function isClusterDef(value: object): value is ClusterDef {
  return "job" in value && Array.isArray(value.job) && value.job.every((job) => typeof job === "object");
}

function taskIndex(job: string, text: string): number {
  const index = Number(text);
  if (!/^\s*[+]?\d+\s*$/.test(text) || index > MAX_TASK_INDEX) {
    throw invalidArgument(
      `Task index ${JSON.stringify(text)} of job '${job}' is not a whole number from 0 to ${MAX_TASK_INDEX}.`,
    );
  }
  return index;
}

function tasksOf(job: string, tasks: unknown): Map<number, string> {
  if (typeof tasks !== "object" || tasks === null) {
    throw invalidArgument(
      `The tasks for job '${job}' must be a list or a dictionary from integers to strings, not ${JSON.stringify(tasks)}.`,
    );
  }
  const entries: [number, unknown][] = Array.isArray(tasks)
    ? [...tasks.entries()]
    : Object.entries(tasks).map(([index, address]) => [taskIndex(job, index), address]);
  return new Map(
    entries.map(([index, address]) => {
      if (typeof address !== "string") {
        throw invalidArgument(
          `Task address ${JSON.stringify(address)} (task ${index} of job '${job}') must be a string, host:port.`,
        );
      }
      return [index, address];
    }),
  );
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The processes that take part in a distributed computation: jobs, and the address of each of their tasks. The same
 * methods, results and errors as tf.train.ClusterSpec. Immutable. As there, an address is not checked until a server or
 * a session needs it: `problems()` and `validate()` do that.
 */
export class ClusterSpec {
  readonly #jobs: ReadonlyMap<string, ReadonlyMap<number, string>>;

  private constructor(jobs: ReadonlyMap<string, ReadonlyMap<number, string>>) {
    this.#jobs = jobs;
  }

  /**
   * @param cluster job names with lists of addresses or with sparse mappings {1: "host:port"}; a ClusterDef; another
   *   ClusterSpec.
   * @throws TensorFlowError INVALID_ARGUMENT if tf.train.ClusterSpec raises a TypeError or ValueError.
   */
  static from(cluster: ClusterDict | ClusterDef | ClusterSpec): ClusterSpec {
    if (cluster instanceof ClusterSpec) {
      return cluster;
    }
    if (typeof cluster !== "object" || cluster === null || Array.isArray(cluster)) {
      throw invalidArgument(
        "A cluster must be a dictionary from job names to lists of network addresses, or a ClusterDef.",
      );
    }
    if (isClusterDef(cluster)) {
      return new ClusterSpec(new Map(cluster.job.map((job) => [job.name, new Map(job.tasks)])));
    }
    return new ClusterSpec(
      new Map(Object.entries(cluster).map(([job, tasks]) => [job, tasksOf(job, tasks)])),
    );
  }

  /** Job names in the order in which they were given. */
  get jobs(): string[] {
    return [...this.#jobs.keys()];
  }

  /** True when there is no job at all. */
  get isEmpty(): boolean {
    return this.#jobs.size === 0;
  }

  /** For each job a list of addresses or, if indices are missing, a mapping from index to address. */
  asDict(): Record<string, string[] | Record<number, string>> {
    return Object.fromEntries(
      this.jobs.map((job) => {
        const tasks = this.#tasks(job);
        const indices = this.taskIndices(job);
        const isDense = indices.length > 0 && (indices.at(-1) ?? 0) + 1 === indices.length;
        return [
          job,
          isDense
            ? indices.map((index) => tasks.get(index) ?? "")
            : Object.fromEntries(indices.map((index) => [index, tasks.get(index) ?? ""])),
        ];
      }),
    );
  }

  /** The cluster on the wire; jobs and tasks sorted, so that equal clusters give equal bytes. */
  asClusterDef(): ClusterDef {
    return {
      job: [...this.#jobs]
        .sort(([a], [b]) => byCodeUnits(a, b))
        .map(([name, tasks]) => ({ name, tasks: new Map([...tasks].sort(([a], [b]) => a - b)) })),
    };
  }

  /** @throws TensorFlowError INVALID_ARGUMENT when there is no such job. */
  numTasks(job: string): number {
    return this.#tasks(job).size;
  }

  /** Sorted indices of the tasks of a job. @throws TensorFlowError INVALID_ARGUMENT when there is no such job. */
  taskIndices(job: string): number[] {
    return [...this.#tasks(job).keys()].sort((a, b) => a - b);
  }

  /** @throws TensorFlowError INVALID_ARGUMENT when there is no such job or no such task in it. */
  taskAddress(job: string, index: number): string {
    const address = this.#tasks(job).get(index);
    if (address === undefined) {
      throw invalidArgument(`No task with index ${index} in job '${job}'`);
    }
    return address;
  }

  /**
   * Addresses by task index; undefined at the indices that a sparse job leaves out.
   * @throws TensorFlowError INVALID_ARGUMENT when there is no such job.
   */
  jobTasks(job: string): (string | undefined)[] {
    const tasks = this.#tasks(job);
    const last = this.taskIndices(job).at(-1) ?? -1;
    return Array.from({ length: last + 1 }, (_, index) => tasks.get(index));
  }

  has(job: string, index: number): boolean {
    return this.#jobs.get(job)?.has(index) ?? false;
  }

  /** Every task, by job in the given order, then by index. */
  tasks(): ClusterTask[] {
    return this.jobs.flatMap((job) =>
      this.taskIndices(job).map((index) => ({ job, index, address: this.taskAddress(job, index) })),
    );
  }

  /** The first task that has this address. */
  taskAt(address: string): ClusterTask | undefined {
    return this.tasks().find((task) => task.address === address);
  }

  equals(other: ClusterSpec): boolean {
    if (this.#jobs.size !== other.#jobs.size) {
      return false;
    }
    return [...this.#jobs].every(([job, tasks]) => {
      const others = other.#jobs.get(job);
      return (
        others?.size === tasks.size && [...tasks].every(([index, address]) => others.get(index) === address)
      );
    });
  }

  /** As Python's repr: ClusterSpec({'ps': ['a:1'], …}), jobs sorted. */
  toString(): string {
    const quote = (text: string) => `'${text}'`;
    const dict = this.asDict();
    const jobs = this.jobs.sort(byCodeUnits).map((job) => {
      const tasks = dict[job] ?? [];
      const text = Array.isArray(tasks)
        ? `[${tasks.map(quote).join(", ")}]`
        : `{${Object.entries(tasks)
            .map(([index, address]) => `${index}: ${quote(address)}`)
            .join(", ")}}`;
      return `${quote(job)}: ${text}`;
    });
    return `ClusterSpec({${jobs.join(", ")}})`;
  }

  /**
   * Everything that prevents servers from being started with this cluster, one sentence each: invalid job names,
   * addresses without a port, one address for two tasks.
   */
  problems(): string[] {
    const found: string[] = [];
    if (this.tasks().length === 0) {
      found.push("The cluster has no tasks.");
    }
    for (const job of this.jobs) {
      if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(job)) {
        found.push(`The job name '${job}' must be a letter followed by letters, digits and underscores.`);
      }
    }
    const owners = new Map<string, ClusterTask>();
    for (const task of this.tasks()) {
      const problem = addressProblem(task.address);
      if (problem !== undefined) {
        found.push(`The address '${task.address}' of ${taskText(task)} ${problem}.`);
        continue;
      }
      const owner = owners.get(task.address);
      // Port 0 is "any free port", so two tasks may both have it.
      if (owner !== undefined && parseHostPort(task.address)?.port !== 0) {
        found.push(
          `${taskText(owner)} and ${taskText(task)} have the same address ` +
            `'${task.address}'; every task needs its own port.`,
        );
      }
      owners.set(task.address, task);
    }
    return found;
  }

  /** @throws TensorFlowError INVALID_ARGUMENT with all problems at once. */
  validate(): void {
    const problems = this.problems();
    if (problems.length > 0) {
      throw invalidArgument(problems.join("\n"));
    }
  }

  #tasks(job: string): ReadonlyMap<number, string> {
    const tasks = this.#jobs.get(job);
    if (tasks === undefined) {
      const known = this.jobs.length === 0 ? "it has none" : `it has ${this.jobs.join(", ")}`;
      throw invalidArgument(`No such job in cluster: '${job}' (${known})`);
    }
    return tasks;
  }
}
