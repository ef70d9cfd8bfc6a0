/** How a script distributes its training, as far as its text says so; pure. */

/**
 * - "multi-worker": MultiWorkerMirroredStrategy; workers that exchange gradients, no ps.
 * - "parameter-server": ParameterServerStrategy; a chief that coordinates workers and ps.
 * - "between-graph": flags or TF_CONFIG read by the script itself; ps and workers.
 * - "one-machine": MirroredStrategy, OneDeviceStrategy, TPUStrategy; one task with all of its devices.
 */
export type StrategyKind = "multi-worker" | "parameter-server" | "between-graph" | "one-machine";

export interface FoundStrategy {
  readonly kind: StrategyKind;
  /** The found words, as the script writes them: "MultiWorkerMirroredStrategy", "--job_name". */
  readonly name: string;
  /** From 1. */
  readonly line: number;
  /** Whether the script takes its cluster from flags (--job_name, --ps_hosts, …). */
  readonly readsFlags: boolean;
}

/** In the order in which they decide: a strategy says more than the flags with which it is made. */
const signs: readonly { readonly kind: StrategyKind; readonly pattern: RegExp }[] = [
  { kind: "multi-worker", pattern: /\b(MultiWorkerMirroredStrategy|CollectiveAllReduceStrategy)\b/ },
  { kind: "parameter-server", pattern: /\b(ParameterServerStrategy(?:V2)?|ClusterCoordinator)\b/ },
  { kind: "between-graph", pattern: /\b(replica_device_setter|ClusterSpec)\b/ },
  { kind: "between-graph", pattern: /(TF_CONFIG|\bTFConfigClusterResolver\b)/ },
  { kind: "one-machine", pattern: /\b(MirroredStrategy|OneDeviceStrategy|TPUStrategy)\b/ },
];

const flag = /["'](?:--)?(job_name|ps_hosts|worker_hosts|task_index)["']/;

/** The strategy of a Python script; undefined if its text names none. Comments and imports alone do not count. */
export function findStrategy(source: string): FoundStrategy | undefined {
  const lines = source.split(/\r?\n/).map((line) => line.replace(/(^|\s)#.*$/, ""));
  const isCode = (line: string) => !/^\s*(?:from|import)\s/.test(line);
  const readsFlags = lines.some((line) => flag.test(line));
  for (const { kind, pattern } of signs) {
    const index = lines.findIndex((line) => isCode(line) && pattern.test(line));
    if (index === -1) continue;
    return { kind, name: pattern.exec(lines[index] ?? "")?.[1] ?? "", line: index + 1, readsFlags };
  }
  const index = lines.findIndex((line) => flag.test(line));
  if (index === -1) return undefined;
  const name = `--${flag.exec(lines[index] ?? "")?.[1]}`;
  return { kind: "between-graph", name, line: index + 1, readsFlags };
}
