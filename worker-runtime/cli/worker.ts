import { writeSync } from "node:fs";
import { ServerDef } from "../../protos/generated/tensorflow/tensorflow_server.js";
import { formatLogLine, type LogLevel } from "../engines/log-lines.js";
import { keepHeapSmall } from "../engines/portable/v8-flags.js";
import type { LocatedRuntime } from "../engines/tensorflow/candidate.js";
import type { WorkerMessage } from "../engines/worker-messages.js";
import { surviveFaults } from "../faults.js";
import { asTensorFlowError, invalidArgument, StatusCode } from "../protocol/status.js";
import { helpText } from "./args.js";
import { watchLauncher } from "./launcher-watch.js";
import { wantsPortable } from "./portable-options.js";
import { readWorkerOptions, type WorkerOptions, workerCommand } from "./worker-options.js";

const HEARTBEAT_MILLIS = 3_600_000;

/**
 * `tensordeck worker`. Resolves only for --help; a worker that runs ends with its process.
 * @throws TensorFlowError for everything that keeps it from starting.
 */
export async function runWorker(args: readonly string[]): Promise<number> {
  try {
    const options = await readWorkerOptions(args, process.env);
    if (options.help) {
      process.stdout.write(helpText(workerCommand));
      return 0;
    }
    await watchForEnd(options);
    const library = await chooseLibrary(options);
    await (library === undefined ? servePortable(options) : serveTensorFlow(options, library));
  } catch (error) {
    const { code, message } = asTensorFlowError(error, StatusCode.INTERNAL);
    await tellParent({ kind: "failed", code, message });
    // An open channel would keep this process going.
    process.removeListener("disconnect", endWithParent);
    process.disconnect?.();
    throw error;
  }
  // Runs until a signal ends it. TensorFlow's threads do not keep Node's event loop going; a timer does.
  return await new Promise<never>(() => setInterval(() => undefined, HEARTBEAT_MILLIS));
}

/** Whatever is loaded, the exit handler of load.ts ensures a clean exit. */
function endWithParent(): never {
  process.exit(0);
}

/** Installed before an engine is loaded, so that a worker can be stopped while it creates its devices. */
async function watchForEnd({ watchStdin }: WorkerOptions): Promise<void> {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => process.exit(0));
  }
  // The channel closes when an embedding parent is gone.
  process.on("disconnect", endWithParent);
  // It may have gone while this process was starting; without a channel this is undefined.
  if (process.connected === false) endWithParent();
  await watchLauncher(endWithParent);
  if (watchStdin) {
    process.stdin.on("end", endWithParent);
    process.stdin.on("error", endWithParent);
    process.stdin.resume();
  }
}

/**
 * The libtensorflow that is to serve; undefined for the portable engine. If the user named no engine, TensorFlow's own
 * is used if there is one.
 */
async function chooseLibrary(options: WorkerOptions): Promise<LocatedRuntime | undefined> {
  const { engine, library, portable } = options;
  if (engine === "portable") {
    if (library !== undefined) {
      throw invalidArgument("--library selects a libtensorflow, which --engine portable does not use.");
    }
    return undefined;
  }
  // Loaded here, so that --help, invalid flags and the portable engine do not need it.
  const { locateRuntime } = await import("../engines/tensorflow/find.js");
  const found = await locateRuntime({ path: library }).catch((error: unknown) => {
    const isMissing = asTensorFlowError(error).code === StatusCode.NOT_FOUND;
    if (engine === undefined && isMissing) {
      return undefined;
    }
    throw error;
  });
  if (found === undefined) {
    say("info", "No libtensorflow was found on this machine, so this task uses the portable engine.");
  } else if (wantsPortable(portable)) {
    throw invalidArgument(
      "--bind, --files, --max_…, --session_gc_seconds and --tls_… apply to the portable engine only; add --engine " +
        "portable, or remove them to use TensorFlow's own.",
    );
  }
  return found;
}

async function serveTensorFlow(options: WorkerOptions, library: LocatedRuntime): Promise<void> {
  const { hostServer } = await import("../engines/tensorflow/host.js");
  const { jobName, taskIndex } = options.serverDef;
  say("info", `Starting server #${taskIndex} of job ${jobName} with ${library.path} (${library.origin}).`);
  const server = await hostServer({
    serverDef: options.serverDef,
    library,
    gpu: options.gpu,
    checkAddress: options.checkAddress,
    onWarning: (text) => say("warning", text),
  });
  surviveFaults((text) => say("warning", text));
  say("info", `TensorFlow ${server.version} (${buildText(server.gpuBuild)}) serves ${server.target}.`);
  await tellServing({
    target: server.target,
    engine: "tensorflow",
    version: server.version,
    library: library.path,
    gpuBuild: server.gpuBuild ?? null,
    gpuHidden: server.gpuHidden,
    serverDef: server.serverDef,
  });
}

async function servePortable(options: WorkerOptions): Promise<void> {
  keepHeapSmall();
  const { hostPortable } = await import("../engines/portable/host.js");
  const { hasGpuProvider } = await import("../engines/portable/gpu/list-adapters.js");
  const { jobName, taskIndex } = options.serverDef;
  say("info", `Starting server #${taskIndex} of job ${jobName} with the portable engine.`);
  const server = await hostPortable({
    serverDef: options.serverDef,
    checkAddress: options.checkAddress,
    gpu: options.gpu,
    ...options.portable,
    log: (text) => say("info", text),
    onWarning: (text) => say("warning", text),
  });
  say("info", `The portable engine of Tensordeck ${server.version} serves ${server.target}.`);
  await tellServing({
    target: server.target,
    engine: "portable",
    version: server.version,
    library: null,
    gpuBuild: hasGpuProvider(),
    gpuHidden: options.gpu === "none",
    serverDef: server.serverDef,
  });
}

type Serving = Omit<Extract<WorkerMessage, { kind: "serving" }>, "kind" | "serverDef"> & {
  readonly serverDef: ServerDef;
};

/** Says that calls are accepted: a line for people and scripts, a message for a parent of our own. */
async function tellServing({ serverDef, ...serving }: Serving): Promise<void> {
  print(1, `target ${serving.target}\n`);
  const bytes = Buffer.from(ServerDef.encode(serverDef).finish()).toString("base64");
  await tellParent({ kind: "serving", ...serving, serverDef: bytes });
}

/** A parent that embeds the worker (engines/server.ts) opened a channel to it; a shell did not. */
function tellParent(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) {
      resolve();
    } else {
      // A parent that is gone is noticed elsewhere.
      process.send(message, undefined, undefined, () => resolve());
    }
  });
}

function buildText(gpuBuild: boolean | undefined): string {
  return gpuBuild === undefined ? "unknown build" : gpuBuild ? "GPU build" : "CPU build";
}

function say(level: LogLevel, text: string): void {
  print(2, `${formatLogLine(level, text, new Date())}\n`);
}

/** Written at once: the process may end without another turn of the event loop. A reader that has gone does not matter. */
function print(descriptor: 1 | 2, text: string): void {
  try {
    writeSync(descriptor, text);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "EPIPE" || error.code === "EAGAIN"))) {
      throw error;
    }
  }
}
