import { join } from "node:path";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { repositoryRoot, tensorflowPython } from "../support/find-peers.js";
import { LineClient } from "./line-client.js";

/** Folder of the benchmarks. */
export const benchFolder = join(repositoryRoot, "test", "bench");

const DEADLINE_MILLIS = 120_000;

/** Steps that can be timed: x = a + b of two fed scalars; a large tensor fed; a large variable fetched. */
export type TimedStep = "step" | "feed" | "fetch";

/** Python's client in a process of its own, in a session that stays open. */
export interface PythonClient {
  /** The graph that it runs, for our client to run, too. */
  readonly graph: GraphDef;
  /** Runs a step `count` times and gives the duration of each, in milliseconds. */
  time(step: TimedStep, count: number): Promise<number[]>;
  stop(): Promise<void>;
}

/** @param bytes size of the large tensors */
export async function startPythonClient(target: string, bytes: number): Promise<PythonClient> {
  const client = new LineClient(tensorflowPython(), [
    join(benchFolder, "python_client.py"),
    target,
    String(bytes),
  ]);
  try {
    const { graph } = await client.next(DEADLINE_MILLIS);
    return {
      graph: GraphDef.decode(Buffer.from(String(graph), "base64")),
      time: async (op, count) => (await client.ask({ op, count }, DEADLINE_MILLIS)).millis as number[],
      stop: () => client.stop(),
    };
  } catch (error) {
    await client.stop();
    throw error;
  }
}
