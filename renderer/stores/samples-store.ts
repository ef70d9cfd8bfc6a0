import { create } from "zustand";
import type { Machine } from "../../main/api/cluster.js";
import { KEPT_SAMPLES, type MachineSample, type Samples, type TaskSample } from "../../main/api/samples.js";

/**
 * Samples that arrive once a second, apart from the cluster's state: components that do not show them are not rendered
 * again.
 */
export interface SamplesStore {
  /** The last minute of each machine, newest last. */
  readonly machines: ReadonlyMap<string, readonly MachineSample[]>;
  /** The same of each task. */
  readonly tasks: ReadonlyMap<string, readonly TaskSample[]>;
}

export const useSamples = create<SamplesStore>()(() => ({ machines: new Map(), tasks: new Map() }));

/** Appends samples. */
export function receiveSamples({ machines, tasks }: Samples): void {
  useSamples.setState((store) => ({
    machines: appended(store.machines, machines),
    tasks: appended(store.tasks, tasks),
  }));
}

/** Removes the samples of machines that do not respond or are no longer paired, and of removed tasks. */
export function forgetSamples(machines: readonly Machine[]): void {
  const measured = machines.filter(
    ({ presence, kind }) => presence === "online" && (kind === "this" || kind === "paired"),
  );
  const machineIds = new Set(measured.map(({ id }) => id));
  const taskIds = new Set(machines.flatMap(({ tasks }) => tasks.map(({ id }) => id)));
  useSamples.setState((store) => ({
    machines: kept(store.machines, machineIds),
    tasks: kept(store.tasks, taskIds),
  }));
}

const noSamples: readonly never[] = [];

/** The last minute of a machine; empty if it is not measured. */
export function machineSamples({ machines }: SamplesStore, machineId: string): readonly MachineSample[] {
  return machines.get(machineId) ?? noSamples;
}

/** The newest number set of a machine. */
export function newestOfMachine(store: SamplesStore, machineId: string): MachineSample | undefined {
  return machineSamples(store, machineId).at(-1);
}

/** The last minute of a task. */
export function taskSamples({ tasks }: SamplesStore, taskId: string): readonly TaskSample[] {
  return tasks.get(taskId) ?? noSamples;
}

function appended<T>(
  known: ReadonlyMap<string, readonly T[]>,
  more: Readonly<Record<string, T>>,
): ReadonlyMap<string, readonly T[]> {
  const next = new Map(known);
  for (const [id, sample] of Object.entries(more)) {
    next.set(id, [...(known.get(id) ?? []).slice(1 - KEPT_SAMPLES), sample]);
  }
  return next;
}

function kept<T>(known: ReadonlyMap<string, T>, ids: ReadonlySet<string>): ReadonlyMap<string, T> {
  return [...known.keys()].every((id) => ids.has(id))
    ? known
    : new Map([...known].filter(([id]) => ids.has(id)));
}
