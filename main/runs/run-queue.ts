import { randomUUID } from "node:crypto";
import type { QueuedRun } from "../api/run-queue.js";
import type { RunDocument } from "../api/run-state.js";
import type { RunRequest } from "../api/runs.js";
import { defined, problem } from "../shared/problems.js";

/** Each holds its graph and feeds in memory. */
const MAX_QUEUED = 20;

interface Waiting {
  readonly queueId: string;
  readonly request: RunRequest;
}

/** The runs that begin when those before them are over. */
export class RunQueue {
  readonly #tell: (queue: QueuedRun[]) => void;
  #waiting: readonly Waiting[] = [];

  /** @param tell called with the whole queue after every change */
  constructor(tell: (queue: QueuedRun[]) => void) {
    this.#tell = tell;
  }

  /** @throws ProblemError RESOURCE_EXHAUSTED when too many wait already */
  add(request: RunRequest): string {
    if (this.#waiting.length >= MAX_QUEUED) {
      throw problem("RESOURCE_EXHAUSTED", `${MAX_QUEUED} runs are waiting already.`, {
        remedy: "Wait until one of them is over, or remove one.",
      });
    }
    const queueId = randomUUID();
    this.#set([...this.#waiting, { queueId, request }]);
    return queueId;
  }

  /** Does nothing for a run that has begun. */
  remove(queueId: string): void {
    const left = this.#waiting.filter((one) => one.queueId !== queueId);
    if (left.length < this.#waiting.length) this.#set(left);
  }

  /** Takes the first, if one waits. @param begin is called before the others are told that it does not wait any more */
  beginNext(begin: (request: RunRequest) => void): void {
    const [first] = this.#waiting;
    if (!first) return;
    try {
      begin(first.request);
    } finally {
      this.remove(first.queueId);
    }
  }

  /** A document without a file was saved as one: the runs of it that wait are runs of the file. */
  documentSaved(document: Required<RunDocument>): void {
    const moved = this.#waiting.map((one) => {
      const { origin } = one.request;
      if (!origin || origin.id !== document.id || origin.path !== undefined) return one;
      return { ...one, request: { ...one.request, origin: { ...origin, ...document } } };
    });
    if (moved.some((one, index) => one !== this.#waiting[index])) this.#set(moved);
  }

  clear(): void {
    if (this.#waiting.length > 0) this.#set([]);
  }

  #set(waiting: readonly Waiting[]): void {
    this.#waiting = waiting;
    this.#tell(
      waiting.map(({ queueId, request: { origin, configuration, steps } }) =>
        defined({ queueId, document: origin?.document, documentId: origin?.id, configuration, steps }),
      ),
    );
  }
}
