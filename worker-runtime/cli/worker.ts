import { writeSync } from "node:fs";
import { ServerDef } from "../../protos/generated/tensorflow/tensorflow_server.js";
import { formatLogLine, type LogLevel } from "../engines/tensorflow/log-lines.js";
import type { WorkerMessage } from "../engines/worker-messages.js";
import { asTensorFlowError, StatusCode, unimplemented } from "../protocol/status.js";
import { helpText } from "./args.js";
import { watchLauncher } from "./launcher-watch.js";
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
    if (options.engine === "portable") {
      throw unimplemented(
        "This version of Tensordeck has no portable engine yet. Use --engine tensorflow; `tensordeck runtime install` " +
          "brings TensorFlow's runtime where there is none.",
      );
    }
    await serve(options);
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

/** Whatever is loaded, the exit handler of load.ts sees to it that the end is clean. */
function endWithParent(): never {
  process.exit(0);
}

async function serve(options: WorkerOptions): Promise<void> {
  // Loaded here, so that --help and mistakes in flags need no native code.
  const [{ locateRuntime }, { hostServer }] = await Promise.all([
    import("../engines/tensorflow/find.js"),
    import("../engines/tensorflow/host.js"),
  ]);
  // From before the library is loaded, so that a worker can be stopped while it makes its devices.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => process.exit(0));
  }
  // An embedding parent that is gone takes the channel along.
  process.on("disconnect", endWithParent);
  await watchLauncher(endWithParent);
  if (options.watchStdin) {
    process.stdin.on("end", endWithParent);
    process.stdin.on("error", endWithParent);
    process.stdin.resume();
  }
  const library = await locateRuntime({ path: options.library });
  const { jobName, taskIndex } = options.serverDef;
  say("info", `Starting server #${taskIndex} of job ${jobName} with ${library.path} (${library.origin}).`);
  const server = await hostServer({
    serverDef: options.serverDef,
    library,
    gpu: options.gpu,
    checkAddress: options.checkAddress,
    onWarning: (text) => say("warning", text),
  });
  say("info", `TensorFlow ${server.version} (${buildText(server.gpuBuild)}) serves ${server.target}.`);
  print(1, `target ${server.target}\n`);
  await tellParent({
    kind: "serving",
    target: server.target,
    version: server.version,
    library: library.path,
    gpuBuild: server.gpuBuild ?? null,
    gpuHidden: server.gpuHidden,
    serverDef: Buffer.from(ServerDef.encode(server.serverDef).finish()).toString("base64"),
  });
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
