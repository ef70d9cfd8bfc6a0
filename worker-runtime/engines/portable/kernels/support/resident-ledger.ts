/** The maximum number of threads with a slot at a time: this one and compute threads. */
const SLOTS = 128;

/** The slot of the thread that starts the others. */
const FIRST_SLOT = 0;

const KIB = 1024;

/** A thread that asks for room continues after this time, even without an answer. */
const ANSWER_TIMEOUT_MILLIS = 10_000;

/** The message with which a thread shares the ledger of its process. */
export interface LedgerShare {
  readonly memory: SharedArrayBuffer;
  readonly slot: number;
}

/**
 * The memory of each thread of this process outside of its JavaScript heap. V8 counts that exactly, but per thread;
 * here all threads see the sum.
 */
export class ResidentLedger {
  /** KiB by slot, then, by slot, the word that a thread waits on after asking for room. */
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #slot: number;
  readonly #free: number[] = Array.from({ length: SLOTS - 1 }, (_, i) => SLOTS - 1 - i);

  /** @param share of another thread's ledger; defaults to a new one. */
  constructor({ memory, slot }: LedgerShare = { memory: newMemory(), slot: FIRST_SLOT }) {
    this.#words = new Int32Array(memory);
    this.#slot = slot;
  }

  /** Returns a slot for a new thread; undefined if none is left, in which case the thread is not counted. */
  open(): LedgerShare | undefined {
    const slot = this.#free.pop();
    return slot === undefined ? undefined : { memory: this.#words.buffer, slot };
  }

  /** Releases the slot of a thread that has exited. */
  close({ slot }: LedgerShare): void {
    Atomics.store(this.#words, slot, 0);
    this.#free.push(slot);
  }

  /** Publishes this thread's memory. */
  publish(bytes: number): void {
    Atomics.store(this.#words, this.#slot, Math.ceil(bytes / KIB));
  }

  /** The sum of what the other threads published last. */
  othersBytes(): number {
    let sum = 0;
    for (let slot = 0; slot < SLOTS; slot += 1) {
      sum += slot === this.#slot ? 0 : Atomics.load(this.#words, slot);
    }
    return sum * KIB;
  }

  /** Waits until the first thread has answered; for any other thread. @param ask sends the request. */
  waitForRoom(ask: () => void): void {
    Atomics.store(this.#words, SLOTS + this.#slot, 0);
    ask();
    Atomics.wait(this.#words, SLOTS + this.#slot, 0, ANSWER_TIMEOUT_MILLIS);
  }

  /** Wakes a thread that waits for room. */
  answer({ slot }: LedgerShare): void {
    Atomics.store(this.#words, SLOTS + slot, 1);
    Atomics.notify(this.#words, SLOTS + slot);
  }
}

function newMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * SLOTS * Int32Array.BYTES_PER_ELEMENT);
}
