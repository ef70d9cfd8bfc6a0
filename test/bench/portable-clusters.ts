/** A cluster of one parameter server and several workers, each a process of its own, and the client that measures it. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { repositoryRoot, tensorflowPython } from "../support/find-peers.js";
import { environmentWithoutProxies, freePort, spawnPeer } from "../support/processes.js";
import { benchFolder } from "./python-client.js";

export const cliMain = join(repositoryRoot, "build", "out", "worker-runtime", "cli", "main.js");
const stockServer = join(repositoryRoot, "test", "interop", "peers", "stock_server.py");
/** Importing TensorFlow takes seconds, and several at once many of them. */
const START_MILLIS = 180_000;
const WORKERS = 8;

/** What the client can measure: the functions of portable_client.py. */
export type PortableMeasure =
  | "one_task"
  | "two_tasks"
  | "fan_in"
  | "transfer"
  | "mlp"
  | "mat_mul"
  | "first_run"
  | "cached_run";

export interface MeasuredCluster {
  /** One number for each repetition. */
  measure(what: PortableMeasure): Promise<number[]>;
  stop(): Promise<void>;
}

/** @param folder for the cluster's file */
export async function startMeasuredCluster(
  engine: "portable" | "stock",
  folder: string,
): Promise<MeasuredCluster> {
  const ports = await Promise.all(Array.from({ length: WORKERS + 1 }, freePort));
  const [ps = "", ...worker] = ports.map((port) => `127.0.0.1:${port}`);
  const cluster = { ps: [ps], worker };
  const file = join(folder, `${engine}.json`);
  writeFileSync(file, JSON.stringify(cluster));
  const tasks = [["ps", 0] as const, ...worker.map((_, index) => ["worker", index] as const)];
  const servers = await Promise.all(
    tasks.map(([job, index]) =>
      engine === "portable"
        ? spawnPeer(
            process.execPath,
            [
              cliMain,
              "worker",
              "--engine=portable",
              `--cluster=${file}`,
              `--job_name=${job}`,
              `--task_index=${index}`,
            ],
            { ready: /target grpc/ },
          )
        : spawnPeer(tensorflowPython(), [stockServer, JSON.stringify(cluster), `${job}/${index}`], {
            ready: /all ready/,
            readyTimeoutMillis: START_MILLIS,
          }),
    ),
  );
  const client = startClient(JSON.stringify(cluster));
  return {
    measure: client.measure,
    async stop() {
      await client.stop();
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

function startClient(cluster: string) {
  const child = spawn(tensorflowPython(), [join(benchFolder, "portable_client.py"), cluster], {
    env: environmentWithoutProxies(),
    stdio: ["pipe", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-4_000);
  });
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async measure(what: PortableMeasure): Promise<number[]> {
      child.stdin.write(`${JSON.stringify({ measure: what })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`The client ended while it measured ${what}:\n${errors}`);
      return (JSON.parse(value) as { values: number[] }).values;
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
