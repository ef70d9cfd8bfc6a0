/** The log of a task in a pod. */
import { createInterface } from "node:readline";
import type { ApiServer } from "./api-server.js";
import type { PodTask } from "./pod-task.js";

export interface PodLogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
}

export interface PodLogOptions {
  /** Go on with what is written from now on, until the signal is aborted or the container ends. */
  readonly follow: boolean;
  /** The newest lines that are there; absent: all. */
  readonly tailLines?: number;
  /** True for the container before its last restart. */
  readonly previous?: boolean;
  readonly signal: AbortSignal;
}

/** Lines as they come. @throws ProblemError if there is no log yet, the signal's reason */
export async function* podLog(
  api: ApiServer,
  namespace: string,
  { pod, container }: Pick<PodTask, "pod" | "container">,
  { follow, tailLines, previous = false, signal }: PodLogOptions,
): AsyncGenerator<PodLogLine> {
  const answer = await api.stream({
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`,
    query: { container, follow, tailLines, previous, timestamps: true },
    what: `The log of pod ${pod} cannot be read`,
    signal,
  });
  try {
    for await (const line of createInterface(answer)) yield lineOf(line);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    answer.destroy();
  }
}

/** The server begins each line with its time. */
function lineOf(line: string): PodLogLine {
  const [, time = "", rest] = /^(\S+) (.*)$/s.exec(line) ?? [];
  const at = Date.parse(time);
  return rest === undefined || Number.isNaN(at) ? { at: Date.now(), text: line } : { at, text: rest };
}
