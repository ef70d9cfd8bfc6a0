/** The resources that pods use, where the cluster has the metrics API. */
import { z } from "zod";
import { problemOf } from "../shared/problems.js";
import type { ApiServer } from "./api-server.js";
import { TENSORDECK_SELECTOR } from "./pod-task.js";

/** How often it is worth asking: the metrics API measures no more often. */
export const USAGE_MILLIS = 15_000;

export interface PodUsage {
  readonly cores: number;
  readonly memoryBytes: number;
}

const metricsSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      containers: z.array(z.object({ usage: z.object({ cpu: z.string(), memory: z.string() }) })),
    }),
  ),
});

/** By pod; undefined where the cluster measures nothing. @throws ProblemError */
export async function podUsage(
  api: ApiServer,
  namespace: string,
  signal?: AbortSignal,
  labelSelector = TENSORDECK_SELECTOR,
): Promise<ReadonlyMap<string, PodUsage> | undefined> {
  let answer: unknown;
  try {
    answer = await api.request({
      path: `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`,
      query: { labelSelector },
      what: "The load of the pods cannot be read",
      signal,
    });
  } catch (error) {
    // The API is an extension that many clusters lack.
    if (problemOf(error).code === "NOT_FOUND") return undefined;
    throw error;
  }
  return new Map(
    metricsSchema.parse(answer).items.map(({ metadata, containers }) => [
      metadata.name,
      {
        cores: containers.reduce((sum, { usage }) => sum + quantity(usage.cpu), 0),
        memoryBytes: containers.reduce((sum, { usage }) => sum + quantity(usage.memory), 0),
      },
    ]),
  );
}

/** By suffix, as Kubernetes' quantities are written. */
const SCALES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A quantity of Kubernetes as a number: "250m" is 0.25. NaN if it is none. */
export function quantity(text: string): number {
  const [, digits = "", suffix = ""] = /^([+-]?[\d.]+(?:e[+-]?\d+)?)([a-zA-Z]*)$/.exec(text) ?? [];
  const scale = SCALES[suffix];
  return digits === "" || scale === undefined ? Number.NaN : Number(digits) * scale;
}
