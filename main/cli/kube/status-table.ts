import type { KubernetesState } from "../../api/kubernetes.js";
import { bytesText } from "../../network/reachability/diagnoses/diagnosis.js";

/** The clusters and their tasks as lines. */
export function statusTable({ connection, clusters, measuresLoad }: KubernetesState): string {
  if (clusters.length === 0) {
    return `There is no Tensordeck cluster in namespace ${connection?.namespace} of ${connection?.context}.`;
  }
  const rows = clusters.flatMap(({ name, tasks }) => [
    [name, ""],
    ...tasks.map(({ job, index, state, pod, node, restarts, usage, problem }) => [
      `  ${job}/${index}`,
      state,
      pod,
      node ?? "no node yet",
      restarts === 0 ? "" : `${restarts} restarts`,
      usage ? `${usage.cores.toFixed(2)} cores, ${bytesText(usage.memoryBytes)}` : "",
      problem?.message ?? "",
    ]),
  ]);
  const widths = [0, 1, 2, 3, 4, 5].map((column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [
    ...lines,
    ...(measuresLoad ? [] : ["This cluster has no metrics API, so the load is not known."]),
  ].join("\n");
}
