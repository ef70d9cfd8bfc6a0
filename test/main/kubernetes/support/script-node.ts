/** A node for the pods of scripts: their containers are processes of this machine, whose ends it reports. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ApiServer } from "../../../../main/kubernetes/api-server.js";
import type { Pod } from "../../../../main/kubernetes/pod-task.js";
import { PodWatch } from "../../../../main/kubernetes/pod-watch.js";
import { requirePeer } from "../../../support/peers.js";
import type { Kubelet } from "./kubelet.js";

const what = "A test's request failed";
const specSchema = z.object({
  spec: z.object({
    containers: z
      .array(
        z.object({
          image: z.string(),
          command: z.array(z.string()),
          env: z.array(z.object({ name: z.string(), value: z.string() })),
        }),
      )
      .length(1),
  }),
});

export interface ScriptNodeOptions {
  readonly api: ApiServer;
  readonly namespace: string;
  readonly kubelet: Kubelet;
  /** In which each pod has one of its own. */
  readonly folder: string;
}

/** The image that no registry has. */
export const MISSING_IMAGE = "example.org/missing";
/** The image with which no pod gets to the node. */
export const REFUSED_IMAGE = "example.org/refused";

export class ScriptNode {
  readonly #options: ScriptNodeOptions;
  readonly #seen = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  /** Pods whose memory has run out. */
  readonly #outOfMemory = new Set<string>();
  /** Pods whose containers were started. */
  readonly #started = new Set<string>();
  #watch: PodWatch | undefined;

  private constructor(options: ScriptNodeOptions) {
    this.#options = options;
  }

  static async open(options: ScriptNodeOptions): Promise<ScriptNode> {
    requirePeer("python");
    const node = new ScriptNode(options);
    node.#watch = await PodWatch.open(
      options.api,
      options.namespace,
      { onPods: (pods) => node.#look(pods), onProblem: () => undefined },
      undefined,
      "app.kubernetes.io/name=tensordeck-script",
    );
    return node;
  }

  /** Ends the container of a pod as the system does when it takes too much memory. */
  runOutOfMemory(pod: string): void {
    this.#outOfMemory.add(pod);
    this.#options.kubelet.kill(pod, "SIGKILL");
  }

  /** Resolves when no container runs any more. */
  async close(): Promise<void> {
    await this.#watch?.close();
    for (const pod of this.#seen) this.#options.kubelet.kill(pod, "SIGKILL");
    await Promise.all(this.#running);
  }

  #look(pods: ReadonlyMap<string, Pod>): void {
    for (const name of this.#seen) {
      const pod = pods.get(name);
      if (pod !== undefined && pod.metadata.deletionTimestamp === undefined) continue;
      this.#options.kubelet.kill(name, "SIGKILL");
      // A running container confirms its end itself.
      if (pod !== undefined && !this.#started.has(name)) this.#confirmEnd(name);
    }
    for (const [name, pod] of pods) {
      if (this.#seen.has(name) || pod.metadata.deletionTimestamp !== undefined) continue;
      this.#seen.add(name);
      // The test that needs the pod fails then; one that has deleted it does not care.
      this.#running.add(this.#run(name).catch(() => undefined));
    }
  }

  async #run(pod: string): Promise<void> {
    const { api, namespace, kubelet, folder } = this.#options;
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}`;
    const { spec } = specSchema.parse(await api.request({ path, what }));
    if (spec.containers[0]?.image === REFUSED_IMAGE) return;
    await api.request({
      ...{ method: "POST", path: `${path}/binding`, what },
      body: {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: pod },
        target: { apiVersion: "v1", kind: "Node", name: "node-1" },
      },
    });
    const [{ image, command, env } = { image: "", command: [], env: [] }] = spec.containers;
    if (image.startsWith(MISSING_IMAGE)) {
      const waiting = { reason: "ImagePullBackOff", message: `Back-off pulling image "${image}"` };
      await this.#report(path, "Pending", { waiting });
      return;
    }
    const own = join(folder, pod);
    await mkdir(own, { recursive: true });
    this.#started.add(pod);
    const ended = kubelet.run(
      pod,
      // Kubernetes replaces $(NAME), and lets $$( stand for $(.
      command.map((word) => word.replaceAll("$$(", "$(")),
      {
        ...process.env,
        ...Object.fromEntries(env.map(({ name }) => [name, own])),
      },
    );
    await this.#report(path, "Running", { running: { startedAt: "2026-01-02T03:04:05Z" } });
    const code = await ended;
    const reason = this.#outOfMemory.has(pod) ? "OOMKilled" : code === 0 ? "Completed" : "Error";
    await this.#report(path, code === 0 ? "Succeeded" : "Failed", {
      terminated: { exitCode: code, reason },
    }).catch(() => undefined);
    this.#started.delete(pod);
    const found = await api.request({ path, what }).catch(() => undefined);
    const { metadata } = z
      .object({ metadata: z.looseObject({}) })
      .catch({ metadata: {} })
      .parse(found);
    if (metadata.deletionTimestamp !== undefined) this.#confirmEnd(pod);
  }

  /** The node of a pod that was deleted confirms the end; only then is it gone. */
  #confirmEnd(pod: string): void {
    const { api, namespace } = this.#options;
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}`;
    const confirmed = api
      .request({ method: "DELETE", path, query: { gracePeriodSeconds: 0 }, what })
      .catch(() => undefined);
    this.#running.add(confirmed.then(() => undefined));
  }

  async #report(path: string, phase: string, state: object): Promise<void> {
    await this.#options.api.request({
      ...{ method: "PATCH", path: `${path}/status`, what },
      contentType: "application/strategic-merge-patch+json",
      body: {
        status: {
          phase,
          containerStatuses: [
            { name: "script", image: "x", imageID: "x", ready: false, restartCount: 0, state, lastState: {} },
          ],
        },
      },
    });
  }
}
