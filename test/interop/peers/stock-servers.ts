import { join } from "node:path";
import { repositoryRoot, tensorflowPython } from "../../support/peers.js";
import { freePort, type PeerProcess, spawnPeer } from "../../support/processes.js";

const script = join(repositoryRoot, "test", "interop", "peers", "stock_server.py");

export interface StockServers {
  readonly process: PeerProcess;
  /** "grpc://host:port" by "job/index". */
  target(task: string): string;
}

/** A cluster with free ports: { worker: 2, ps: 1 } gives three addresses. */
export async function freeCluster(jobs: Readonly<Record<string, number>>): Promise<Record<string, string[]>> {
  const cluster: Record<string, string[]> = {};
  for (const [job, count] of Object.entries(jobs)) {
    cluster[job] = [];
    for (let i = 0; i < count; i += 1) {
      cluster[job].push(`127.0.0.1:${await freePort()}`);
    }
  }
  return cluster;
}

/**
 * Starts stock TensorFlow servers for the tasks ("worker/0") of a cluster, all in one process.
 * @param python which runs them; one of its own for tests that stop the process without ending it.
 */
export async function startStockServers(
  cluster: Readonly<Record<string, readonly string[]>>,
  tasks: readonly string[],
  python = tensorflowPython(),
): Promise<StockServers> {
  const process = await spawnPeer(python, [script, JSON.stringify(cluster), ...tasks], {
    ready: /all ready/,
  });
  return {
    process,
    target: (task) => {
      const [job = "", index = ""] = task.split("/");
      const address = cluster[job]?.[Number(index)];
      if (address === undefined) {
        throw new Error(`The cluster has no task ${task}.`);
      }
      return `grpc://${address}`;
    },
  };
}
