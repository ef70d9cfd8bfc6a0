/** A stock TensorFlow client of this machine uses a worker on another platform, alone and in one cluster with a task here. */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { repositoryRoot, tensorflowPython } from "../../support/find-peers.js";
import { environmentWithoutProxies, freePort, type PeerProcess, spawnPeer } from "../../support/processes.js";

/** The line by which a worker says that it accepts calls. */
export const TARGET = /^target (grpc:\/\/\S+)$/m;

const PROGRAM = join(repositoryRoot, "build/bin/tensordeck.mjs");
const SERVER = join(repositoryRoot, "test/interop/scripts/s1_serve.py");
/** An emulation takes many times as long; this only ends what hangs. */
const HANGING_MILLIS = 20 * 60_000;

interface WorkerOptions {
  readonly ready: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

/** A machine of another platform. */
export interface WorkerMachine {
  /** Starts `tensordeck` there. */
  tensordeck(args: readonly string[], options: WorkerOptions): Promise<PeerProcess>;
  /** The path here of a file there. */
  file(path: string): string;
  /** The path that its programs have for such a file; the same unless given. */
  windowsPath?(path: string): string;
}

type Engine = "portable" | "tensorflow";

/** Everything that `stock_client.py` asks of a worker. */
export async function useWorker(
  machine: WorkerMachine,
  engine: Engine,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const args = ["worker", "--engine", engine, "--port", String(await freePort())];
  const worker = await machine.tensordeck(args, { ready: TARGET, env });
  try {
    await runScript("stock_client.py", [worker.match?.[1] ?? ""], worker);
  } finally {
    await worker.stop();
  }
}

/** Asks a portable worker for more memory than it may have, in MiB, and then for what it can do. */
export async function useUp(machine: WorkerMachine, residentMib: number): Promise<void> {
  const options = ["--engine=portable", `--max_resident_mb=${residentMib}`, `--port=${await freePort()}`];
  const worker = await machine.tensordeck(["worker", ...options], { ready: TARGET });
  try {
    await runScript("stock_exhausted.py", [worker.match?.[1] ?? "", String(2 * residentMib)], worker);
  } finally {
    await worker.stop();
  }
}

/** How a worker there is started that is in one cluster with a task here. */
interface SharingOptions {
  /** "portable" unless given. */
  readonly engine?: Engine;
  readonly env?: Readonly<Record<string, string>>;
}

/** Transfers between a worker there and a portable one here. */
export function sharesWithPortable(machine: WorkerMachine, options?: SharingOptions): Promise<void> {
  const startHere = (file: string) =>
    spawnHere(process.execPath, [PROGRAM, ...workerArguments("portable", file, 1)]);
  return withCluster(machine, startHere, options);
}

/** Transfers between a worker there and a stock server here. */
export function sharesWithStock(machine: WorkerMachine, options?: SharingOptions): Promise<void> {
  return withCluster(machine, (file) => spawnHere(tensorflowPython(), [SERVER, file, "1"]), options);
}

const workerArguments = (engine: Engine, file: string, task: number): readonly string[] => [
  "worker",
  `--engine=${engine}`,
  `--cluster=${file}`,
  "--job_name=worker",
  `--task_index=${task}`,
];

/** Task 0 is there, task 1 here; each is the master once. */
async function withCluster(
  machine: WorkerMachine,
  startHere: (file: string) => Promise<PeerProcess>,
  { engine = "portable", env = {} }: SharingOptions = {},
): Promise<void> {
  const hosts = [`localhost:${await freePort()}`, `localhost:${await freePort()}`];
  const file = "/tmp/clusterspec.json";
  writeFileSync(machine.file(file), JSON.stringify({ worker: hosts }));
  const tasks = await Promise.allSettled([
    machine.tensordeck(workerArguments(engine, machine.windowsPath?.(file) ?? file, 0), {
      ready: TARGET,
      env,
    }),
    startHere(machine.file(file)),
  ]);
  try {
    for (const task of tasks) if (task.status === "rejected") throw task.reason;
    for (const host of hosts) await runScript("stock_transfers.py", [`grpc://${host}`]);
  } finally {
    await Promise.all(tasks.map((task) => (task.status === "fulfilled" ? task.value.stop() : undefined)));
  }
}

const spawnHere = (program: string, args: readonly string[]): Promise<PeerProcess> =>
  spawnPeer(program, args, { ready: TARGET, readyTimeoutMillis: HANGING_MILLIS });

/**
 * Runs a program of this folder, or another by its path, in a stock TensorFlow. Resolves with its output.
 *
 * @throws Error with the output of the program, and of the worker, if it fails or hangs.
 */
export async function runScript(
  name: string,
  args: readonly string[],
  worker?: PeerProcess,
): Promise<string> {
  const client = await spawnPeer(tensorflowPython(), [resolve(import.meta.dirname, name), ...args], {
    env: { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "2" },
  });
  const timer = setTimeout(() => void client.stop("SIGKILL"), HANGING_MILLIS);
  const { code, signal } = await client.exited;
  clearTimeout(timer);
  if (code === 0) return client.stdout();
  throw new Error(`${name} ended with ${code ?? signal}:\n${client.output()}\n${worker?.output() ?? ""}`);
}
