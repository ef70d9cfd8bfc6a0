/** A stock TensorFlow client of this machine uses an emulated worker, alone and in one cluster with a task of this machine. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot, tensorflowPython } from "../../support/find-peers.js";
import { environmentWithoutProxies, freePort, type PeerProcess, spawnPeer } from "../../support/processes.js";
import { type EmulatedMachine, HANGING_MILLIS, toItsEnd } from "./emulated-machine.js";
import type { LinuxCheck } from "./forms.js";

/** Of tensors at a time: what a machine with 512 MB would give. */
const RESIDENT_MIB = 256;
const TARGET = /^target (grpc:\/\/\S+)$/m;
const PROGRAM = join(repositoryRoot, "build/bin/tensordeck.mjs");

/** The checks with the portable engine. */
export function stockClients(machine: EmulatedMachine): readonly LinuxCheck[] {
  return [
    {
      name: "a stock client uses a portable worker: devices, matrices, variables, 20 training steps, an error",
      form: "short",
      run: () => useWorker(machine, "portable"),
    },
    {
      name: "a step that needs more memory than a worker may have is RESOURCE_EXHAUSTED, and the worker goes on",
      form: "full",
      run: () => useUp(machine),
    },
    {
      name: "a portable worker and one on x86-64 are one cluster, with transfers both ways",
      form: "full",
      run: () =>
        withCluster(machine, (file) => spawnHere(process.execPath, [PROGRAM, ...workerArguments(file, 1)])),
    },
    {
      name: "a portable worker and a stock server on x86-64 are one cluster, with transfers both ways",
      form: "full",
      run: () =>
        withCluster(machine, (file) => {
          const script = join(repositoryRoot, "test/interop/scripts/s1_serve.py");
          return spawnHere(tensorflowPython(), [script, file, "1"]);
        }),
    },
  ];
}

/** Everything that `stock_client.py` asks of a worker. */
export async function useWorker(
  machine: EmulatedMachine,
  engine: "portable" | "tensorflow",
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const worker = await machine.tensordeck(
    ["worker", "--engine", engine, "--port", String(await freePort())],
    {
      ready: TARGET,
      env,
    },
  );
  try {
    await runScript("stock_client.py", [worker.match?.[1] ?? ""], worker);
  } finally {
    await worker.stop();
  }
}

async function useUp(machine: EmulatedMachine): Promise<void> {
  const options = ["--engine=portable", `--max_resident_mb=${RESIDENT_MIB}`, `--port=${await freePort()}`];
  const worker = await machine.tensordeck(["worker", ...options], { ready: TARGET });
  try {
    await runScript("stock_exhausted.py", [worker.match?.[1] ?? "", String(2 * RESIDENT_MIB)], worker);
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

/** Task 0 is emulated, task 1 is of this machine; each is the master once. */
async function withCluster(
  machine: EmulatedMachine,
  startHere: (file: string) => Promise<PeerProcess>,
): Promise<void> {
  const hosts = [`localhost:${await freePort()}`, `localhost:${await freePort()}`];
  const file = "/work/clusterspec.json";
  writeFileSync(machine.file(file), JSON.stringify({ worker: hosts }));
  const tasks = await Promise.allSettled([
    machine.tensordeck(workerArguments(file, 0), { ready: TARGET }),
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

/** @throws Error with the output of the script, and of the worker, if it fails. */
async function runScript(name: string, args: readonly string[], worker?: PeerProcess): Promise<void> {
  const script = join(import.meta.dirname, name);
  const client = await spawnPeer(tensorflowPython(), [script, ...args], {
    env: { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "2" },
  });
  const { code, output } = await toItsEnd(client);
  if (code !== 0) throw new Error(`${name} ended with ${code}:\n${output}\n${worker?.output() ?? ""}`);
}
