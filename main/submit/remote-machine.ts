/** A paired machine as one that runs tasks of a submitted script: everything goes over one stream to its agent. */

import { mkdir, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import type { ScriptMessage } from "../../protos/generated/tensordeck/agent.js";
import { withSharedSignal } from "../../worker-runtime/cancellation/shared-signal.js";
import { shortTaskText, type TaskName } from "../../worker-runtime/cluster/device-name.js";
import { inBackground } from "../../worker-runtime/faults.js";
import { ProblemError } from "../api/wire.js";
import { agentAddresses } from "../machine/agent-addresses.js";
import { type AgentChannel, openAgentChannel } from "../peers/agent/agent-channel.js";
import type { Identity } from "../peers/identity/identity.js";
import { Alpn } from "../peers/port/agent-peer.js";
import { dialAgent } from "../peers/port/dial-agent.js";
import type { TrustedMachine } from "../peers/trust/trusted-machine.js";
import { checkFiles } from "../scripts/files/file-paths.js";
import { receiveFile } from "../scripts/files/receive-file.js";
import type { ScriptFile } from "../scripts/files/script-files.js";
import type { PortPlan } from "../scripts/job-ports.js";
import { encodeLink, type LinkHeader } from "../scripts/remote/script-link.js";
import {
  MessageReader,
  reportSchema,
  type ScriptReport,
  type ScriptRequest,
  toMessage,
} from "../scripts/remote/script-protocol.js";
import { sendFile } from "../scripts/remote/send-file.js";
import type { OnScriptLine, ScriptProcess } from "../scripts/script-process.js";
import { type Deferred, deferred } from "../shared/deferred.js";
import { problem } from "../shared/problems.js";
import { join as joinSockets } from "../shared/sockets/relay.js";
import type { TaskExit } from "../tasks/launcher.js";
import type { Collected, JobMachine, MachineEvents, MachineJob, Prepared } from "./job-machine.js";
import type { JobSettings } from "./job-settings.js";
import { Outbox } from "./outbox.js";

const DIAL_TIMEOUT_MILLIS = 8_000;

export interface RemoteMachineOptions {
  readonly identity: Identity;
  readonly machine: TrustedMachine;
  readonly settings: JobSettings;
  /** Identifies the job: 32 hexadecimal digits. */
  readonly jobId: string;
  /** Folder for what comes back. */
  readonly outputs: string;
  /** A connection to a task on any other machine of the job. */
  readonly connect: (port: number) => Promise<Socket>;
  readonly events: MachineEvents;
  /** Ends the job there. */
  readonly signal: AbortSignal;
}

/** Its answer to a request. */
type Answer = Extract<ScriptReport, { kind: "ports" | "wanted" | "ready" | "finished" }>;

interface RemoteTask {
  readonly onLine: OnScriptLine;
  readonly exit: Deferred<TaskExit>;
}

export class RemoteMachine implements JobMachine {
  readonly #options: RemoteMachineOptions;
  readonly #channel: AgentChannel;
  readonly #outbox = new Outbox<ScriptMessage>();
  readonly #tasks = new Map<string, RemoteTask>();
  readonly #over = new AbortController();
  readonly #reading: Promise<void>;
  #answer: Deferred<Answer> | undefined;
  #failure: unknown;
  readonly #outputs: ScriptFile[] = [];

  private constructor(options: RemoteMachineOptions, channel: AgentChannel) {
    this.#options = options;
    this.#channel = channel;
    this.#reading = this.#read();
  }

  /** @throws ProblemError if it does not answer, or does not let this machine run scripts. */
  static async open(options: RemoteMachineOptions): Promise<RemoteMachine> {
    const { identity, machine, signal } = options;
    const { deviceId, certPem, name } = machine;
    const known = { identity, deviceId, certPem, name, addresses: agentAddresses(machine) };
    const channel = await openAgentChannel(
      { ...known, timeoutMillis: DIAL_TIMEOUT_MILLIS, keepAlive: true },
      signal,
    );
    return new RemoteMachine(options, channel);
  }

  get id(): string {
    return this.#options.machine.deviceId;
  }

  get name(): string {
    return this.#options.machine.name;
  }

  async reserve({ own, elsewhere, isolate }: PortPlan): Promise<readonly number[]> {
    const answer = await this.#ask(
      { kind: "ports", own: [...own], elsewhere: [...elsewhere], isolate },
      "ports",
    );
    return answer.taken;
  }

  async prepare({ tasks, cluster, elsewhere, isolate, files }: MachineJob): Promise<Prepared> {
    const { settings, jobId, events } = this.#options;
    const { script, args, passFlags, python, requirements, folder, scalars } = settings;
    const list = files?.files ?? [];
    const wanted = await this.#ask(
      {
        ...{ kind: "job", id: jobId, script, args: [...args], passFlags, isolate },
        files: [...list],
        cluster: Object.fromEntries(Object.entries(cluster).map(([job, addresses]) => [job, [...addresses]])),
        tasks: tasks.map(({ job, index, port, device }) => ({
          ...{ job, index, port },
          ...(device !== undefined && { device }),
        })),
        elsewhere: [...elsewhere],
        ...(python !== undefined && { python }),
        ...(requirements !== undefined && { requirements }),
        ...(scalars && { scalars }),
        ...(events.onLoads && { loads: true }),
      },
      "wanted",
    );
    for (const hash of wanted.hashes) {
      const file = list.find((listed) => listed.hash === hash);
      if (!file) throw problem("INTERNAL", `${this.name} wants a file that was not listed.`);
      await this.#send({ kind: "content", hash, size: file.size });
      await sendFile(join(folder, ...file.path.split("/")), file.size, (message) =>
        this.#outbox.send(message),
      );
    }
    const { isolated, obstacle, requirements: installed } = await this.#ask({ kind: "prepare" }, "ready");
    return { isIsolated: isolated, obstacle, requirements: installed };
  }

  start(task: TaskName, onLine: OnScriptLine): ScriptProcess {
    const exit = deferred<TaskExit>();
    this.#tasks.set(shortTaskText(task), { onLine, exit });
    if (this.#failure !== undefined) exit.reject(this.#failure);
    inBackground(this.#send({ kind: "start", task }));
    return { exited: exit.promise, end: () => inBackground(this.#send({ kind: "end", task })) };
  }

  async connect(port: number): Promise<Socket> {
    return await this.#dial({ kind: "task", jobId: this.#options.jobId, port });
  }

  async collect(): Promise<Collected> {
    const under = this.#options.settings.outputs;
    const wanted = under === false ? { nothing: true } : { ...(under !== undefined && { under }) };
    const { leftOut } = await this.#ask({ kind: "finish", ...wanted }, "finished");
    const bytes = this.#outputs.reduce((sum, { size }) => sum + size, 0);
    return { folder: this.#folder, files: this.#outputs.length, bytes, leftOut };
  }

  async close(): Promise<void> {
    this.#outbox.close();
    this.#over.abort();
    await this.#reading;
    this.#channel.close();
  }

  get #folder(): string {
    return join(this.#options.outputs, this.name.replace(/[^\w-]+/g, "-"));
  }

  async #ask<K extends Answer["kind"]>(
    request: ScriptRequest,
    kind: K,
  ): Promise<Extract<Answer, { kind: K }>> {
    if (this.#failure !== undefined) throw this.#failure;
    const answer = deferred<Answer>();
    this.#answer = answer;
    inBackground(this.#send(request));
    const given = await answer.promise;
    if (given.kind === kind) return given as Extract<Answer, { kind: K }>;
    throw problem("INTERNAL", `${this.name} gave another answer than expected.`, { details: given.kind });
  }

  async #send(request: ScriptRequest): Promise<void> {
    await this.#outbox.send(toMessage(request));
  }

  /** Reads until the stream ends; whatever waits then fails. Never rejects. */
  async #read(): Promise<void> {
    try {
      await withSharedSignal([this.#over.signal, this.#options.signal], async (signal) => {
        const messages = this.#channel.conversation("runScript", this.#outbox, signal);
        const reader = new MessageReader(messages, reportSchema, signal);
        for (let report = await reader.next(); report; report = await reader.next()) {
          await this.#take(report, reader);
        }
      });
      this.#fail(problem("UNAVAILABLE", `${this.name} has ended the job.`));
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#answer?.reject(error);
    for (const { exit } of this.#tasks.values()) exit.reject(error);
    this.#tasks.clear();
  }

  async #take(report: ScriptReport, reader: MessageReader<ScriptReport>): Promise<void> {
    if (report.kind === "progress") this.#options.events.onProgress(this, report.text);
    else if (report.kind === "scalars") this.#options.events.onScalars(this, report.points);
    else if (report.kind === "loads") this.#options.events.onLoads?.(this, report.tasks);
    else if (report.kind === "line") {
      this.#tasks.get(shortTaskText(report.task))?.onLine(report.text, report.stream);
    } else if (report.kind === "exited") this.#ended(report.task)?.resolve(report.exit);
    else if (report.kind === "failed") this.#ended(report.task)?.reject(new ProblemError(report.problem));
    else if (report.kind === "dial") inBackground(this.#carry(report.connection, report.port));
    else if (report.kind === "output") await this.#receive(report.file, reader);
    else if (report.kind !== "packages") this.#answer?.resolve(report);
  }

  #ended(task: TaskName): Deferred<TaskExit> | undefined {
    const name = shortTaskText(task);
    const found = this.#tasks.get(name);
    this.#tasks.delete(name);
    return found?.exit;
  }

  async #receive(file: ScriptFile, reader: MessageReader<ScriptReport>): Promise<void> {
    checkFiles([...this.#outputs, file]);
    const path = join(this.#folder, ...file.path.split("/"));
    await mkdir(dirname(path), { recursive: true });
    // Files that were brought back are no part of the script when that is submitted again.
    if (this.#outputs.length === 0) await writeFile(join(this.#options.outputs, ".gitignore"), "*\n");
    await receiveFile(path, file, reader.content(file.size));
    this.#outputs.push(file);
  }

  /** A task there wants to connect to one elsewhere. */
  async #carry(connection: number, port: number): Promise<void> {
    const { jobId, connect } = this.#options;
    let target: Socket | undefined;
    try {
      target = await connect(port);
      joinSockets(target, await this.#dial({ kind: "connection", jobId, connection }));
    } catch {
      target?.destroy();
      await this.#send({ kind: "refused", connection });
    }
  }

  async #dial(header: LinkHeader): Promise<Socket> {
    const { identity, machine } = this.#options;
    const { deviceId, name } = machine;
    const addresses = [this.#channel.address];
    const socket = await dialAgent({
      ...{ identity, deviceId, name, addresses },
      alpn: Alpn.script,
      signal: this.#over.signal,
    });
    socket.write(encodeLink(header));
    return socket;
  }
}
