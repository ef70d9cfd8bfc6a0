/** `tensordeck submit`: runs a Python script as the tasks of a cluster, for a terminal or another program. */
import { basename, join } from "node:path";
import { helpText } from "../../worker-runtime/cli/args.js";
import { watchLauncher } from "../../worker-runtime/cli/launcher-watch.js";
import { nvidiaGpus } from "../../worker-runtime/engines/nvidia.js";
import { inBackground } from "../../worker-runtime/faults.js";
import { ProblemError } from "../api/wire.js";
import { JobNetwork } from "../scripts/job-network.js";
import { scriptPython } from "../scripts/python/script-python.js";
import { type JobResult, ScriptJob } from "../scripts/script-job.js";
import { startScript } from "../scripts/script-process.js";
import { isInCluster } from "../scripts/script-tasks.js";
import { assignGpus, clusterOf, type PortedTask } from "../scripts/task-environment.js";
import { Ports } from "../tasks/ports.js";
import { readSubmitOptions, type SubmitOptions, submitCommand } from "./submit/options.js";
import { Terminal } from "./submit/terminal.js";

/** Exit status of a program that was interrupted, as shells report it. */
const EXIT_INTERRUPTED = 130;
/** A shell reports the end by a signal as 128 plus its number; this is SIGKILL's. */
const EXIT_KILLED = 137;
const ALIVE_MILLIS = 60_000;

/** Returns the exit status of the job. @throws ProblemError, TensorFlowError */
export async function runSubmit(args: readonly string[]): Promise<number> {
  const options = readSubmitOptions(args);
  if (options.help) {
    process.stdout.write(helpText(submitCommand));
    return 0;
  }
  const terminal = new Terminal({
    ...options,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    colours: process.stdout.isTTY && !process.env.NO_COLOR,
  });
  const interrupted = new AbortController();
  let interrupts = 0;
  let onInterrupt: () => void = () => undefined;
  const interrupt = () => {
    interrupts++;
    interrupted.abort();
    onInterrupt();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, interrupt);
  inBackground(watchLauncher(interrupt));
  const ports = new Ports();
  // The end of the tasks' namespace alone does not keep this process alive.
  const alive = setInterval(() => undefined, ALIVE_MILLIS);
  try {
    return await runHere(options, ports, terminal, interrupted.signal, (job) => {
      onInterrupt = () => {
        if (interrupts > 1) job.kill();
        else {
          terminal.notice("ending all tasks; press Ctrl+C again to end them by force.");
          job.stop();
        }
      };
    });
  } finally {
    clearInterval(alive);
    await ports.releaseAll();
    for (const signal of signals) process.off(signal, interrupt);
  }
}

async function runHere(
  options: SubmitOptions,
  ports: Ports,
  terminal: Terminal,
  signal: AbortSignal,
  onJob: (job: ScriptJob) => void,
): Promise<number> {
  const { folder, script, args, passFlags } = options;
  const python = await scriptPython({
    ...options,
    environments: join(options.dataDir, "scripts", "environments"),
    onProgress: (text) => terminal.notice(text),
    signal,
  });
  const gpus = (await nvidiaGpus(signal)).map((_, index) => index);
  const isAlone = options.tasks.length === 1;
  const tasks: PortedTask[] = [];
  for (const task of options.tasks) {
    tasks.push({ ...task, port: isAlone || !isInCluster(task) ? 0 : await ports.take() });
  }
  if (signal.aborted) return EXIT_INTERRUPTED;
  const network = await JobNetwork.open({
    elsewhere: [],
    carry: (_, client) => client.destroy(),
    isolate: !isAlone && !options.network,
    mayBeExposed: true,
  });
  if (!isAlone && !network.isIsolated) terminal.notice(openText(tasks, network.obstacle));
  const setup = {
    ...{ folder, script, args, passFlags, network },
    python: [python.executable],
    cluster: isAlone ? {} : clusterOf(tasks),
  };
  const assigned = assignGpus(tasks, gpus);
  try {
    const job = new ScriptJob({
      tasks,
      restarts: options.restarts,
      start: (task, onLine) => {
        const ported = tasks.find(({ job: name, index }) => name === task.job && index === task.index);
        if (!ported) throw new Error(`${task.job}/${task.index} is no task of the job.`);
        return startScript(setup, ported, assigned.get(ported), onLine);
      },
      requirements: python.requirements && basename(python.requirements),
      isIsolated: () => network.isIsolated,
      onLine: (task, line, stream) => terminal.line(task, line, stream),
      onNotice: (text) => terminal.notice(text),
    });
    onJob(job);
    return exitStatusOf(await job.finished);
  } finally {
    await network.close();
  }
}

function openText(tasks: readonly PortedTask[], why = ""): string {
  const ports = tasks.flatMap(({ port }) => (port === 0 ? [] : [port])).join(", ");
  return `the network reaches the TensorFlow servers of this script (ports ${ports}). ${why}`;
}

/** @throws ProblemError if a task failed and has no exit status of its own. */
function exitStatusOf({ outcome, problem }: JobResult): number {
  if (outcome.kind === "succeeded") return 0;
  if (outcome.kind === "stopped") return EXIT_INTERRUPTED;
  if (problem) process.stderr.write(failureLines(new ProblemError(problem)));
  return outcome.exit.code ?? (outcome.exit.signal === null ? 1 : EXIT_KILLED);
}

function failureLines({ problem: { message, reason, remedy, details } }: ProblemError): string {
  const lines = [message, reason, details && `(${details})`, remedy].filter((part) => part !== undefined);
  return `tensordeck: ${lines.join("\n  ")}\n`;
}
