/** Runs a submitted script on its machines, from the choice of ports to the files that come back. */
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { join } from "node:path";
import { shortTaskText, type TaskName } from "../../../worker-runtime/cluster/device-name.js";
import { inBackground } from "../../../worker-runtime/faults.js";
import { loadIdentity } from "../../peers/identity/identity.js";
import { type FolderFiles, listFolder } from "../../scripts/files/script-files.js";
import { type JobResult, ScriptJob } from "../../scripts/script-job.js";
import { clusterOf } from "../../scripts/task-environment.js";
import { messageOf } from "../../shared/problems.js";
import { join as joinSockets, reset } from "../../shared/sockets/relay.js";
import { findMachines } from "./find-machines.js";
import type { JobMachine, Prepared } from "./job-machine.js";
import { LocalMachine } from "./local-machine.js";
import type { SubmitOptions } from "./options.js";
import { dealOut, type PlacedTask, portPlan, reservePorts } from "./placement.js";
import { RemoteMachine } from "./remote-machine.js";
import type { Terminal } from "./terminal.js";

/**
 * @param onJob Called once the tasks are started.
 * @param signal Aborted to give up before that.
 * @throws ProblemError if the job could not be started; the signal's reason.
 */
export async function submitJob(
  options: SubmitOptions,
  terminal: Terminal,
  signal: AbortSignal,
  onJob: (job: ScriptJob) => void,
): Promise<JobResult> {
  const isolate = options.tasks.length > 1 && !options.network;
  let placed: readonly PlacedTask[] = [];
  const connect = async (port: number): Promise<Socket> => {
    const task = placed.find((known) => known.port === port);
    if (!task) throw new Error(`No task has port ${port}.`);
    return await task.machine.connect(port);
  };
  const machines = await openMachines(options, terminal, signal, connect);
  try {
    placed = await reservePorts(dealOut(options.tasks, machines), isolate);
    const files = await filesFor(machines, options, terminal, signal);
    const cluster = placed.length > 1 ? clusterOf(placed) : {};
    const used = machines.filter((machine) => placed.some((task) => task.machine === machine));
    const prepared = new Map<JobMachine, Prepared>();
    await Promise.all(
      used.map(async (machine) => {
        const tasks = placed.filter((task) => task.machine === machine);
        const plan = portPlan(placed, machine, isolate);
        prepared.set(machine, await machine.prepare({ ...plan, tasks, cluster, files }));
      }),
    );
    signal.throwIfAborted();
    if (placed.length > 1) tellOpenPorts(placed, prepared, terminal);
    const machineOf = (task: TaskName) => {
      const found = placed.find((known) => shortTaskText(known) === shortTaskText(task));
      if (!found) throw new Error(`${shortTaskText(task)} is no task of the job.`);
      return found.machine;
    };
    const job = new ScriptJob({
      tasks: placed.map(({ job: name, index }) => ({ job: name, index })),
      restarts: options.restarts,
      start: (task, onLine) => machineOf(task).start(task, onLine),
      requirements: [...prepared.values()].find(({ requirements }) => requirements !== undefined)
        ?.requirements,
      isIsolated: (task) => prepared.get(machineOf(task))?.isIsolated === true,
      onLine: (task, line, stream) => terminal.line(task, line, stream),
      onNotice: (text) => terminal.notice(text),
    });
    onJob(job);
    const result = await job.finished;
    for (const machine of used) await bringBack(machine, terminal);
    return result;
  } finally {
    await Promise.allSettled(machines.map((machine) => machine.close()));
  }
}

/** Opens all machines, or none. */
async function openMachines(
  options: SubmitOptions,
  terminal: Terminal,
  signal: AbortSignal,
  connect: (port: number) => Promise<Socket>,
): Promise<JobMachine[]> {
  const found = await findMachines(options.machines, options.dataDir);
  const jobId = randomBytes(16).toString("hex");
  const outputs = join(options.folder, "runs", startText(new Date()));
  const onProgress = (text: string) => terminal.notice(text);
  const carry = (port: number, client: Socket) => {
    client.on("error", () => undefined);
    inBackground(
      connect(port).then(
        (socket) => joinSockets(client, socket),
        () => reset(client),
      ),
    );
  };
  const opened = await Promise.allSettled(
    found.map(async (machine): Promise<JobMachine> => {
      if (!machine) return new LocalMachine({ options, carry, onProgress, signal });
      const identity = await loadIdentity(options.dataDir);
      // The end of a started job is an orderly one: its tasks are asked to end, and their files come back.
      return await RemoteMachine.open({
        identity,
        machine,
        options,
        jobId,
        outputs,
        connect,
        onProgress,
        signal,
      });
    }),
  );
  const machines = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failed = opened.find((result) => result.status === "rejected");
  if (!failed) return machines;
  await Promise.allSettled(machines.map((machine) => machine.close()));
  throw failed.reason;
}

/** "2026-01-31-140213" */
function startText(at: Date): string {
  return at.toISOString().replace(/\..*$/, "").replace("T", "-").replaceAll(":", "");
}

/** The files to send; the user sees what they are first. */
async function filesFor(
  machines: readonly JobMachine[],
  { folder, maxBytes }: SubmitOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<FolderFiles | undefined> {
  const others = machines.flatMap((machine) => (machine instanceof RemoteMachine ? [machine.name] : []));
  if (others.length === 0) return undefined;
  const listed = await listFolder(folder, maxBytes, signal);
  const { files, totalBytes, leftOut } = listed;
  terminal.notice(`sending ${files.length} files, ${sizeText(totalBytes)}, to ${others.join(", ")}`);
  if (leftOut.length > 0) terminal.notice(`left out: ${shortList(leftOut)}`);
  return listed;
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 8).join(", ");
  return names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function tellOpenPorts(
  placed: readonly PlacedTask[],
  prepared: ReadonlyMap<JobMachine, Prepared>,
  terminal: Terminal,
): void {
  for (const [machine, { isIsolated, obstacle = "" }] of prepared) {
    const ports = placed.flatMap((task) => (task.machine === machine && task.port !== 0 ? [task.port] : []));
    if (isIsolated || ports.length === 0) continue;
    terminal.notice(
      `${machine.name}: the network reaches this script's TensorFlow servers (ports ${ports.join(", ")}). ${obstacle}`,
    );
  }
}

/** Failing to bring files back does not change how the job ended. */
async function bringBack(machine: JobMachine, terminal: Terminal): Promise<void> {
  try {
    const collected = await machine.collect();
    if (!collected) return;
    const { folder, files, bytes, leftOut } = collected;
    if (files > 0)
      terminal.notice(`${machine.name}: ${files} files, ${sizeText(bytes)}, came back to ${folder}`);
    if (leftOut.length > 0) terminal.notice(`${machine.name}: too large to come back: ${shortList(leftOut)}`);
  } catch (error) {
    terminal.notice(`${machine.name}: what the tasks made could not be brought back: ${messageOf(error)}`);
  }
}
