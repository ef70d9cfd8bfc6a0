/** Holds the elements of a queue and decides which one is next. */
export interface ElementStore<E> {
  readonly size: number;
  push(element: E): void;
  /** Takes the next element. Called only while there is one. */
  pop(): E | undefined;
  /** Puts back the elements that were taken last, in the order in which they were taken. */
  restore(elements: readonly E[]): void;
}

/** First in, first out. */
export class FifoStore<E> implements ElementStore<E> {
  #elements: (E | undefined)[] = [];
  /**
   * The number of removed elements at the start of the list; they are cut off occasionally, since shift() moves the
   * whole list.
   */
  #gone = 0;

  get size(): number {
    return this.#elements.length - this.#gone;
  }

  push(element: E): void {
    this.#elements.push(element);
  }

  pop(): E | undefined {
    const element = this.#elements[this.#gone];
    this.#elements[this.#gone] = undefined;
    this.#gone += 1;
    if (this.#gone * 2 >= this.#elements.length) {
      this.#elements = this.#elements.slice(this.#gone);
      this.#gone = 0;
    }
    return element;
  }

  restore(elements: readonly E[]): void {
    this.#elements = [...elements, ...this.#elements.slice(this.#gone)];
    this.#gone = 0;
  }
}

/** All elements are equally likely to be next. */
export class ShuffledStore<E> implements ElementStore<E> {
  readonly #elements: E[] = [];
  readonly #random: () => number;

  /** @param random an unsigned 32-bit number. */
  constructor(random: () => number) {
    this.#random = random;
  }

  get size(): number {
    return this.#elements.length;
  }

  push(element: E): void {
    this.#elements.push(element);
  }

  /** The last element replaces the removed one, as in TensorFlow, which makes equal seeds give equal orders. */
  pop(): E | undefined {
    const index = this.#random() % this.#elements.length;
    const element = this.#elements[index];
    const last = this.#elements.pop();
    if (last !== undefined && index < this.#elements.length) {
      this.#elements[index] = last;
    }
    return element;
  }

  restore(elements: readonly E[]): void {
    for (const element of elements.toReversed()) {
      this.#elements.push(element);
    }
  }
}

interface Ranked<E> {
  readonly priority: bigint;
  /** Counts up: of equal priorities, the oldest is next. */
  readonly order: number;
  readonly element: E;
}

/** A binary heap: the element with the smallest number is next. */
export class PriorityStore<E> implements ElementStore<E> {
  readonly #heap: Ranked<E>[] = [];
  readonly #priorityOf: (element: E) => bigint;
  #order = 0;
  /** Counts down: restored elements are older than all others. */
  #restoredOrder = 0;

  constructor(priorityOf: (element: E) => bigint) {
    this.#priorityOf = priorityOf;
  }

  get size(): number {
    return this.#heap.length;
  }

  push(element: E): void {
    const ranked = { priority: this.#priorityOf(element), order: this.#order, element };
    this.#order += 1;
    let at = this.#heap.push(ranked) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#heap[parent];
      if (above === undefined || !isBefore(ranked, above)) {
        break;
      }
      this.#heap[at] = above;
      at = parent;
    }
    this.#heap[at] = ranked;
  }

  pop(): E | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#sink(last);
    }
    return first?.element;
  }

  restore(elements: readonly E[]): void {
    this.#restoredOrder -= elements.length;
    for (const [i, element] of elements.entries()) {
      this.#heap.push({ priority: this.#priorityOf(element), order: this.#restoredOrder + i, element });
    }
    // Makes each subtree a heap, from the last parent up, in linear time.
    for (let at = elements.length > 0 ? (this.#heap.length >> 1) - 1 : -1; at >= 0; at -= 1) {
      this.#sink(this.#heap[at] as Ranked<E>, at);
    }
  }

  /** Puts an element at an index and sifts it down. */
  #sink(ranked: Ranked<E>, index = 0): void {
    let at = index;
    for (;;) {
      let child = 2 * at + 1;
      let below = this.#heap[child];
      const right = this.#heap[child + 1];
      if (below !== undefined && right !== undefined && isBefore(right, below)) {
        child += 1;
        below = right;
      }
      if (below === undefined || !isBefore(below, ranked)) {
        this.#heap[at] = ranked;
        return;
      }
      this.#heap[at] = below;
      at = child;
    }
  }
}

function isBefore<E>(a: Ranked<E>, b: Ranked<E>): boolean {
  return a.priority < b.priority || (a.priority === b.priority && a.order < b.order);
}
