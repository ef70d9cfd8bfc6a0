/** Runs a submitted script on its machines, from the choice of ports to the files that come back. */
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { join } from "node:path";
import { shortTaskText, type TaskName } from "../../worker-runtime/cluster/device-name.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Identity } from "../peers/identity/identity.js";
import type { TrustedMachine } from "../peers/trust/trusted-machine.js";
import { type FolderFiles, listFolder } from "../scripts/files/script-files.js";
import { type JobResult, ScriptJob, type ScriptJobEvents } from "../scripts/script-job.js";
import { clusterOf } from "../scripts/task-environment.js";
import { messageOf } from "../shared/problems.js";
import { join as joinSockets, reset } from "../shared/sockets/relay.js";
import type { Ports } from "../tasks/ports.js";
import type { Collected, JobMachine, MachineEvents, MachineName, Prepared } from "./job-machine.js";
import type { JobSettings, PlannedTask } from "./job-settings.js";
import { LocalMachine } from "./local-machine.js";
import { type PlacedTask, portPlan, reservePorts } from "./placement.js";
import { RemoteMachine } from "./remote-machine.js";

export interface JobEvents extends ScriptJobEvents, MachineEvents {
  /** The files that go to each of the named machines. */
  readonly onFiles: (files: FolderFiles, machines: readonly string[]) => void;
  /** The tasks can start there. */
  readonly onReady: (machine: MachineName) => void;
  /** The tasks were started. */
  readonly onJob: (job: ScriptJob) => void;
  readonly onCollected: (machine: MachineName, collected: Collected) => void;
}

/** The parts of the submitting installation that a job needs. */
export interface Submitter {
  /** Asked for only if other machines take part. */
  readonly identity: () => Promise<Identity>;
  /** Folder of all environments that Tensordeck makes. */
  readonly environments: string;
  readonly ports: Pick<Ports, "takeExactly" | "release">;
}

export interface Submission {
  readonly settings: JobSettings;
  readonly tasks: readonly PlannedTask[];
  readonly submitter: Submitter;
  readonly events: JobEvents;
  /** Aborted to give up before the tasks are started. */
  readonly signal: AbortSignal;
  /** Opens the one place where all tasks run, in place of machines. */
  readonly openPlace?: OpenPlace | undefined;
}

/** Opens a place outside of the LAN for a job. @throws ProblemError */
export type OpenPlace = (job: PlacedJob) => Promise<JobMachine>;

export interface PlacedJob {
  readonly settings: JobSettings;
  /** Folder for what comes back. */
  readonly outputs: string;
  readonly events: MachineEvents;
  readonly signal: AbortSignal;
}

/** @throws ProblemError if the job could not be started; the signal's reason. */
export async function submitJob(submission: Submission): Promise<JobResult> {
  const { settings, tasks, events, signal } = submission;
  const isolate = tasks.length > 1 && !settings.network;
  let placed: readonly PlacedTask[] = [];
  const connect = async (port: number): Promise<Socket> => {
    const task = placed.find((known) => known.port === port);
    if (!task) throw new Error(`No task has port ${port}.`);
    return await task.machine.connect(port);
  };
  const machineOf = await openMachines(submission, connect);
  const machines = [...new Set(machineOf.values())];
  try {
    const unported = tasks.flatMap(({ job, index, machine, device }) => {
      const opened = machineOf.get(machine?.deviceId);
      return opened ? [{ job, index, device, machine: opened }] : [];
    });
    placed = await reservePorts(unported, isolate);
    const files = await filesFor(machines, submission);
    const cluster = placed.length > 1 ? clusterOf(placed) : {};
    const prepared = new Map<JobMachine, Prepared>();
    await Promise.all(
      machines.map(async (machine) => {
        const own = placed.filter((task) => task.machine === machine);
        const plan = portPlan(placed, machine, isolate);
        prepared.set(machine, await machine.prepare({ ...plan, tasks: own, cluster, files }));
        events.onReady(machine);
      }),
    );
    signal.throwIfAborted();
    if (placed.length > 1) tellOpenPorts(placed, prepared, events);
    const placeOf = (task: TaskName): JobMachine => {
      const found = placed.find((known) => shortTaskText(known) === shortTaskText(task));
      if (!found) throw new Error(`${shortTaskText(task)} is no task of the job.`);
      return found.machine;
    };
    const job = new ScriptJob({
      tasks: placed.map(({ job: name, index }) => ({ job: name, index })),
      restarts: settings.restarts,
      start: (task, onLine) => placeOf(task).start(task, onLine),
      requirements: [...prepared.values()].find(({ requirements }) => requirements !== undefined)
        ?.requirements,
      isIsolated: (task) => prepared.get(placeOf(task))?.isIsolated === true,
      machineOf: (task) => {
        const { id, name } = placeOf(task);
        return id === undefined ? undefined : name;
      },
      onLine: (task, line, stream) => events.onLine(task, line, stream),
      onTask: (task, exit, isOwn) => events.onTask?.(task, exit, isOwn),
      onNotice: (text) => events.onNotice(text),
    });
    events.onJob(job);
    const result = await job.finished;
    for (const machine of machines) await bringBack(machine, events);
    return result;
  } finally {
    await Promise.allSettled(machines.map((machine) => machine.close()));
  }
}

/** The machines of all tasks by device ID, undefined for this one. Opens all of them, or none. */
async function openMachines(
  { settings, tasks, submitter, events, signal, openPlace }: Submission,
  connect: (port: number) => Promise<Socket>,
): Promise<Map<string | undefined, JobMachine>> {
  const wanted = new Map(tasks.map(({ machine }) => [machine?.deviceId, machine]));
  const jobId = randomBytes(16).toString("hex");
  const outputs = join(settings.folder, "runs", startText(new Date()));
  if (openPlace) return new Map([[undefined, await openPlace({ settings, outputs, events, signal })]]);
  const carry = (port: number, client: Socket) => {
    client.on("error", () => undefined);
    inBackground(
      connect(port).then(
        (socket) => joinSockets(client, socket),
        () => reset(client),
      ),
    );
  };
  const open = async (machine: TrustedMachine | undefined): Promise<JobMachine> => {
    const { environments, ports } = submitter;
    if (!machine) return new LocalMachine({ settings, environments, ports, carry, events, signal });
    const identity = await submitter.identity();
    // The end of a started job is an orderly one: its tasks are asked to end, and their files come back.
    return await RemoteMachine.open({ identity, machine, settings, jobId, outputs, connect, events, signal });
  };
  const opened = await Promise.allSettled(
    [...wanted].map(async ([id, machine]) => [id, await open(machine)] as const),
  );
  const machines = new Map(opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
  const failed = opened.find((result) => result.status === "rejected");
  if (!failed) return machines;
  await Promise.allSettled([...machines.values()].map((machine) => machine.close()));
  throw failed.reason;
}

/** "2026-01-31-140213" */
function startText(at: Date): string {
  return at.toISOString().replace(/\..*$/, "").replace("T", "-").replaceAll(":", "");
}

/** The files to send; the user sees what they are first. */
async function filesFor(
  machines: readonly JobMachine[],
  { settings: { folder, maxBytes }, events, signal }: Submission,
): Promise<FolderFiles | undefined> {
  const others = machines.flatMap(({ id, name }) => (id === undefined ? [] : [name]));
  if (others.length === 0) return undefined;
  const listed = await listFolder(folder, maxBytes, signal);
  events.onFiles(listed, others);
  return listed;
}

function tellOpenPorts(
  placed: readonly PlacedTask[],
  prepared: ReadonlyMap<JobMachine, Prepared>,
  events: JobEvents,
): void {
  for (const [machine, { isIsolated, obstacle = "" }] of prepared) {
    const ports = placed.flatMap((task) => (task.machine === machine && task.port !== 0 ? [task.port] : []));
    if (isIsolated || ports.length === 0) continue;
    events.onNotice(
      `${machine.name}: the network reaches this script's TensorFlow servers (ports ${ports.join(", ")}). ${obstacle}`,
    );
  }
}

/** Failing to bring files back does not change how the job ended. */
async function bringBack(machine: JobMachine, events: JobEvents): Promise<void> {
  try {
    const collected = await machine.collect();
    if (collected) events.onCollected(machine, collected);
  } catch (error) {
    events.onNotice(`${machine.name}: what the tasks made could not be brought back: ${messageOf(error)}`);
  }
}
