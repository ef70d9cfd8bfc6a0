/** Kubernetes as the place where the tasks of a submitted script run: a Job with one pod for each. */

import { mkdir, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { LinkedAbortController } from "../../../worker-runtime/cancellation/linked-abort-controller.js";
import { unlessAborted } from "../../../worker-runtime/cancellation/unless-aborted.js";
import { shortTaskText, type TaskName } from "../../../worker-runtime/cluster/device-name.js";
import { PARAMETER_SERVER_JOB } from "../../../worker-runtime/cluster/job-names.js";
import { inBackground } from "../../../worker-runtime/faults.js";
import { ProblemError } from "../../api/wire.js";
import type { FolderFiles } from "../../scripts/files/script-files.js";
import type { OnScriptLine, ScriptExit, ScriptProcess } from "../../scripts/script-process.js";
import type { PortedTask, ScriptCluster } from "../../scripts/task-environment.js";
import { messageOf, problem } from "../../shared/problems.js";
import type { Collected, JobMachine, MachineEvents, MachineJob, Prepared } from "../../submit/job-machine.js";
import type { JobSettings } from "../../submit/job-settings.js";
import type { ApiServer } from "../api-server.js";
import { podUsage, USAGE_MILLIS } from "../pod-metrics.js";
import { PodWatch } from "../pod-watch.js";
import { JobObjects } from "./job-objects.js";
import { archiveBytes, archiveOf, unpackInto } from "./pod-files.js";
import {
  ATTEMPT_LABEL,
  hostOf,
  type PodSize,
  podCluster,
  scriptSelector,
  TASK_LABEL,
} from "./script-manifests.js";
import { ScriptPod } from "./script-pod.js";
import { finishCommand, installCommand, packCommand, startText, unpackCommand } from "./script-program.js";

/** The file of requirements that is installed in the pods. */
const REQUIREMENTS = "requirements.txt";
const DEFAULT_PYTHON = "python3";

export interface KubeMachineOptions {
  readonly api: ApiServer;
  readonly namespace: string;
  /** The resources of a task that is no ps; a ps gets no GPU. */
  readonly size: PodSize;
  readonly settings: JobSettings;
  /** Begins the names of all objects. */
  readonly jobName: string;
  /** Folder for what comes back. */
  readonly outputs: string;
  readonly events: MachineEvents;
  /** Ends the job there. */
  readonly signal: AbortSignal;
}

export class KubeMachine implements JobMachine {
  readonly id = "kubernetes";
  readonly name: string;
  readonly #options: KubeMachineOptions;
  readonly #over: LinkedAbortController;
  readonly #objects: JobObjects;
  /** The newest pod of each task, by the task's host name. */
  readonly #pods = new Map<string, ScriptPod>();
  #tasks: readonly PortedTask[] = [];
  #cluster: ScriptCluster = {};
  #files: FolderFiles | undefined;
  #watch: PodWatch | undefined;
  #usageTimer: NodeJS.Timeout | undefined;

  constructor(options: KubeMachineOptions) {
    this.#options = options;
    const { api, namespace, jobName, size, signal } = options;
    this.name = `Kubernetes (${api.context}/${namespace})`;
    this.#over = new LinkedAbortController(signal);
    this.#objects = new JobObjects({ api, namespace, jobName, size, signal: this.#over.signal });
  }

  /** Each pod has ports of its own. */
  async reserve(): Promise<readonly number[]> {
    return [];
  }

  async prepare({ tasks, cluster, isolate, files }: MachineJob): Promise<Prepared> {
    const { jobName, api, namespace, settings, events } = this.#options;
    this.#tasks = tasks;
    this.#cluster = podCluster(cluster, jobName);
    this.#files = files;
    if (settings.requirements !== undefined && settings.requirements !== REQUIREMENTS) {
      throw problem("INVALID_ARGUMENT", `Pods install packages from ${REQUIREMENTS} only.`, {
        remedy: `Write what is needed into ${REQUIREMENTS}, or give an image that has it with --image.`,
      });
    }
    await this.#objects.begin(tasks, { hasNetwork: !isolate });
    this.#watch = await PodWatch.open(
      api,
      namespace,
      {
        onPods: (pods) => {
          for (const [host, script] of this.#pods) {
            const pod = [...pods.values()].find(
              ({ metadata: { labels = {} } }) =>
                labels[TASK_LABEL] === host && labels[ATTEMPT_LABEL] === String(script.attempt),
            );
            // Before its controller has made it there is none.
            if (pod !== undefined || script.pod !== undefined) script.update(pod);
          }
        },
        onProblem: (trouble) => {
          if (trouble) events.onProgress(this, [trouble.message, trouble.reason].join(" "));
        },
      },
      this.#over.signal,
      scriptSelector(jobName),
    );
    await Promise.all(tasks.map((task) => this.#makePod(task, 1)));
    inBackground(this.#measure());
    return {
      isIsolated: false,
      obstacle: isolate
        ? "Only pods of this job do, where the cluster's network enforces network policies."
        : "Any pod does.",
      requirements: this.#hasRequirements ? REQUIREMENTS : undefined,
    };
  }

  start(task: TaskName, onLine: OnScriptLine): ScriptProcess {
    const ending = new AbortController();
    const run = async (): Promise<ScriptExit> => {
      let pod: ScriptPod;
      try {
        // Another pod, and its files, take their time.
        pod = await unlessAborted(this.#podFor(task), ending.signal);
      } catch (error) {
        if (ending.signal.aborted) return { code: null, signal: "SIGTERM" };
        throw error;
      }
      const { script, args, passFlags, python = DEFAULT_PYTHON } = this.#options.settings;
      const text = startText({
        ...{ python, script, args, passFlags, task, cluster: this.#cluster },
        hidesGpus: this.#gpusOf(task) === 0,
      });
      return await pod.start(text, onLine);
    };
    return {
      exited: run(),
      end: () => {
        const isByForce = ending.signal.aborted;
        ending.abort();
        const pod = this.#pods.get(hostOf(task));
        if (pod) inBackground(pod.end(isByForce));
      },
    };
  }

  async connect(): Promise<Socket> {
    throw problem("UNIMPLEMENTED", "Tasks in Kubernetes and on other machines cannot be in one job.");
  }

  async collect(): Promise<Collected> {
    const { settings, outputs } = this.#options;
    const { outputs: under } = settings;
    let [files, bytes] = [0, 0];
    const leftOut: string[] = [];
    if (under === false) return { folder: outputs, files, bytes, leftOut };
    for (const pod of this.#pods.values()) {
      const name = shortTaskText(pod.task);
      if (pod.hasEnded || pod.pod === undefined) {
        leftOut.push(`${name}: its pod is gone, with what it made`);
        continue;
      }
      try {
        await pod.execute(packCommand(under), {
          what: `What ${name} made cannot be brought back`,
          onOutput: async (archive) => {
            const found = await unpackInto(join(outputs, hostOf(pod.task)), archive, bytes);
            files += found.files;
            bytes += found.bytes;
            leftOut.push(...found.leftOut.map((path) => `${hostOf(pod.task)}/${path}`));
          },
        });
      } catch (error) {
        leftOut.push(`${name}: ${messageOf(error)}`);
      }
    }
    if (files > 0) {
      await mkdir(outputs, { recursive: true });
      // Files that were brought back are no part of the script when that is submitted again.
      await writeFile(join(outputs, ".gitignore"), "*\n");
    }
    return { folder: outputs, files, bytes, leftOut };
  }

  async close(): Promise<void> {
    clearTimeout(this.#usageTimer);
    const running = [...this.#pods.values()].filter((pod) => !pod.hasEnded && pod.pod !== undefined);
    if (!this.#over.signal.aborted) {
      await Promise.allSettled(
        running.map((pod) => pod.execute(finishCommand(), { what: "The pod cannot be ended" })),
      );
    }
    this.#over.abort(problem("CANCELLED", "The job is over."));
    await this.#watch?.close();
    await this.#objects.remove();
  }

  get #hasRequirements(): boolean {
    return this.#files?.files.some(({ path }) => path === REQUIREMENTS) ?? false;
  }

  #gpusOf({ job, index }: TaskName): number {
    const planned = this.#tasks.find((task) => task.job === job && task.index === index);
    if (job === PARAMETER_SERVER_JOB || planned?.device === "cpu") return 0;
    return this.#options.size.gpus;
  }

  /** The task's pod, or another one with the files as they were sent if that is gone. */
  async #podFor(task: TaskName): Promise<ScriptPod> {
    const present = this.#pods.get(hostOf(task));
    if (present && !present.hasEnded) return present;
    const ported = this.#tasks.find(({ job, index }) => job === task.job && index === task.index);
    if (ported === undefined) throw problem("INTERNAL", `${shortTaskText(task)} is no task of the job.`);
    return await this.#makePod(ported, (present?.attempt ?? 0) + 1);
  }

  /** Resolves when it has the files. */
  async #makePod(task: PortedTask, attempt: number): Promise<ScriptPod> {
    const { api, namespace, settings, events } = this.#options;
    const name = shortTaskText(task);
    const tell = (text: string) => events.onProgress(this, `${name}: ${text}`);
    const pod = new ScriptPod(task, attempt, {
      ...{ api, namespace, token: this.#objects.token, signal: this.#over.signal },
      onProgress: (_task, text) => tell(text),
    });
    this.#pods.set(hostOf(task), pod);
    const refused = await this.#objects.makeJob(task, attempt, this.#gpusOf(task));
    const stop = refused((reason) => pod.fail(new ProblemError(reason)));
    try {
      await unlessAborted(pod.ready, this.#over.signal);
    } finally {
      stop();
    }
    const files = this.#files?.files ?? [];
    const bytes = await archiveBytes(files);
    tell("its files are sent");
    await pod.execute(unpackCommand(bytes), {
      what: `The files cannot be sent to ${name}`,
      input: archiveOf(settings.folder, files),
    });
    if (this.#hasRequirements) {
      tell(`${REQUIREMENTS} is installed`);
      await pod.execute(installCommand(settings.python ?? DEFAULT_PYTHON, REQUIREMENTS), {
        what: `${REQUIREMENTS} cannot be installed in the pod of ${name}`,
      });
    }
    tell("it is ready");
    return pod;
  }

  async #measure(): Promise<void> {
    const { api, namespace, jobName, events } = this.#options;
    if (events.onLoads === undefined) return;
    try {
      const usage = await podUsage(api, namespace, this.#over.signal, scriptSelector(jobName));
      // A cluster that measures nothing does not begin to.
      if (usage === undefined) return;
      const loads = [...this.#pods.values()].flatMap((script) => {
        const found = usage.get(script.pod ?? "");
        if (found === undefined) return [];
        const { cores, memoryBytes } = found;
        return [{ task: shortTaskText(script.task), cpuPercent: 100 * cores, memoryBytes }];
      });
      events.onLoads(this, loads);
    } catch {
      // The next time, perhaps.
    }
    if (this.#over.signal.aborted) return;
    this.#usageTimer = setTimeout(() => inBackground(this.#measure()), USAGE_MILLIS);
    this.#usageTimer.unref();
  }
}
