/** The tasks that the document's own cluster requires beyond the existing ones. Pure. */
import type { ClusterRow, ClusterState } from "../../main/api/cluster.js";
import type { ClusterConfigRow } from "../document/model.js";
import { takesTasks } from "./machines.js";
import { draftOf, draftProblems, rowsToApply } from "./table-draft.js";

export interface WantedCluster {
  /** Tasks of the document that the cluster lacks, "worker/1", in the document's order. */
  readonly names: readonly string[];
  /** The cluster with them, ready to be applied; absent if the user has to check the table first. */
  readonly rows?: readonly ClusterRow[];
}

/**
 * Compares the cluster with what the document keeps. The missing tasks can be started at once if each one's machine is
 * present and accepts tasks and nothing conflicts with the running tasks.
 */
export function wantedCluster(state: ClusterState, wanted: readonly ClusterConfigRow[]): WantedCluster {
  const draft = draftOf(state, wanted);
  const missing = draft.filter(({ taskId }) => taskId === undefined);
  const names = missing.map(({ job, index }) => `${job}/${index}`);
  const machines = new Map(state.machines.map((machine) => [machine.id, machine]));
  const placed = missing.every(({ machineId }) => {
    const machine = machines.get(machineId);
    return machine !== undefined && takesTasks(machine);
  });
  if (names.length === 0 || !placed || draftProblems(draft, state).length > 0) return { names };
  return { names, rows: rowsToApply(draft) };
}
