/** The workers in the pods of a cluster: real ones, which know each other from their start by addresses of their own. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type StartedWorker, startWorker } from "../../../interop/worker-peers.js";
import { freePort } from "../../../support/peers.js";
import type { Kubelet } from "./kubelet.js";

export interface PodWorkers {
  /** Starts the worker of a pod, in place of the one before, which has to have ended. */
  start(index: number): Promise<void>;
  /** Ends the worker of a pod at once. */
  kill(index: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the tasks of job worker, in the pods "lab-worker-0" and on. @param folder for their cluster's file */
export async function startPodWorkers(kubelet: Kubelet, folder: string, count: number): Promise<PodWorkers> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  const file = join(folder, "pods.json");
  await writeFile(file, JSON.stringify({ worker: ports.map((port) => `127.0.0.1:${port}`) }));
  const workers = new Map<number, StartedWorker>();
  const start = async (index: number) => {
    const task = ["--cluster", file, "--job_name", "worker", "--task_index", String(index)];
    workers.set(index, await startWorker([...task, "--engine", "portable"]));
    kubelet.ports.set(`lab-worker-${index}:2222`, ports[index] ?? 0);
  };
  await Promise.all(ports.map((_port, index) => start(index)));
  return {
    start,
    kill: async (index) => {
      await workers.get(index)?.stop("SIGKILL");
    },
    stop: async () => {
      await Promise.all([...workers.values()].map((worker) => worker.stop()));
    },
  };
}
