/** Clusters of the training benchmark: a parameter server and workers, each a process of its own, and what trains on them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { START_FLAGS } from "../../worker-runtime/engines/portable/v8-flags.js";
import { repositoryRoot, tensorflowPython } from "../support/find-peers.js";
import { environmentWithoutProxies, freePort, type PeerProcess, spawnPeer } from "../support/processes.js";
import { LineClient } from "./line-client.js";
import { cliMain, noCuda, onCpu } from "./portable-clusters.js";
import { benchFolder } from "./python-client.js";

/** The kind of training, and its servers. */
export type SideName = "stock" | "script" | "program";

/** The servers and the client of each side. */
export const sides: Readonly<
  Record<SideName, { readonly servers: "stock" | "portable"; readonly client: "py" | "ts" }>
> = {
  stock: { servers: "stock", client: "py" },
  script: { servers: "portable", client: "py" },
  program: { servers: "portable", client: "ts" },
};

const stockTask = join(repositoryRoot, "worker-runtime", "examples", "generic-worker.py");
/** Importing TensorFlow takes seconds, and several at once many of them. */
const START_MILLIS = 180_000;
/** The time of one request; the first also makes the graphs and warms up. */
const REQUEST_MILLIS = 90_000;

/** The tasks of a cluster, some of which may be killed, and its client. */
export class TrainingCluster {
  readonly side: SideName;
  readonly #addresses: Readonly<Record<string, readonly string[]>>;
  readonly #folder: string;
  readonly #tasks = new Map<string, PeerProcess>();
  #client: LineClient | undefined;

  private constructor(side: SideName, addresses: Record<string, readonly string[]>, folder: string) {
    this.side = side;
    this.#addresses = addresses;
    this.#folder = folder;
  }

  /** @param folder that its servers may write to */
  static async start(side: SideName, workers: number, folder: string): Promise<TrainingCluster> {
    const [ps = 0, ...others] = await Promise.all(Array.from({ length: workers + 1 }, freePort));
    const address = (port: number) => `127.0.0.1:${port}`;
    const own = join(folder, side);
    mkdirSync(own, { recursive: true });
    const cluster = new TrainingCluster(side, { ps: [address(ps)], worker: others.map(address) }, own);
    writeFileSync(cluster.#file, JSON.stringify(cluster.#addresses));
    const starts = await Promise.allSettled(
      ["ps/0", ...others.map((_, index) => `worker/${index}`)].map((task) => cluster.startTask(task)),
    );
    const failed = starts.find((start) => start.status === "rejected");
    if (failed === undefined) return cluster;
    await cluster.stop();
    throw failed.reason;
  }

  get folder(): string {
    return this.#folder;
  }

  /** Process IDs of the tasks by their names, "worker/0". */
  get processIds(): ReadonlyMap<string, number> {
    return new Map([...this.#tasks].map(([task, { pid }]) => [task, pid]));
  }

  /** Whether its client has ended, for example because it did not answer in time. */
  get isBroken(): boolean {
    return this.#client?.hasExited === true;
  }

  /** @throws Error with the client's message if it failed */
  async ask(request: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
    this.#client ??= this.#startClient();
    const answer = await this.#client.ask(request, REQUEST_MILLIS);
    if (answer.error !== undefined) throw new Error(`${this.side}: ${String(answer.error)}`);
    return answer;
  }

  /** Starts a task, "worker/0", again after it was killed. */
  async startTask(task: string): Promise<void> {
    const [job = "", index = ""] = task.split("/");
    const started =
      sides[this.side].servers === "portable"
        ? spawnPeer(
            process.execPath,
            [
              ...[...START_FLAGS, cliMain, "worker", "--engine=portable", onCpu],
              ...[`--cluster=${this.#file}`, `--files=${this.#folder}`],
              ...[`--job_name=${job}`, `--task_index=${index}`],
            ],
            { ready: /target grpc/, readyTimeoutMillis: START_MILLIS },
          )
        : spawnPeer(tensorflowPython(), [stockTask], {
            env: {
              ...environmentWithoutProxies(),
              ...{ TF_CPP_MIN_LOG_LEVEL: "3", ...noCuda },
              TF_CONFIG: JSON.stringify({
                cluster: this.#addresses,
                task: { type: job, index: Number(index) },
              }),
            },
            ...{ ready: /target grpc/, readyTimeoutMillis: START_MILLIS },
          });
    this.#tasks.set(task, await started);
  }

  /** Kills a task, by its process ID, and resolves when it is gone. */
  async kill(task: string): Promise<void> {
    await this.#tasks.get(task)?.stop("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#client?.stop();
    await Promise.all([...this.#tasks.values()].map((task) => task.stop("SIGKILL")));
  }

  get #file(): string {
    return join(this.#folder, "cluster.json");
  }

  #startClient(): LineClient {
    const cluster = JSON.stringify(this.#addresses);
    return sides[this.side].client === "py"
      ? new LineClient(tensorflowPython(), [join(benchFolder, "training_client.py"), cluster])
      : new LineClient(process.execPath, [
          "--import",
          "tsx",
          join(benchFolder, "training-client.ts"),
          cluster,
        ]);
  }
}
