/** Clusters of stock servers and of ours, in any mixture. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "vitest";
import {
  environmentWithoutProxies,
  repositoryRoot,
  spawnPeer,
  tensorflowPython,
} from "../../support/peers.js";
import { freeCluster, startStockServers } from "../peers/stock-servers.js";
import { type StartedWorker, startWorker } from "../worker-peers.js";

/** The server of a task. */
export type Engine = "stock" | "portable";

export interface StartedCluster {
  /** Addresses by job, as ClusterSpec takes them. */
  readonly addresses: Readonly<Record<string, readonly string[]>>;
  /** Where its servers may write. */
  readonly folder: string;
  /** Our workers, by "job/index". */
  readonly ours: ReadonlyMap<string, StartedWorker>;
  /** "grpc://host:port" of "job/index". */
  target(task: string): string;
  stop(): Promise<void>;
}

/**
 * Starts a cluster with so many tasks in each job; `engineOf` says what serves "worker/0".
 * @param more options of our workers.
 */
export async function startCluster(
  jobs: Readonly<Record<string, number>>,
  engineOf: (task: string) => Engine,
  more: readonly string[] = [],
): Promise<StartedCluster> {
  const addresses = await freeCluster(jobs);
  const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-cluster-"));
  const file = path.join(folder, "cluster.json");
  writeFileSync(file, JSON.stringify(addresses));
  const tasks = Object.entries(addresses).flatMap(([job, list]) => list.map((_, index) => `${job}/${index}`));
  const stockTasks = tasks.filter((task) => engineOf(task) === "stock");
  const [stock, ...ours] = await Promise.all([
    stockTasks.length === 0 ? undefined : startStockServers(addresses, stockTasks),
    ...tasks
      .filter((task) => engineOf(task) === "portable")
      .map(async (task) => {
        const [job, index] = task.split("/");
        const flags = [
          `--cluster=${file}`,
          `--job_name=${job}`,
          `--task_index=${index}`,
          `--files=${folder}`,
          ...more,
        ];
        return [task, await startWorker(["--engine", "portable", ...flags])] as const;
      }),
  ]);
  return {
    addresses,
    folder,
    ours: new Map(ours),
    target(task) {
      const [job = "", index = ""] = task.split("/");
      return `grpc://${addresses[job]?.[Number(index)]}`;
    },
    async stop() {
      await Promise.all([stock?.process.stop(), ...ours.map(([, worker]) => worker.stop())]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const script = path.join(repositoryRoot, "test", "interop", "portable", "scripts", "scenarios.py");

/** Runs scenarios of scenarios.py with the stock client; what each printed. Fails with all output if one does. */
export async function runScenarios(
  { addresses, folder, ours }: StartedCluster,
  names: readonly string[],
): Promise<Record<string, unknown>> {
  const peer = await spawnPeer(tensorflowPython(), [script, JSON.stringify(addresses), folder, ...names], {
    env: environmentWithoutProxies(),
  });
  const { code } = await peer.exited;
  if (code !== 0) {
    const logs = [...ours].map(([task, worker]) => `${task}: ${worker.output().slice(-1_000)}`);
    throw new Error(`${names.join(", ")}: code ${code}\n${peer.output().slice(-6_000)}\n${logs.join("\n")}`);
  }
  return JSON.parse(peer.stdout().trim().split("\n").at(-1) ?? "{}") as Record<string, unknown>;
}

/**
 * A Python program's output: an object for each line that begins like one, all of them joined. Fails with all of its
 * output if it does.
 */
export async function printedBy(args: readonly string[]): Promise<object> {
  const peer = await spawnPeer(tensorflowPython(), [...args], { env: environmentWithoutProxies() });
  const { code } = await peer.exited;
  expect(code, peer.output().slice(-6_000)).toBe(0);
  const lines = peer
    .stdout()
    .split("\n")
    .filter((line) => line.startsWith("{"));
  return Object.assign({}, ...lines.map((line) => JSON.parse(line) as object));
}
