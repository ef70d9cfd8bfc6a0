/**
 * Between-graph replication: one program for the ps and for both workers of a cluster, each told its task.
 *
 *     between-graph.ts --ps_hosts=a:2222,b:2222 --worker_hosts=c:2222,d:2222 --job_name=worker --task_index=0 [--sync]
 *
 * Servers of job ps run until they are stopped. Workers train the shared variables, each for itself or, with --sync, all
 * in step; worker 0 initializes them.
 */
import { parseArgs } from "node:util";
import { FIRST_SERVER } from "../graph/examples/document.js";
import { workerModel } from "../graph/examples/parameter-servers.js";
import {
  clusterFromFlags,
  type Graph,
  MonitoredTrainingSession,
  type Operation,
  type Output,
  ops,
  Server,
  Session,
  SyncReplicasHook,
  taskText,
} from "../index.js";
import { type Program, runIfStarted } from "./program.js";

const STEPS = 150;

export const main: Program = async (args, { env, say, signal }) => {
  const text = { type: "string" } as const;
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      ...{ ps_hosts: text, worker_hosts: text, job_name: text, task_index: text },
      sync: { type: "boolean", default: false },
    },
  });
  const cluster = clusterFromFlags({ psHosts: flags.ps_hosts, workerHosts: flags.worker_hosts });
  const { job_name: jobName = "worker" } = flags;
  const index = Number(flags.task_index ?? "0");
  const engine = env.ENGINE === "portable" || env.ENGINE === "tensorflow" ? env.ENGINE : undefined;
  const server = await Server.start({ cluster, jobName, taskIndex: index, engine, signal });
  say(`${jobName} ${index} serves`);
  if (jobName === "ps") return server.join();

  const { graph, train, loss, weights, bias, globalStep, synchronous } = workerModel(index, flags.sync);
  const meeting = meetingOf(graph, cluster.numTasks("worker"), index);
  const isChief = index === 0;
  // A worker needs the parameter servers, not the other workers.
  const config = { deviceFilters: ["/job:ps", taskText({ job: "worker", index })] };
  if (!isChief) {
    const waiting = new Session(server.target, { graph, config });
    await waiting.run([meeting.hear]);
    await waiting.close();
  }
  const session = await MonitoredTrainingSession.create({
    ...{ graph, master: server.target, isChief, signal, session: { config } },
    hooks: synchronous ? [new SyncReplicasHook(synchronous, { isChief, numTokens: 0 })] : [],
  });
  if (isChief) await session.run([], { targets: [meeting.call] });
  const together = async () => {
    await session.run([], { targets: [meeting.call] });
    await session.run([meeting.hear]);
  };
  for (let step = 0; step < STEPS; step += 1) {
    await session.run([], { targets: [train] });
    // Else a worker could take both tokens of an update, and the other would wait for one that never comes.
    if (flags.sync) await together();
  }
  await together();
  const { values } = await session.run([globalStep.value, loss, weights.value, bias.value]);
  const [updates, error, w, b] = values;
  say(`${updates?.item()} updates: loss ${Number(error?.item()).toFixed(3)}`);
  say(
    `y = ${Number(w?.at(0)).toFixed(2)} a + ${Number(w?.at(1)).toFixed(2)} b + ${Number(b?.at(0)).toFixed(2)}`,
  );
  // None leaves while another reads.
  await together();
  await session.close();
  await server.stop();
};

/** Lets workers wait for each other: each calls the others, and hears one call of each. */
function meetingOf(graph: Graph, workers: number, own: number): { call: Operation; hear: Output } {
  return graph.withDevice(FIRST_SERVER, () => {
    const calls = Array.from({ length: workers }, (_, index) =>
      ops.fifoQueue(graph, 2 * workers, ["bool"], { sharedName: `calls_of_${index}`, shapes: [[]] }),
    );
    const others = calls.filter((_, index) => index !== own);
    const hearing = calls[own];
    if (hearing === undefined) throw new Error(`The cluster has no worker ${own}.`);
    return {
      call: ops.group(
        graph,
        others.map((queue) => ops.enqueue(queue, [true])),
      ),
      hear: ops.dequeueMany(hearing, others.length)[0] as Output,
    };
  });
}

await runIfStarted(import.meta.url, main);
