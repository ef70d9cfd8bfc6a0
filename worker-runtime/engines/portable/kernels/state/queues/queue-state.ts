import type { ElementStore } from "./element-store.js";

/** How a request to a queue ended. */
export type Completion<E> =
  | { readonly id: number; readonly outcome: "done"; readonly elements: readonly E[] }
  /** An enqueue found the queue closed. */
  | { readonly id: number; readonly outcome: "closed" }
  /** A dequeue asked for more elements than a closed queue has. */
  | {
      readonly id: number;
      readonly outcome: "insufficient";
      readonly requested: number;
      readonly size: number;
    }
  /** A close found the queue already closed. */
  | { readonly id: number; readonly outcome: "already closed" }
  | { readonly id: number; readonly outcome: "cancelled"; readonly what: "Enqueue" | "Dequeue" | "Close" };

interface Enqueue<E> {
  readonly kind: "enqueue";
  readonly id: number;
  readonly elements: readonly E[];
  /** The number already in the queue; an enqueue of many uses the available room. */
  entered: number;
}

/** Queued among the enqueues: those before it still complete. */
interface Close {
  readonly kind: "close";
  readonly id: number;
}

interface Dequeue<E> {
  readonly id: number;
  count: number;
  /** Fewer than `count` are enough once the queue is closed. */
  readonly allowFewer: boolean;
  /** The elements taken so far: a dequeue of many takes what is available, as in TensorFlow. */
  taken: E[];
}

export interface QueueOptions {
  /** In elements; Infinity if unlimited. */
  readonly capacity: number;
  /** The number of elements that stay in the queue for shuffling until it is closed. */
  readonly minAfterDequeue?: number;
  /** Whether a dequeue of many waits for all of its elements: those of a priority queue must be the smallest of all. */
  readonly wholeBatches?: boolean;
  /** The number of elements that move before `isBusy`; defaults to no limit. */
  readonly movesPerTurn?: number;
}

/**
 * A queue and its waiting requests: events in, completions out, no promises, no clock. Each side is served strictly in
 * order. The rules are those of TensorFlow's core/kernels/queue_base.cc. Many elements move in several turns: while
 * `isBusy`, the caller must soon call `goOn`.
 *
 * The caller must give every request a unique id and discard it on completion.
 */
export class QueueState<E> {
  readonly #store: ElementStore<E>;
  readonly #options: QueueOptions;
  /** Enqueues and closes, oldest first. */
  #enqueues: (Enqueue<E> | Close)[] = [];
  /** Oldest first. Only the first can have taken elements. */
  #dequeues: Dequeue<E>[] = [];
  #closed = false;
  /** Elements that may still move in this turn. */
  #movesLeft = Number.POSITIVE_INFINITY;
  /** The last turn ended among the dequeues, which are served before any further enqueue. */
  #isTaking = false;

  constructor(store: ElementStore<E>, options: QueueOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** The number of elements that were not taken yet. */
  get size(): number {
    return this.#store.size;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return this.#enqueues.length + this.#dequeues.length;
  }

  /** Whether work is left for another turn, to be done at once. */
  get isBusy(): boolean {
    return this.#movesLeft === 0;
  }

  /** Continues the work that the last event left undone. */
  goOn(): readonly Completion<E>[] {
    return this.#serve();
  }

  enqueue(id: number, elements: readonly E[]): readonly Completion<E>[] {
    this.#enqueues.push({ kind: "enqueue", id, elements, entered: 0 });
    return this.#serve();
  }

  dequeue(id: number, count: number, allowFewer = false): readonly Completion<E>[] {
    this.#dequeues.push({ id, count, allowFewer, taken: [] });
    return this.#serve();
  }

  /**
   * Closes the queue: no element is accepted after this.
   * @param cancelPending whether waiting enqueues are cancelled; otherwise the close waits for them.
   */
  close(id: number, cancelPending: boolean): readonly Completion<E>[] {
    if (!cancelPending) {
      this.#enqueues.push({ kind: "close", id });
      return this.#serve();
    }
    this.#closed = true;
    const cancelled = this.#enqueues.map((request) => cancelledRequest<E>(request));
    this.#enqueues = [];
    return [...cancelled, { id, outcome: "done", elements: [] }, ...this.#serve()];
  }

  /** Cancels one request; elements that it took go back. Returns no completions if it has already ended. */
  cancel(id: number): readonly Completion<E>[] {
    const enqueue = this.#enqueues.find((request) => request.id === id);
    const dequeue = this.#dequeues.find((request) => request.id === id);
    if (enqueue === undefined && dequeue === undefined) {
      return [];
    }
    this.#enqueues = this.#enqueues.filter((request) => request !== enqueue);
    this.#dequeues = this.#dequeues.filter((request) => request !== dequeue);
    this.#store.restore(dequeue?.taken ?? []);
    const ended: Completion<E> =
      enqueue === undefined ? { id, outcome: "cancelled", what: "Dequeue" } : cancelledRequest<E>(enqueue);
    return [ended, ...this.#serve()];
  }

  /** Cancels all requests: the queue is being destroyed. */
  cancelAll(): readonly Completion<E>[] {
    const ended = [
      ...this.#enqueues.map((request) => cancelledRequest<E>(request)),
      ...this.#dequeues.map(({ id }): Completion<E> => ({ id, outcome: "cancelled", what: "Dequeue" })),
    ];
    this.#enqueues = [];
    this.#dequeues = [];
    this.#closed = true;
    return ended;
  }

  #serve(): readonly Completion<E>[] {
    const completions: Completion<E>[] = [];
    this.#movesLeft = this.#options.movesPerTurn ?? Number.POSITIVE_INFINITY;
    if (this.#isTaking) {
      this.#serveDequeues(completions);
      this.#isTaking = this.#movesLeft === 0;
    }
    let changed = true;
    while (changed && this.#movesLeft > 0) {
      changed = this.#serveEnqueues(completions);
      const movesLeft = this.#movesLeft;
      changed = this.#serveDequeues(completions) || changed;
      this.#isTaking = movesLeft > 0 && this.#movesLeft === 0;
    }
    return completions;
  }

  #serveEnqueues(completions: Completion<E>[]): boolean {
    let progress = false;
    for (let request = this.#enqueues[0]; request !== undefined; request = this.#enqueues[0]) {
      if (request.kind === "close") {
        completions.push(
          this.#closed
            ? { id: request.id, outcome: "already closed" }
            : { id: request.id, outcome: "done", elements: [] },
        );
        this.#closed = true;
      } else if (this.#closed) {
        completions.push({ id: request.id, outcome: "closed" });
      } else {
        progress = this.#put(request) || progress;
        if (request.entered < request.elements.length) {
          return progress;
        }
        completions.push({ id: request.id, outcome: "done", elements: [] });
      }
      progress = true;
      this.#enqueues.shift();
    }
    return progress;
  }

  /** Enqueues as many elements as there is room for. @returns whether there was any. */
  #put(request: Enqueue<E>): boolean {
    const { elements, entered } = request;
    const room = Math.max(this.#options.capacity - this.#store.size, 0);
    const entering = Math.min(elements.length - entered, room, this.#movesLeft);
    for (let i = 0; i < entering; i += 1) {
      this.#store.push(elements[entered + i] as E);
    }
    request.entered += entering;
    this.#movesLeft -= entering;
    return entering > 0;
  }

  #serveDequeues(completions: Completion<E>[]): boolean {
    let progress = false;
    for (let request = this.#dequeues[0]; request !== undefined; request = this.#dequeues[0]) {
      const completion = this.#closed ? this.#refusal(request) : undefined;
      if (completion === undefined) {
        progress = this.#take(request) || progress;
        if (request.taken.length < request.count) {
          return progress;
        }
        completions.push({ id: request.id, outcome: "done", elements: request.taken });
      } else {
        completions.push(completion);
      }
      progress = true;
      this.#dequeues.shift();
    }
    return progress;
  }

  /** The completion of a dequeue that a closed queue cannot serve; lowers the count of one that accepts fewer. */
  #refusal(request: Dequeue<E>): Completion<E> | undefined {
    if (request.taken.length + this.#store.size >= request.count) {
      return undefined;
    }
    const requested = request.count - request.taken.length;
    const size = this.#store.size;
    this.#store.restore(request.taken);
    request.taken = [];
    if (request.allowFewer && this.#store.size > 0) {
      request.count = this.#store.size;
      return undefined;
    }
    return { id: request.id, outcome: "insufficient", requested, size };
  }

  /** Takes the available elements for a request. @returns whether there were any. */
  #take(request: Dequeue<E>): boolean {
    const kept = this.#closed ? 0 : (this.#options.minAfterDequeue ?? 0);
    const available = Math.max(this.#store.size - kept, 0);
    const missing = request.count - request.taken.length;
    if (this.#options.wholeBatches === true && available < missing) {
      return false;
    }
    const taking = Math.min(available, missing, this.#movesLeft);
    for (let i = 0; i < taking; i += 1) {
      request.taken.push(this.#store.pop() as E);
    }
    this.#movesLeft -= taking;
    return taking > 0;
  }
}

function cancelledRequest<E>({ id, kind }: Enqueue<E> | Close): Completion<E> {
  return { id, outcome: "cancelled", what: kind === "close" ? "Close" : "Enqueue" };
}
