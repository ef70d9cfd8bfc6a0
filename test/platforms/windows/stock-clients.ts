/** A stock TensorFlow client on Linux uses a worker on Windows, alone and in one cluster with a task on Linux. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot, tensorflowPython } from "../../support/find-peers.js";
import { environmentWithoutProxies, freePort, type PeerProcess, spawnPeer } from "../../support/processes.js";
import type { Check } from "../check.js";
import type { WineMachine } from "./wine-machine.js";

export const TARGET = /^target (grpc:\/\/\S+)$/m;
const PROGRAM = join(repositoryRoot, "build/bin/tensordeck.mjs");
const SCRIPTS = join(import.meta.dirname, "..", "linux");

export function stockClients(machine: WineMachine): readonly Check[] {
  return [
    {
      name: "a stock client uses a portable worker: devices, values, variables, training and an error",
      run: () => useWorker(machine, "portable"),
    },
    {
      name: "a portable worker and one on Linux are one cluster, with transfers both ways",
      run: () =>
        withCluster(machine, (file) => startHere(process.execPath, [PROGRAM, ...workerArguments(file, 1)])),
    },
    {
      name: "a portable worker and a stock server on Linux are one cluster, with transfers both ways",
      run: () =>
        withCluster(machine, (file) => {
          const script = join(repositoryRoot, "test/interop/scripts/s1_serve.py");
          return startHere(tensorflowPython(), [script, file, "1"]);
        }),
    },
  ];
}

/** Everything that `stock_client.py` asks of a worker. */
export async function useWorker(
  machine: WineMachine,
  engine: "portable" | "tensorflow",
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const port = String(await freePort());
  const worker = await machine.tensordeck(["worker", "--engine", engine, "--port", port], {
    ready: TARGET,
    env,
  });
  try {
    await runScript("stock_client.py", worker.match?.[1] ?? "", worker);
  } finally {
    await worker.stop();
  }
}

const workerArguments = (file: string, task: number): readonly string[] => [
  "worker",
  "--engine=portable",
  `--cluster=${file}`,
  "--job_name=worker",
  `--task_index=${task}`,
];

/** Task 0 is on Windows, task 1 on this machine; each is the master once. */
async function withCluster(
  machine: WineMachine,
  startOther: (file: string) => Promise<PeerProcess>,
): Promise<void> {
  const hosts = [`localhost:${await freePort()}`, `localhost:${await freePort()}`];
  const file = "/tmp/clusterspec.json";
  writeFileSync(machine.file(file), JSON.stringify({ worker: hosts }));
  const tasks = await Promise.allSettled([
    machine.tensordeck(workerArguments(machine.windowsPath(file), 0), { ready: TARGET }),
    startOther(machine.file(file)),
  ]);
  try {
    for (const task of tasks) if (task.status === "rejected") throw task.reason;
    for (const host of hosts) await runScript("stock_transfers.py", `grpc://${host}`);
  } finally {
    await Promise.all(tasks.map((task) => (task.status === "fulfilled" ? task.value.stop() : undefined)));
  }
}

const startHere = (program: string, args: readonly string[]): Promise<PeerProcess> =>
  spawnPeer(program, args, { ready: TARGET, env: environmentWithoutProxies() });

/** @throws Error with the output of the script, and of the worker, if it fails. */
export async function runScript(name: string, target: string, worker?: PeerProcess): Promise<void> {
  const client = await spawnPeer(tensorflowPython(), [join(SCRIPTS, name), target], {
    env: { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "2" },
  });
  const { code } = await client.exited;
  if (code !== 0) {
    throw new Error(`${name} ended with ${code}:\n${client.output()}\n${worker?.output() ?? ""}`);
  }
}
