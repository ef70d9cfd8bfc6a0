import type { ElementStore } from "./element-store.js";

/** How a request to a queue ended. */
export type Completion<E> =
  | { readonly id: number; readonly outcome: "done"; readonly elements: readonly E[] }
  /** An enqueue found the queue closed. */
  | { readonly id: number; readonly outcome: "closed" }
  /** A dequeue asks for more than a closed queue has. */
  | {
      readonly id: number;
      readonly outcome: "insufficient";
      readonly requested: number;
      readonly size: number;
    }
  /** A close found the queue closed. */
  | { readonly id: number; readonly outcome: "already closed" }
  | { readonly id: number; readonly outcome: "cancelled"; readonly what: "Enqueue" | "Dequeue" | "Close" };

interface Enqueue<E> {
  readonly kind: "enqueue";
  readonly id: number;
  readonly elements: readonly E[];
  /** As many are in the queue already; an enqueue of many fills what room there is. */
  entered: number;
}

/** Waits its turn among the enqueues, so that those before it still get in. */
interface Close {
  readonly kind: "close";
  readonly id: number;
}

interface Dequeue<E> {
  readonly id: number;
  count: number;
  /** Fewer than `count` are enough once the queue is closed. */
  readonly allowFewer: boolean;
  /** Those that were taken already: a dequeue of many takes what there is, as TensorFlow does. */
  taken: E[];
}

export interface QueueOptions {
  /** Elements; Infinity for any number. */
  readonly capacity: number;
  /** As many stay in the queue until it is closed, so that there is something to shuffle. */
  readonly minAfterDequeue?: number;
  /** A dequeue of many waits until all of them are there: those of a priority queue must be the smallest of all. */
  readonly wholeBatches?: boolean;
  /** As many elements go in or out before `isBusy`; any number unless given. */
  readonly movesPerTurn?: number;
}

/**
 * A queue and the requests that wait for it: events in, completions out, no promises, no clock. Each side is served
 * strictly in order. The rules are those of TensorFlow's core/kernels/queue_base.cc. Many elements do not move at once:
 * while `isBusy`, the caller must soon call `goOn`.
 *
 * The caller must give every request an id of its own and forget it with its completion.
 */
export class QueueState<E> {
  readonly #store: ElementStore<E>;
  readonly #options: QueueOptions;
  /** Enqueues and closes, the oldest first. */
  #enqueues: (Enqueue<E> | Close)[] = [];
  /** The oldest first. Only the first one can have taken elements. */
  #dequeues: Dequeue<E>[] = [];
  #closed = false;
  /** Elements that may still move in this turn. */
  #movesLeft = Number.POSITIVE_INFINITY;
  /** The last turn ended among the dequeues: what is in the queue is theirs before anything else gets in. */
  #isTaking = false;

  constructor(store: ElementStore<E>, options: QueueOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Elements that were not taken yet. */
  get size(): number {
    return this.#store.size;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#enqueues.length + this.#dequeues.length;
  }

  /** Whether there is more to do at once, in another turn. */
  get isBusy(): boolean {
    return this.#movesLeft === 0;
  }

  /** Goes on with what the last event left undone. */
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
   * No element gets in after this.
   * @param cancelPending enqueues that wait are cancelled; otherwise the close waits for them.
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

  /** Ends one request; elements that it took already go back. No completions where it has ended before. */
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

  /** Ends all requests: the queue goes. */
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

  /** Puts elements into the queue that there is room for. @returns whether there was any. */
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

  /** What a closed queue says to a dequeue that it cannot serve; lowers the count of one that takes fewer. */
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

  /** Takes what there is for a request. @returns whether that was anything. */
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
