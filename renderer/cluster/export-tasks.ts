/** The tasks of a cluster table as an export takes them. Pure. */
import type { ClusterState } from "../../main/api/cluster.js";
import { formatHostPort, parseHostPort } from "../../worker-runtime/cluster/address.js";
import type { RowProblem } from "../../worker-runtime/cluster/cluster-table.js";
import { isLoopback } from "../../worker-runtime/cluster/host.js";
import type { ExportTask } from "../../worker-runtime/cluster/orchestrators/export-model.js";
import type { DraftRow } from "./table-draft.js";

export interface ExportedTasks {
  readonly tasks: readonly ExportTask[];
  /** "worker/2": those whose rows have to be fixed first. */
  readonly leftOut: readonly string[];
}

/**
 * The rows without a problem. Tasks of a secure cluster have addresses of this machine's tunnels, which mean nothing to
 * another system; they get the addresses of the machines that run them.
 */
export function exportedTasks(
  rows: readonly DraftRow[],
  problems: readonly RowProblem[],
  state: ClusterState,
): ExportedTasks {
  const faulty = new Set(problems.map(({ row }) => row));
  return {
    tasks: rows.filter((_row, position) => !faulty.has(position)).map((row) => exportedTask(row, state)),
    leftOut: rows.filter((_row, position) => faulty.has(position)).map(({ job, index }) => `${job}/${index}`),
  };
}

function exportedTask(row: DraftRow, state: ClusterState): ExportTask {
  const { job, index, machineId, engine, gpu } = row;
  const address = addressElsewhere(row, state);
  const gpus = gpu === "auto" ? undefined : gpu === "none" ? 0 : gpu.length;
  return {
    job,
    index,
    ...(address !== "" && { address }),
    // A server elsewhere is not known to be either.
    ...(machineId !== "" && { engine }),
    ...(gpus !== undefined && { gpus }),
  };
}

function addressElsewhere({ machineId, address }: DraftRow, { machines }: ClusterState): string {
  const machine = machines.find(({ id }) => id === machineId);
  const parsed = parseHostPort(address);
  if (machine === undefined || parsed === undefined || !isLoopback(parsed.host)) return address;
  return formatHostPort({ host: machine.addresses[0] ?? machine.name, port: parsed.port });
}
