/** The objects of a script's job in Kubernetes: made, watched for refusals, and removed. */

import { randomBytes } from "node:crypto";
import { z } from "zod";
import { withDeadline } from "../../../worker-runtime/cancellation/deadline.js";
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import { LinkedAbortController } from "../../../worker-runtime/cancellation/linked-abort-controller.js";
import { shortTaskText } from "../../../worker-runtime/cluster/device-name.js";
import { inBackground } from "../../../worker-runtime/faults.js";
import type { Problem } from "../../api/problem.js";
import type { PortedTask } from "../../scripts/task-environment.js";
import type { ApiServer } from "../api-server.js";
import { pathOf } from "../manifests.js";
import {
  type Owner,
  type PodSize,
  scriptJob,
  scriptPolicy,
  scriptSelector,
  scriptService,
} from "./script-manifests.js";

/** Between two looks whether Kubernetes refuses to make a pod. */
const LOOK_MILLIS = 3000;
/** For what is done after the job's end. */
const REMOVE_MILLIS = 15_000;

const createdSchema = z.object({ metadata: z.object({ name: z.string(), uid: z.string() }) });
const eventsSchema = z.object({
  items: z.array(z.object({ reason: z.string().optional(), message: z.string().optional() })),
});

export interface JobObjectsOptions {
  readonly api: ApiServer;
  readonly namespace: string;
  readonly jobName: string;
  readonly size: PodSize;
  readonly signal: AbortSignal;
}

/** Calls back once if the pod of a Job is refused, until the returned function is called. */
export type Refusals = (onRefused: (reason: Problem) => void) => () => void;

export class JobObjects {
  /** With which pods tell exit codes: nothing else that they write begins with it. */
  readonly token = `tensordeck-${randomBytes(12).toString("hex")}`;
  readonly #options: JobObjectsOptions;
  #owner: Owner | undefined;
  #isIsolated = false;
  #hasOthers = false;

  constructor(options: JobObjectsOptions) {
    this.#options = options;
  }

  /** Has the API server check everything, before anything is made. @throws ProblemError if it refuses */
  async begin(tasks: readonly PortedTask[], { hasNetwork }: { readonly hasNetwork: boolean }): Promise<void> {
    this.#isIsolated = !hasNetwork && tasks.length > 1;
    this.#hasOthers = tasks.length > 1;
    for (const task of tasks) await this.#create("Job", this.#job(task, 1, this.#options.size.gpus), true);
  }

  /** Makes the Job of a task; the first one also what all have in common. */
  async makeJob(task: PortedTask, attempt: number, gpus: number): Promise<Refusals> {
    const { metadata } = createdSchema.parse(await this.#create("Job", this.#job(task, attempt, gpus)));
    if (this.#owner === undefined) {
      this.#owner = metadata;
      const { jobName } = this.#options;
      if (this.#hasOthers) await this.#create("Service", scriptService(jobName, metadata));
      if (this.#isIsolated) await this.#create("NetworkPolicy", scriptPolicy(jobName, metadata));
    }
    return (onRefused) => {
      const over = new LinkedAbortController(this.#options.signal);
      inBackground(this.#lookForRefusal(metadata.name, shortTaskText(task), onRefused, over.signal));
      return () => over.abort();
    };
  }

  /** Deletes everything, pods included. What cannot be deleted goes by itself an hour after its end. */
  async remove(): Promise<void> {
    const { api, namespace, jobName } = this.#options;
    await withDeadline(REMOVE_MILLIS, undefined, async (signal) => {
      for (const kind of ["Job", "Service", "NetworkPolicy"] as const) {
        await api
          .request({
            method: "DELETE",
            path: pathOf(kind, namespace),
            query: { labelSelector: scriptSelector(jobName), propagationPolicy: "Background" },
            what: `What belongs to ${jobName} cannot be deleted`,
            signal,
          })
          .catch(() => undefined);
      }
    });
  }

  #job(task: PortedTask, attempt: number, gpus: number): object {
    const { jobName: name, size } = this.#options;
    const { token } = this;
    return scriptJob({ ...size, name, task, attempt, port: task.port, token, gpus });
  }

  async #create(kind: "Job" | "Service" | "NetworkPolicy", body: object, isDry = false): Promise<unknown> {
    const { api, namespace, signal } = this.#options;
    return await api.request({
      method: "POST",
      path: pathOf(kind, namespace),
      query: { dryRun: isDry ? "All" : undefined },
      body,
      what: `A ${kind} cannot be created in namespace ${namespace}`,
      signal,
    });
  }

  /** A quota or an admission rule refuses pods; the Job's controller says so in events only. */
  async #lookForRefusal(
    job: string,
    task: string,
    onRefused: (reason: Problem) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { api, namespace } = this.#options;
    while (!signal.aborted) {
      await delay(LOOK_MILLIS, signal);
      if (signal.aborted) return;
      const answer = await api
        .request({
          path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`,
          query: { fieldSelector: `involvedObject.kind=Job,involvedObject.name=${job}` },
          what: "The events cannot be listed",
          signal,
        })
        .catch(() => ({ items: [] }));
      const refusal = eventsSchema
        .safeParse(answer)
        .data?.items.find(({ reason }) => reason === "FailedCreate");
      if (refusal === undefined) continue;
      onRefused({
        code: "FAILED_PRECONDITION",
        message: `Kubernetes does not make the pod of ${task}.`,
        reason: refusal.message ?? "It does not say why.",
        remedy: "Ask for less with --cpus, --memory and --gpus, or use another namespace.",
        task,
      });
      return;
    }
  }
}
