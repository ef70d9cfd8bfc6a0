/**
 * One program for every task: TF_CONFIG says which it is. `TF_CONFIG='{"cluster": {"worker": ["pc:2222"]}, "task": {"type":
 * "worker", "index": 0}}' generic-worker.ts` serves until it is stopped; without TF_CONFIG, `generic-worker.ts
 * clusterspec.json 0` is worker 0.
 */
import { type ClusterSpec, parseTfConfig, Server } from "../index.js";
import { type Program, readCluster, runIfStarted, type Surroundings } from "./program.js";

export const main: Program = async ([file, index = "0"], surroundings) => {
  const text = surroundings.env.TF_CONFIG;
  const { cluster, task } =
    text === undefined
      ? { cluster: readCluster(file), task: { job: "worker", index: Number(index) } }
      : parseTfConfig(text);
  if (task === undefined) throw new Error('TF_CONFIG has no "task": it does not say which task this is.');
  await launchWorker(task.job, task.index, cluster, surroundings);
};

async function launchWorker(
  jobName: string,
  taskIndex: number,
  cluster: ClusterSpec,
  { env, say, signal }: Surroundings,
): Promise<void> {
  say(`Starting server #${taskIndex} of job ${jobName}`);
  const server = await Server.start({
    ...{ cluster, jobName, taskIndex, signal },
    engine: env.ENGINE === "portable" || env.ENGINE === "tensorflow" ? env.ENGINE : undefined,
    // Collective operations ask this task who takes part in them.
    config: { experimental: { collectiveGroupLeader: "/job:worker/replica:0/task:0" } },
    onLog: ({ text }) => {
      if (/portion is|Error/.test(text)) say(text);
    },
  });
  say(`target ${server.target}`);
  await server.join();
}

await runIfStarted(import.meta.url, main);
