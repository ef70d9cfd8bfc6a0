/** The graphs that come with Tensordeck, and where they run. */
import { create } from "zustand";
import type { Machine } from "../../main/api/cluster.js";
import type { Example } from "../../main/api/documents.js";
import { takesTasks } from "../cluster/machines.js";
import { machinesOf, useCluster } from "./cluster-store.js";

export interface ExampleStore {
  /** Empty until the application has responded. */
  readonly examples: readonly Example[];
  /** The machines that are not to get workers of examples, by id. */
  readonly spared: ReadonlySet<string>;
}

export const useExamples = create<ExampleStore>()(() => ({ examples: [], spared: new Set() }));

export function receiveExamples(examples: readonly Example[]): void {
  useExamples.setState({ examples });
}

/** The machines on which the workers of an example can be started, this one first. */
export function machinesForExamples(machines: readonly Machine[]): readonly Machine[] {
  return machines.filter(takesTasks);
}

/** Those on which they are to be started, by id; empty if only this machine is there. */
export function exampleMachines(): readonly string[] {
  const { spared } = useExamples.getState();
  const machines = machinesForExamples(machinesOf(useCluster.getState()));
  return machines.length < 2 ? [] : machines.map(({ id }) => id).filter((id) => !spared.has(id));
}

/** Chooses whether a machine gets workers of examples. */
export function chooseForExamples(machineId: string, chosen: boolean): void {
  const spared = new Set(useExamples.getState().spared);
  if (chosen) spared.delete(machineId);
  else spared.add(machineId);
  useExamples.setState({ spared });
}
