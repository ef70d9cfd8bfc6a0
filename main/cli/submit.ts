/** `tensordeck submit`: runs a Python script as the tasks of a cluster, for a terminal or another program. */
import { join } from "node:path";
import { helpText } from "../../worker-runtime/cli/args.js";
import { watchLauncher } from "../../worker-runtime/cli/launcher-watch.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Problem } from "../api/problem.js";
import { loadIdentity } from "../peers/identity/identity.js";
import type { JobResult, ScriptJob } from "../scripts/script-job.js";
import { problem } from "../shared/problems.js";
import { type OpenPlace, submitJob } from "../submit/submit-job.js";
import { codeOfExit } from "../tasks/exit-code.js";
import { Ports } from "../tasks/ports.js";
import { dealOut, findMachines } from "./submit/find-machines.js";
import { type KubePlace, readSubmitOptions, submitCommand } from "./submit/options.js";
import { Terminal } from "./submit/terminal.js";
import { terminalEvents } from "./submit/terminal-events.js";

/** Exit status of a program that was interrupted, as shells report it. */
const EXIT_INTERRUPTED = 130;
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
  // Until the tasks are started, an interrupt gives everything up; then it ends them.
  const givenUp = new AbortController();
  let onInterrupt = () => givenUp.abort(problem("CANCELLED", "The job was interrupted before it started."));
  const interrupt = () => onInterrupt();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, interrupt);
  inBackground(watchLauncher(interrupt));
  // The end of the tasks' namespace alone does not keep this process alive.
  const alive = setInterval(() => undefined, ALIVE_MILLIS);
  try {
    const onJob = (job: ScriptJob) => {
      onInterrupt = () => {
        terminal.notice("ending all tasks; press Ctrl+C again to end them by force.");
        job.stop();
        onInterrupt = () => job.kill();
      };
    };
    const result = await submitJob({
      settings: options,
      tasks: dealOut(options.tasks, await findMachines(options.machines, options.dataDir)),
      openPlace: options.kube && (await placeOf(options.kube, givenUp.signal)),
      submitter: {
        identity: () => loadIdentity(options.dataDir),
        environments: join(options.dataDir, "scripts", "environments"),
        ports: new Ports(),
      },
      events: { ...terminalEvents(terminal), onJob },
      signal: givenUp.signal,
    });
    if (result.problem) terminal.notice(problemText(result.problem));
    return exitStatusOf(result);
  } catch (error) {
    if (!givenUp.signal.aborted) throw error;
    return EXIT_INTERRUPTED;
  } finally {
    clearInterval(alive);
    for (const signal of signals) process.off(signal, interrupt);
  }
}

/** Connects to Kubernetes, whose client is loaded only then. @throws ProblemError */
async function placeOf({ size, namespace, ...choice }: KubePlace, signal: AbortSignal): Promise<OpenPlace> {
  const [{ ApiServer }, { openPlace }] = await Promise.all([
    import("../kubernetes/api-server.js"),
    import("../kubernetes/scripts/open-place.js"),
  ]);
  const api = await ApiServer.connect(choice, signal);
  return openPlace(api, namespace ?? api.namespace, size);
}

function exitStatusOf({ outcome }: JobResult): number {
  if (outcome.kind === "succeeded") return 0;
  if (outcome.kind === "stopped") return EXIT_INTERRUPTED;
  return codeOfExit(outcome.exit);
}

function problemText({ message, reason, remedy, details }: Problem): string {
  return [message, reason, details && `(${details})`, remedy]
    .filter((part) => part !== undefined)
    .join("\n  ");
}
