import { totalmem } from "node:os";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Smaller ones are not looked at one by one: to ask the system takes as long as to fill them. */
const MIN_CHECKED_BYTES = 2 ** 20;

/** Of the machine's memory; it is left for others, and for what is no tensor. */
const RESERVED_SHARE = 0.05;

/** V8 ends the process when its heap is full, so objects must stop before. */
const HEAP_SHARE = 0.8;

/** An array buffer object with its view, and a reference to it. */
const BYTES_PER_STRING = 200;
/** Fewer strings are not worth a look at the heap. */
const MIN_CHECKED_STRINGS = 4096;

/** A collection that did not help is not repeated before. */
const COLLECTION_PERIOD_MILLIS = 1000;

/** What the rules ask of the process; replaced in tests. */
export interface MemoryEnvironment {
  /** Bytes that the system can still give, less those that were promised and are not in use yet. */
  availableBytes(): number;
  /** Bytes of the machine or of the part of it that the process may take. */
  totalBytes(): number;
  heap(): { readonly usedBytes: number; readonly limitBytes: number };
  collectGarbage(): void;
  nowMillis(): number;
}

/** Says before something is allocated whether the process can have it, so that too much is an error and not its end. */
export class MemoryBudget {
  readonly #environment: MemoryEnvironment;
  #collectedMillis = Number.NEGATIVE_INFINITY;

  constructor(environment: MemoryEnvironment = thisProcess) {
    this.#environment = environment;
  }

  /** Whether there is room for so many bytes outside of JavaScript's heap: the numbers of a tensor. */
  hasRoomFor(bytes: number): boolean {
    const { availableBytes, totalBytes } = this.#environment;
    return (
      bytes < MIN_CHECKED_BYTES || this.#fits(() => bytes <= availableBytes() - totalBytes() * RESERVED_SHARE)
    );
  }

  /** Whether there is room for the elements of a string tensor, which are objects on JavaScript's heap. */
  hasRoomForStrings(count: number): boolean {
    return (
      count < MIN_CHECKED_STRINGS ||
      this.#fits(() => {
        const { usedBytes, limitBytes } = this.#environment.heap();
        return usedBytes + count * BYTES_PER_STRING <= limitBytes * HEAP_SHARE;
      })
    );
  }

  /** Much of what is in use may be garbage that nobody has collected yet. */
  #fits(test: () => boolean): boolean {
    if (test()) {
      return true;
    }
    const now = this.#environment.nowMillis();
    if (now - this.#collectedMillis < COLLECTION_PERIOD_MILLIS) {
      return false;
    }
    this.#environment.collectGarbage();
    this.#collectedMillis = now;
    return test();
  }
}

let collect: (() => void) | undefined;

/** Gives back what nobody refers to any more; a thread without work does not do so by itself. Takes longer with a large heap. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}

const thisProcess: MemoryEnvironment = {
  availableBytes() {
    const { rss, arrayBuffers } = process.memoryUsage();
    return process.availableMemory() - Math.max(0, arrayBuffers - rss);
  },
  // Less than the machine has in a container.
  totalBytes: () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
  heap: () => {
    const { used_heap_size, heap_size_limit } = getHeapStatistics();
    return { usedBytes: used_heap_size, limitBytes: heap_size_limit };
  },
  collectGarbage,
  nowMillis: () => performance.now(),
};

/** The memory of this process, as this thread sees it. */
export const memoryBudget = new MemoryBudget();
