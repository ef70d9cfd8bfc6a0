/** The input and output of an export. */
import type { ClusterSpec } from "../cluster-spec.js";

/** One task, with what is known of it beyond a ClusterSpec. */
export interface ExportTask {
  readonly job: string;
  readonly index: number;
  /** "host:port"; absent for a task whose address is chosen when it starts. */
  readonly address?: string;
  /** Absent: whichever its machine has. */
  readonly engine?: "tensorflow" | "portable";
  /** Number of GPUs that it gets; absent: not said. */
  readonly gpus?: number;
}

export interface ExportFile {
  /** Without folders. */
  readonly name: string;
  readonly language: "yaml" | "json" | "shell";
  readonly text: string;
  /** The file is a program. */
  readonly executable: boolean;
}

export interface ExportResult {
  readonly file: ExportFile;
  /** Notes on what the user has to know or do, one sentence or two each. */
  readonly notes: readonly string[];
}

/** The tasks of a cluster file, of which only the addresses are known. */
export function tasksOfCluster(cluster: ClusterSpec): ExportTask[] {
  return cluster.tasks();
}
