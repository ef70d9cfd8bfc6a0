import type { ConfigProto } from "../../protos/generated/tensorflow/config.js";
import { ConfigProto as ConfigProtoMessage } from "../../protos/generated/tensorflow/config.js";
import { ServerDef } from "../../protos/generated/tensorflow/tensorflow_server.js";
import { makeServerDef, type ServerDefOptions } from "../cluster/server-def.js";
import { inBackground } from "../faults.js";
import { namedProgram } from "../programs/find-program.js";
import { cancelledBy, deadlineExceeded, failedPrecondition, invalidArgument } from "../protocol/status.js";
import type { LogLine } from "./log-lines.js";
import { hasNvidiaGpu } from "./nvidia.js";
import { diagnoseGpu, type GpuDiagnosis } from "./tensorflow/gpu-diagnosis.js";
import type { WorkerMessage } from "./worker-messages.js";
import { type ServerExit, WorkerProcess } from "./worker-process.js";

export type { ServerExit } from "./worker-process.js";

const START_TIMEOUT_MILLIS = 120_000;

export interface ServerOptions {
  /** The whole cluster; or `serverDef`. Without either the server is a local one of its own, on a free port. */
  readonly cluster?: ServerDefOptions["cluster"] | undefined;
  /** May be left out where the cluster has one job. */
  readonly jobName?: string | undefined;
  /** May be left out where the job has one task. */
  readonly taskIndex?: number | undefined;
  /** Port to listen on where it is not the one of the task's address. */
  readonly port?: number | undefined;
  /** Default for all sessions of the server; GPU options are taken from here, never from a client's. */
  readonly config?: Parameters<typeof ConfigProto.fromPartial>[0] | undefined;
  /** Everything at once, instead of cluster, jobName, taskIndex, port and config. */
  readonly serverDef?: ServerDef | undefined;
  /** The engine; unless given "tensorflow" where a libtensorflow is found, else "portable", which needs none. */
  readonly engine?: EngineName | undefined;
  /** The libtensorflow to use; otherwise the best that is found. */
  readonly library?: string | undefined;
  /**
   * GPUs that the task may use: "auto" (all, on the portable engine the best; none for job ps), "none", or numbers such as
   * "0,1".
   */
  readonly gpu?: string | undefined;
  /** Ask whether the task's host name leads to this machine. True unless given. */
  readonly checkAddress?: boolean | undefined;
  /** Where the portable engine listens; unless given as narrowly as the task's address allows. */
  readonly bind?: string | undefined;
  /** Folders that graphs may read and write on the portable engine; none unless given. */
  readonly files?: readonly string[] | undefined;
  /** Working folder of the worker, to which relative file names in graphs belong; unless given this process's. */
  readonly cwd?: string | undefined;
  /** Further environment variables of the worker. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * The beginning of the worker's command line: a program that becomes the one after it, with its flags, such as
   * `nsenter --net=… --`. None unless given. A name without a folder is that of an installed program.
   */
  readonly commandPrefix?: readonly string[] | undefined;
  /** Told every line of the worker's log, from the first. More listeners can be added by `onLog`. */
  readonly onLog?: ((line: LogLine) => void) | undefined;
  /** How long starting may take; 120,000 unless given. */
  readonly startTimeoutMillis?: number | undefined;
  /** Stops the server when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The engines that can compute a task. */
export type EngineName = "tensorflow" | "portable";

type Serving = Extract<WorkerMessage, { kind: "serving" }>;

/**
 * One task of a cluster, as tf.distribute.Server: a server that any TensorFlow client can use. It runs in a process of
 * its own, which ends with this one; what happens in it takes nothing else along.
 *
 * A running server does not keep this process from ending; `join` does.
 */
export class Server {
  /** Resolves when the server accepts calls; rejects (TensorFlowError) with what kept it from that. */
  readonly ready: Promise<void>;
  /** Resolves when the process has ended, however it came to that. Never rejects. */
  readonly exited: Promise<ServerExit>;
  private serving: Serving | undefined;
  private settled: ServerDef;

  private constructor(
    private readonly process: WorkerProcess,
    serverDef: ServerDef,
    options: ServerOptions,
  ) {
    this.settled = serverDef;
    this.exited = process.exited;
    this.ready = this.awaitServing(options);
    // Reported to the code that awaits it; stopping a server before that is not an error.
    this.ready.catch(() => undefined);
    const { signal } = options;
    if (signal !== undefined) {
      const stop = () => inBackground(this.stop());
      signal.addEventListener("abort", stop, { once: true });
      inBackground(this.exited.then(() => signal.removeEventListener("abort", stop)));
    }
  }

  /**
   * Starts a server and waits until it accepts calls.
   * @throws TensorFlowError INVALID_ARGUMENT for an invalid cluster, job, index or address; UNKNOWN for a port in use
   *   (TensorFlow's code, naming the process that has it); UNAVAILABLE for a host name that does not resolve; NOT_FOUND
   *   or FAILED_PRECONDITION when the engine needs a libtensorflow and there is none that can be used;
   *   DEADLINE_EXCEEDED; CANCELLED.
   */
  static async start(options: ServerOptions = {}): Promise<Server> {
    const server = Server.launch(options);
    try {
      await server.ready;
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /**
   * Starts the process and gives the server at once: wait for `ready`. For callers that show a server while it starts.
   * @throws TensorFlowError INVALID_ARGUMENT, FAILED_PRECONDITION (not built), CANCELLED.
   */
  static launch(options: ServerOptions = {}): Server {
    if (options.signal?.aborted) {
      throw cancelledBy(options.signal.reason, "Starting a server");
    }
    const serverDef = serverDefOf(options);
    const worker = new WorkerProcess({
      args: workerArgs(options),
      input: ServerDef.encode(serverDef).finish(),
      env: options.env ?? {},
      cwd: options.cwd ?? process.cwd(),
      commandPrefix: locatedCommand(options.commandPrefix ?? []),
      onLog: options.onLog,
    });
    return new Server(worker, serverDef, options);
  }

  /** TensorFlow's create_local_server: the only task of a cluster of its own, on a free port of this machine. */
  static async createLocalServer(
    options: Omit<ServerOptions, "cluster" | "serverDef" | "jobName" | "taskIndex"> = {},
  ): Promise<Server> {
    return await Server.start(options);
  }

  /**
   * "grpc://host:port": what a session is given.
   * @throws TensorFlowError FAILED_PRECONDITION before the server is ready.
   */
  get target(): string {
    return this.state.target;
  }

  /** The definition that the server runs with; once it is ready, with the port that was chosen. */
  get serverDef(): ServerDef {
    return this.settled;
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** The engine. @throws TensorFlowError FAILED_PRECONDITION before the server is ready. */
  get engine(): EngineName {
    return this.state.engine;
  }

  /**
   * TensorFlow's version, or Tensordeck's own for the portable engine.
   * @throws TensorFlowError FAILED_PRECONDITION before the server is ready.
   */
  get version(): string {
    return this.state.version;
  }

  /**
   * The library that serves; undefined for the portable engine.
   * @throws TensorFlowError FAILED_PRECONDITION before the server is ready.
   */
  get library(): string | undefined {
    return this.state.library ?? undefined;
  }

  /** Tells every line that the worker writes from now on; gives a function that ends this. */
  onLog(listener: (line: LogLine) => void): () => void {
    return this.process.onLog(listener);
  }

  /** Which GPUs the server uses, and why not where it could and does not. */
  async gpu(): Promise<GpuDiagnosis> {
    await this.ready;
    const { engine, gpuBuild, gpuHidden } = this.state;
    if (engine === "portable") {
      return { devices: [], problems: [] };
    }
    return diagnoseGpu(this.process.firstLines, {
      gpuBuild: gpuBuild ?? undefined,
      hidden: gpuHidden,
      hasGpu: await hasNvidiaGpu(),
    });
  }

  /** Waits until the server has ended, and keeps this process going until then. */
  async join(): Promise<void> {
    this.process.keepAlive(true);
    await this.exited;
  }

  /** Ends the server: SIGTERM, and by force after 2 s. Resolves when its process is gone. */
  async stop(): Promise<void> {
    await this.process.stop();
  }

  private get state(): Serving {
    if (this.serving === undefined) {
      throw failedPrecondition("The server does not accept calls yet; wait for its start.");
    }
    return this.serving;
  }

  private async awaitServing({
    signal,
    startTimeoutMillis = START_TIMEOUT_MILLIS,
  }: ServerOptions): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(deadlineExceeded(`The worker did not start within ${startTimeoutMillis / 1000} s.`)),
        startTimeoutMillis,
      );
    });
    try {
      const serving = await Promise.race([this.process.serving, late]);
      this.serving = serving;
      this.settled = ServerDef.decode(Buffer.from(serving.serverDef, "base64"));
      this.process.keepAlive(false);
    } catch (error) {
      throw signal?.aborted ? cancelledBy(signal.reason, "Starting a server") : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function serverDefOf({ serverDef, cluster, jobName, taskIndex, port, config }: ServerOptions): ServerDef {
  if (serverDef !== undefined) {
    if ([cluster, jobName, taskIndex, port, config].some((option) => option !== undefined)) {
      throw invalidArgument(
        "serverDef says everything: give it without cluster, jobName, taskIndex, port and config.",
      );
    }
    return serverDef;
  }
  return makeServerDef({
    cluster: cluster ?? { localhost: ["localhost:0"] },
    jobName,
    taskIndex,
    port,
    config: config === undefined ? undefined : ConfigProtoMessage.fromPartial(config),
  });
}

function workerArgs({ engine, library, gpu, checkAddress, bind, files = [] }: ServerOptions): string[] {
  return [
    "--server_def=-",
    ...(engine === undefined ? [] : [`--engine=${engine}`]),
    // The portable engine does not use one, and reports that if it is set by hand.
    ...(library === undefined || engine === "portable" ? [] : [`--library=${library}`]),
    ...(gpu === undefined ? [] : [`--gpu=${gpu}`]),
    ...(checkAddress === false ? ["--skip_address_check"] : []),
    ...(bind === undefined ? [] : [`--bind=${bind}`]),
    ...files.map((folder) => `--files=${folder}`),
  ];
}

function locatedCommand([program, ...args]: readonly string[]): readonly string[] {
  if (program === undefined) {
    return [];
  }
  const file = namedProgram(program);
  if (file === undefined) {
    throw invalidArgument(`${program}, with which the worker's command line is to begin, is not installed.`);
  }
  return [file, ...args];
}
