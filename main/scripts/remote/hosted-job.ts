/** A job of another machine on this one: its folder, its Python, its tasks and their connections. */
import type { Socket } from "node:net";
import { basename, join } from "node:path";
import type { ScriptMessage } from "../../../protos/generated/tensordeck/agent.js";
import { shortTaskText, type TaskName } from "../../../worker-runtime/cluster/device-name.js";
import { nvidiaGpus } from "../../../worker-runtime/engines/nvidia.js";
import { inBackground } from "../../../worker-runtime/faults.js";
import type { Problem } from "../../api/problem.js";
import { problem, problemOf } from "../../shared/problems.js";
import { join as joinSockets, reset } from "../../shared/sockets/relay.js";
import type { Ports } from "../../tasks/ports.js";
import { EventFolder, type FolderScalar } from "../curves/event-folder.js";
import { BlobStore } from "../files/blob-store.js";
import { checkFiles } from "../files/file-paths.js";
import { JobFolder, type Outputs } from "../files/job-folder.js";
import { JobNetwork } from "../job-network.js";
import { JobPorts } from "../job-ports.js";
import { environmentState } from "../python/environment-state.js";
import { scriptPython } from "../python/script-python.js";
import { type ScriptProcess, type ScriptSetup, startScript } from "../script-process.js";
import { assignGpus, type PortedTask } from "../task-environment.js";
import { measureLoads } from "../task-loads.js";
import type { JobOrder, MessageReader, ScriptReport, ScriptRequest } from "./script-protocol.js";
import { scalarReports, toMessage } from "./script-protocol.js";
import { sendFile } from "./send-file.js";

/** Lines that wait to be sent; of a script that prints faster than the network carries, some are dropped. */
const MOST_WAITING_LINES = 5_000;
/** Connections of tasks that wait to be taken over by the other machine. */
const MOST_DIALS = 256;
const DIAL_TIMEOUT_MILLIS = 10_000;
const NO_OUTPUTS: Outputs = { files: [], leftOut: [] };

export interface HostedJobOptions {
  /** Folder for the jobs, contents and environments of scripts. */
  readonly folder: string;
  /** Device ID of the machine whose job it is. */
  readonly caller: string;
  readonly ports: Pick<Ports, "takeExactly" | "release">;
  /** Whether the network may reach tasks that other machines start here. */
  readonly mayExpose: () => boolean;
  readonly send: (message: ScriptMessage) => Promise<void>;
  /** Aborted when the job has to end. */
  readonly signal: AbortSignal;
}

export class HostedJob {
  readonly #options: HostedJobOptions;
  readonly #store: BlobStore;
  readonly #ports: JobPorts;
  readonly #processes = new Map<string, ScriptProcess>();
  readonly #dials = new Map<number, Socket>();
  #order: JobOrder | undefined;
  #folder: JobFolder | undefined;
  #network: JobNetwork | undefined;
  #setup: ScriptSetup | undefined;
  #events: EventFolder | undefined;
  #loads: ReturnType<typeof measureLoads> | undefined;
  #gpus: ReadonlyMap<PortedTask, string | undefined> = new Map();
  #nextConnection = 0;
  #waitingLines = 0;
  #droppedLines = 0;

  constructor(options: HostedJobOptions) {
    this.#options = options;
    this.#ports = new JobPorts(options.ports);
    this.#store = new BlobStore(join(options.folder, "contents", options.caller));
  }

  /** Undefined until the job was described. */
  get id(): string | undefined {
    return this.#order?.id;
  }

  /** Path of the script within its folder; undefined until the job was described. */
  get script(): string | undefined {
    return this.#order?.script;
  }

  /** Serves the requests until the job is finished or the other machine is gone. */
  async serve(requests: MessageReader<ScriptRequest>): Promise<void> {
    for (;;) {
      const request = await requests.next();
      this.#options.signal.throwIfAborted();
      if (request === undefined) return;
      if (request.kind === "ports") {
        await this.#send({ kind: "ports", taken: await this.#ports.reserve(request) });
      } else if (request.kind === "packages") await this.#tellPackages(request);
      else if (request.kind === "job") await this.#describe(request);
      else if (request.kind === "content") {
        await this.#store.put(request.hash, request.size, requests.content(request.size));
      } else if (request.kind === "prepare") await this.#prepare();
      else if (request.kind === "start") this.#start(request.task);
      else if (request.kind === "end") this.#processes.get(shortTaskText(request.task))?.end();
      else if (request.kind === "refused") this.#refused(request.connection);
      else {
        await this.#finish(request.nothing ? false : request.under);
        return;
      }
    }
  }

  /** Ends the tasks and removes all that the job has here. */
  async close(): Promise<void> {
    this.#loads?.dispose();
    const running = [...this.#processes.values()];
    for (const process of running) process.end();
    await Promise.allSettled(running.map(({ exited }) => exited));
    for (const client of this.#dials.values()) reset(client);
    await this.#events?.close();
    await this.#network?.close();
    await this.#ports.release();
    await this.#folder?.remove();
    await this.#store.prune();
  }

  /** A connection to a task here. @throws Error when there is none with this port, or it accepts none. */
  async connect(port: number): Promise<Socket> {
    const isOwn = this.#order?.tasks.some((task) => task.port === port && port !== 0);
    if (isOwn && this.#network) return await this.#network.connect(port);
    throw problem("NOT_FOUND", `No task of the job has port ${port}.`);
  }

  /** Takes over a connection that a task here has opened. False if there is none with this number. */
  takeOver(connection: number, socket: Socket): boolean {
    const client = this.#dials.get(connection);
    if (!client) return false;
    this.#dials.delete(connection);
    joinSockets(client, socket);
    return true;
  }

  async #tellPackages({
    requirements,
    python: chosen,
    modules = [],
  }: Extract<ScriptRequest, { kind: "packages" }>): Promise<void> {
    const { folder, signal } = this.#options;
    const environments = join(folder, "environments");
    const query = { environments, folder, requirements, python: chosen, modules };
    const { ready, python, missing, problem: why } = await environmentState(query, signal);
    await this.#send({
      ...{ kind: "packages", ready },
      ...(python !== undefined && { python }),
      ...(missing && { missing: [...missing] }),
      ...(why && { problem: told(why) }),
    });
  }

  async #describe(order: JobOrder): Promise<void> {
    if (this.#order) throw problem("FAILED_PRECONDITION", "The job was described already.");
    checkFiles(order.files);
    const unreserved = order.tasks.find(({ port }) => port !== 0 && !this.#ports.has(port));
    if (unreserved) throw problem("FAILED_PRECONDITION", `Port ${unreserved.port} was not reserved.`);
    this.#order = order;
    await this.#send({
      kind: "wanted",
      hashes: await this.#store.missing(order.files.map(({ hash }) => hash)),
    });
  }

  async #prepare(): Promise<void> {
    const order = this.#order;
    if (!order || this.#setup) throw problem("FAILED_PRECONDITION", "There is no job to prepare.");
    const { folder: within, signal, mayExpose } = this.#options;
    const { isolate, elsewhere, tasks, files, cluster, script, args, passFlags } = order;
    const hasServers = tasks.some(({ port }) => port !== 0);
    this.#network = await JobNetwork.open({
      ...{ isolate, elsewhere },
      mayBeExposed: !hasServers || mayExpose(),
      carry: (port, client) => this.#dial(port, client),
    });
    const folder = await JobFolder.create(join(within, "jobs"), files, this.#store);
    this.#folder = folder;
    const python = await scriptPython({
      ...{ folder: folder.path, python: order.python, requirements: order.requirements, signal },
      environments: join(within, "environments"),
      onProgress: (text) => inBackground(this.#send({ kind: "progress", text: text.slice(0, 8192) })),
    });
    signal.throwIfAborted();
    this.#gpus = assignGpus(
      tasks,
      (await nvidiaGpus(signal)).map((_, index) => index),
    );
    const setup = { python: [python.executable], folder: folder.path, network: this.#network };
    this.#setup = { ...setup, cluster, script, args, passFlags };
    if (order.scalars) this.#events = await EventFolder.follow(folder.path, (points) => this.#tell(points));
    if (order.loads) {
      this.#loads = measureLoads(this.#processes, (tasks) =>
        inBackground(this.#send({ kind: "loads", tasks: [...tasks] })),
      );
    }
    const { isIsolated: isolated, obstacle } = this.#network;
    await this.#send({
      ...{ kind: "ready", isolated },
      ...(obstacle !== undefined && { obstacle }),
      ...(python.requirements !== undefined && { requirements: basename(python.requirements) }),
    });
  }

  #start(name: TaskName): void {
    const key = shortTaskText(name);
    const task = this.#order?.tasks.find((known) => shortTaskText(known) === key);
    if (!task || !this.#setup || this.#processes.has(key)) {
      throw problem("FAILED_PRECONDITION", `${key} cannot be started.`);
    }
    const process = startScript(this.#setup, task, this.#gpus.get(task), (text, stream) =>
      this.#line({ kind: "line", task: name, text, stream }),
    );
    this.#processes.set(key, process);
    const ended = async (report: ScriptReport) => {
      this.#processes.delete(key);
      // Where this machine ends the job, the reason is that of the call, not the exits that follow from it.
      if (!this.#options.signal.aborted) await this.#send(report);
    };
    inBackground(
      process.exited.then(
        (exit) => ended({ kind: "exited", task: name, exit }),
        (error: unknown) => {
          return ended({ kind: "failed", task: name, problem: told(problemOf(error)) });
        },
      ),
    );
  }

  #line(report: Extract<ScriptReport, { kind: "line" }>): void {
    if (this.#waitingLines >= MOST_WAITING_LINES) {
      this.#droppedLines++;
      return;
    }
    const send = async (told: ScriptReport) => {
      this.#waitingLines++;
      await this.#send(told);
      this.#waitingLines--;
    };
    if (this.#droppedLines > 0) {
      const text = `[tensordeck] ${this.#droppedLines} lines were dropped: the network is slower than the output`;
      this.#droppedLines = 0;
      inBackground(send({ ...report, text }));
    }
    inBackground(send(report));
  }

  /** A task here connects to one elsewhere. */
  #dial(port: number, client: Socket): void {
    client.on("error", () => undefined);
    if (this.#dials.size >= MOST_DIALS) {
      reset(client);
      return;
    }
    const connection = this.#nextConnection++;
    this.#dials.set(connection, client);
    const timer = setTimeout(() => this.#refused(connection), DIAL_TIMEOUT_MILLIS);
    client.once("close", () => {
      clearTimeout(timer);
      this.#dials.delete(connection);
    });
    inBackground(this.#send({ kind: "dial", connection, port }));
  }

  #refused(connection: number): void {
    const client = this.#dials.get(connection);
    this.#dials.delete(connection);
    if (client) reset(client);
  }

  /** @param under What to send back: what lies below a folder, everything (undefined), or nothing (false). */
  async #finish(under: string | false | undefined): Promise<void> {
    const folder = this.#folder;
    if (!folder || this.#processes.size > 0)
      throw problem("FAILED_PRECONDITION", "The tasks have not ended.");
    // The end of the curves comes before the files.
    await this.#events?.close();
    const { files, leftOut } = under === false ? NO_OUTPUTS : await folder.outputs(under);
    for (const file of files) {
      await this.#send({ kind: "output", file });
      await sendFile(join(folder.path, ...file.path.split("/")), file.size, this.#options.send);
    }
    await this.#send({
      kind: "finished",
      leftOut: leftOut.slice(0, 1000).map((path) => path.slice(0, 4096)),
    });
  }

  #tell(points: readonly FolderScalar[]): void {
    for (const report of scalarReports(points)) inBackground(this.#send(report));
  }

  async #send(report: ScriptReport): Promise<void> {
    await this.#options.send(toMessage(report));
  }
}

/** A problem, as another machine is told of it. */
function told({ code, message, reason, remedy }: Problem): Problem {
  return {
    ...{ code, message },
    ...(reason !== undefined && { reason }),
    ...(remedy !== undefined && { remedy }),
  };
}
