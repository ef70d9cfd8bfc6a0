/** The pods of a namespace, followed for as long as the watch is open. */
import { createInterface } from "node:readline";
import { z } from "zod";
import { delay } from "../../worker-runtime/cancellation/delay.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Problem } from "../api/problem.js";
import { problemOf } from "../shared/problems.js";
import { apiProblem } from "./api-problem.js";
import type { ApiServer } from "./api-server.js";
import { type Pod, podSchema, TENSORDECK_SELECTOR } from "./pod-task.js";

const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  items: z.array(podSchema),
});

const eventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["ADDED", "MODIFIED", "DELETED"]), object: podSchema }),
  z.object({
    type: z.literal("BOOKMARK"),
    object: z.object({ metadata: z.object({ resourceVersion: z.string() }) }),
  }),
  z.object({ type: z.literal("ERROR"), object: z.unknown() }),
]);

/** Kubernetes' Status. */
const errorSchema = z.object({ code: z.number().catch(500) });

/** After a failure; doubled with each further one. */
const FIRST_PAUSE_MILLIS = 500;
const LONGEST_PAUSE_MILLIS = 30_000;
/** The server ends a watch after this time, before anything between here and there takes it for idle. */
const WATCH_SECONDS = 300;

export interface PodWatchListener {
  /** Called after every change, with all pods by name. */
  onPods(pods: ReadonlyMap<string, Pod>): void;
  /** Why the pods are not known now; undefined once they are. */
  onProblem(problem: Problem | undefined): void;
}

export class PodWatch {
  readonly #api: ApiServer;
  readonly #namespace: string;
  readonly #listener: PodWatchListener;
  readonly #selector: string;
  readonly #abort = new AbortController();
  readonly #pods = new Map<string, Pod>();
  /** Up to which changes are known; undefined: the pods have to be listed. */
  #version: string | undefined;
  #isFailing = false;
  #done: Promise<void> = Promise.resolve();

  private constructor(api: ApiServer, namespace: string, listener: PodWatchListener, selector: string) {
    this.#selector = selector;
    this.#api = api;
    this.#namespace = namespace;
    this.#listener = listener;
  }

  /** Resolves when the pods are known. @throws ProblemError if they cannot be listed, the signal's reason */
  static async open(
    api: ApiServer,
    namespace: string,
    listener: PodWatchListener,
    signal?: AbortSignal,
    selector = TENSORDECK_SELECTOR,
  ): Promise<PodWatch> {
    const watch = new PodWatch(api, namespace, listener, selector);
    watch.#version = await watch.#list(signal);
    watch.#done = watch.#follow();
    inBackground(watch.#done);
    return watch;
  }

  /** Resolves when nothing of it runs any more. */
  async close(): Promise<void> {
    this.#abort.abort();
    await this.#done;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#abort;
    let pause = FIRST_PAUSE_MILLIS;
    while (!signal.aborted) {
      try {
        this.#version ??= await this.#list(signal);
        this.#tell(undefined);
        pause = FIRST_PAUSE_MILLIS;
        await this.#watch(this.#version);
      } catch (error) {
        if (signal.aborted) return;
        const problem = problemOf(error);
        this.#version = undefined;
        // The changes since then are no longer kept: the pods are listed anew.
        if (problem.code === "OUT_OF_RANGE") continue;
        this.#tell(problem);
        await delay(pause, signal);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
      }
    }
  }

  #tell(problem: Problem | undefined): void {
    if (problem === undefined && !this.#isFailing) return;
    this.#isFailing = problem !== undefined;
    this.#listener.onProblem(problem);
  }

  get #path(): string {
    return `/api/v1/namespaces/${encodeURIComponent(this.#namespace)}/pods`;
  }

  async #list(signal: AbortSignal | undefined): Promise<string> {
    const { metadata, items } = listSchema.parse(
      await this.#api.request({
        path: this.#path,
        query: { labelSelector: this.#selector },
        what: `The pods of namespace ${this.#namespace} cannot be listed`,
        signal,
      }),
    );
    this.#pods.clear();
    for (const pod of items) this.#pods.set(pod.metadata.name, pod);
    this.#listener.onPods(this.#pods);
    return metadata.resourceVersion;
  }

  /** Resolves when the server ends the watch. @throws ProblemError */
  async #watch(resourceVersion: string): Promise<void> {
    const what = `The pods of namespace ${this.#namespace} cannot be followed`;
    const answer = await this.#api.stream({
      path: this.#path,
      query: {
        labelSelector: this.#selector,
        watch: true,
        allowWatchBookmarks: true,
        timeoutSeconds: WATCH_SECONDS,
        resourceVersion,
      },
      what,
      signal: this.#abort.signal,
    });
    for await (const line of createInterface(answer)) {
      const event = eventSchema.parse(JSON.parse(line));
      if (event.type === "ERROR") {
        const { code } = errorSchema.parse(event.object);
        throw apiProblem(what, code, JSON.stringify(event.object));
      }
      this.#version = event.object.metadata.resourceVersion;
      if (event.type === "BOOKMARK") continue;
      const { name } = event.object.metadata;
      if (event.type === "DELETED") this.#pods.delete(name);
      else this.#pods.set(name, event.object);
      this.#listener.onPods(this.#pods);
    }
  }
}
