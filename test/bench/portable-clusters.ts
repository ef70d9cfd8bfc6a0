/** A cluster of one parameter server and several workers, each a process of its own, and the client that measures it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { START_FLAGS } from "../../worker-runtime/engines/portable/v8-flags.js";
import { repositoryRoot, tensorflowPython } from "../support/find-peers.js";
import { environmentWithoutProxies, freePort, type PeerProcess, spawnPeer } from "../support/processes.js";
import { LineClient } from "./line-client.js";
import type { PortableMeasure } from "./portable-lines.js";
import { benchFolder } from "./python-client.js";

export const cliMain = join(repositoryRoot, "build", "out", "program", "cli", "main.js");
const stockServer = join(repositoryRoot, "test", "interop", "peers", "stock_server.py");
/** Importing TensorFlow takes seconds, and several at once many of them. */
const START_MILLIS = 180_000;
/** The time of one turn; the first also makes the graph and warms up. */
const TURN_MILLIS = 120_000;

/** The kind of a cluster's servers, and the device of their workers: the CPU, unless the name says otherwise. */
export type ServerKind = "portable" | "portable-gpu" | "stock" | "stock-cuda";

/** The flag with which a task of ours computes on the CPU although the machine has a GPU. */
export const onCpu = "--gpu=none";
/** The best GPU. Unlike "auto", it is an error if it cannot be used: the CPU would be measured in its place. */
const onGpu = "--gpu=0";
/** The environment in which TensorFlow computes on the CPU. */
export const noCuda = { CUDA_VISIBLE_DEVICES: "" } as const;
/** That in which it computes on the first GPU, unless the user has chosen others. */
export const firstCuda = { CUDA_VISIBLE_DEVICES: process.env.CUDA_VISIBLE_DEVICES ?? "0" } as const;

export interface MeasuredCluster {
  /** The target of the first worker, with which the client's sessions are. */
  readonly target: string;
  /** Whether nothing can be measured with it any more. */
  readonly isBroken: boolean;
  /**
   * One number for each repetition.
   * @throws Error with Python's message if the step failed; if the client did not answer in time, the cluster is broken.
   */
  measure(what: PortableMeasure): Promise<number[]>;
  stop(): Promise<void>;
}

/**
 * @param folder for the cluster's file
 * @param variables for the environment of its tasks
 */
export async function startMeasuredCluster(
  kind: ServerKind,
  workers: number,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<MeasuredCluster> {
  const ports = await Promise.all(Array.from({ length: workers + 1 }, freePort));
  const [ps = "", ...worker] = ports.map((port) => `127.0.0.1:${port}`);
  const cluster = { ps: [ps], worker };
  const file = join(folder, `${kind}.json`);
  writeFileSync(file, JSON.stringify(cluster));
  const env = {
    ...environmentWithoutProxies(),
    ...variables,
    ...(kind === "stock-cuda" ? firstCuda : noCuda),
  };
  const tasks = [["ps", 0] as const, ...worker.map((_, index) => ["worker", index] as const)];
  const starts = await Promise.allSettled(
    tasks.map(([job, index]) => {
      if (kind === "stock" || kind === "stock-cuda") {
        const args = [stockServer, JSON.stringify(cluster), `${job}/${index}`];
        return spawnPeer(tensorflowPython(), args, {
          ...{ ready: /all ready/, readyTimeoutMillis: START_MILLIS, env },
        });
      }
      const gpu = kind === "portable-gpu" && job === "worker" ? onGpu : onCpu;
      return startPortable(file, job, index, gpu, env);
    }),
  );
  const servers = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const stopServers = () => Promise.all(servers.map((server) => server.stop()));
  const failed = starts.find((start) => start.status === "rejected");
  if (failed !== undefined) {
    await stopServers();
    throw failed.reason;
  }
  const client = new LineClient(tensorflowPython(), [
    join(benchFolder, "portable_client.py"),
    JSON.stringify(cluster),
  ]);
  return {
    target: `grpc://${worker[0]}`,
    get isBroken() {
      return client.hasExited;
    },
    async measure(what) {
      const { values, error } = await client.ask({ measure: what }, TURN_MILLIS);
      if (error !== undefined) throw new Error(String(error));
      return values as number[];
    },
    async stop() {
      await client.stop();
      await stopServers();
    },
  };
}

function startPortable(
  file: string,
  job: string,
  index: number,
  gpu: string,
  env: NodeJS.ProcessEnv,
): Promise<PeerProcess> {
  const task = [`--cluster=${file}`, `--job_name=${job}`, `--task_index=${index}`];
  return spawnPeer(process.execPath, [...START_FLAGS, cliMain, "worker", "--engine=portable", gpu, ...task], {
    ready: /target grpc/,
    env,
  });
}
