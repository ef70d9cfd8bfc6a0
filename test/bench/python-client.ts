import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { repositoryRoot, tensorflowPython } from "../support/find-peers.js";
import { environmentWithoutProxies } from "../support/processes.js";

/** Folder of the benchmarks. */
export const benchFolder = join(repositoryRoot, "test", "bench");

/** What can be timed: x = a + b of two fed scalars; a large tensor fed; a large variable fetched. */
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
  const child = spawn(tensorflowPython(), [join(benchFolder, "python_client.py"), target, String(bytes)], {
    env: environmentWithoutProxies(),
    stdio: ["pipe", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-4_000);
  });
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<Record<string, unknown>> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`Python's client ended:\n${errors}`);
    return JSON.parse(value) as Record<string, unknown>;
  };
  const { graph } = await answer();
  return {
    graph: GraphDef.decode(Buffer.from(String(graph), "base64")),
    time: async (op, count) => {
      child.stdin.write(`${JSON.stringify({ op, count })}\n`);
      return (await answer()).millis as number[];
    },
    stop: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
