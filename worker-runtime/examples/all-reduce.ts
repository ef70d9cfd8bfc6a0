/**
 * `all-reduce.ts clusterspec.json`: three workers add up vectors, each ending with the sum, in a ring, through a parameter
 * server, and by TensorFlow's collective operation; and how many bytes each task received, from the traces. The collective
 * operation, which also goes in a ring, leaves no trace of its transfers.
 */
import { collectiveSumGraph, ringGraph, serverSumGraph } from "../graph/examples/all-reduce.js";
import {
  type RunMetadata,
  readStepStats,
  Session,
  taskOfDevice,
  taskText,
  unoptimizedConfig,
} from "../index.js";
import { graphOf, type Program, readCluster, runIfStarted, targetOf } from "./program.js";

/** Stock servers do not record transfers that end before the request to record them has come: some step has all. */
const TRACED_STEPS = 10;

export const main: Program = async ([file], { say }) => {
  const cluster = readCluster(file);
  const ways = {
    ring: ringGraph,
    "parameter server": serverSumGraph,
    "collective operation": collectiveSumGraph,
  };
  for (const [name, build] of Object.entries(ways)) {
    const config = {
      ...unoptimizedConfig(),
      experimental: { collectiveGroupLeader: "/job:worker/replica:0/task:0" },
    };
    const session = new Session(targetOf(cluster), { graph: graphOf(build()), config });
    const targets = [0, 1, 2].map((worker) => `sum_${worker}`);
    const { values } = await session.run(targets.map((node) => `${node}:0`));
    // A step that fetches nothing moves no more than the sum needs.
    const traces: RunMetadata[] = [];
    for (let step = 0; step < TRACED_STEPS; step += 1) {
      const { metadata } = await session.run([], { targets, options: { trace: true } });
      if (metadata !== undefined) traces.push(metadata);
    }
    for (const [worker, value] of values.entries()) {
      say(
        `${name}, worker ${worker}: ${[0, 1, 2, 3].map((at) => value.at(at))},...,${value.at(value.size - 1)}`,
      );
    }
    for (const line of linesOf(traces.map(bytesReceived))) say(`${name}, ${line}`);
    await session.close();
  }
};

/** The bytes that each task received in a step. */
function bytesReceived(metadata: RunMetadata): ReadonlyMap<string, number> {
  const transfers = metadata.stepStats === undefined ? [] : readStepStats(metadata.stepStats).transfers;
  const bytes = new Map<string, number>();
  for (const { fromDevice, toDevice, bytes: more = 0 } of transfers) {
    const [from, to] = [taskOfDevice(fromDevice), taskOfDevice(toDevice)];
    if (from === undefined || to === undefined || more < 1) continue;
    const task = taskText(to);
    bytes.set(task, (bytes.get(task) ?? 0) + more);
  }
  return bytes;
}

function linesOf(steps: readonly ReadonlyMap<string, number>[]): readonly string[] {
  const tasks = [...new Set(steps.flatMap((bytes) => [...bytes.keys()]))].sort();
  return tasks.map(
    (task) => `${task} received ${Math.max(...steps.map((bytes) => bytes.get(task) ?? 0))} bytes`,
  );
}

await runIfStarted(import.meta.url, main);
