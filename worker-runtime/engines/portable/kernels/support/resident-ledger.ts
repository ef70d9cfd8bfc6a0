/** Threads at a time that have a slot: this one, and compute threads. */
const SLOTS = 128;

/** The slot of the thread that starts the others. */
const FIRST_SLOT = 0;

const KIB = 1024;

/** A thread that asks for room goes on after this time, whether there was an answer or not. */
const ANSWER_TIMEOUT_MILLIS = 10_000;

/** What a thread is given to see the ledger of its process. */
export interface LedgerShare {
  readonly memory: SharedArrayBuffer;
  readonly slot: number;
}

/**
 * What each thread of this process has outside of its JavaScript heap. V8 counts that exactly, but each thread for itself;
 * here all of them see the sum.
 */
export class ResidentLedger {
  /** KiB by slot, then what a thread that asked for room waits on, by slot. */
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #slot: number;
  readonly #free: number[] = Array.from({ length: SLOTS - 1 }, (_, i) => SLOTS - 1 - i);

  /** @param share of another thread's ledger; a new one unless given. */
  constructor({ memory, slot }: LedgerShare = { memory: newMemory(), slot: FIRST_SLOT }) {
    this.#words = new Int32Array(memory);
    this.#slot = slot;
  }

  /** A slot for a new thread; undefined where there is none left, and the thread is not counted. */
  open(): LedgerShare | undefined {
    const slot = this.#free.pop();
    return slot === undefined ? undefined : { memory: this.#words.buffer, slot };
  }

  /** Takes back the slot of a thread that is gone. */
  close({ slot }: LedgerShare): void {
    Atomics.store(this.#words, slot, 0);
    this.#free.push(slot);
  }

  /** Says what this thread has. */
  publish(bytes: number): void {
    Atomics.store(this.#words, this.#slot, Math.ceil(bytes / KIB));
  }

  /** What the other threads said last. */
  othersBytes(): number {
    let sum = 0;
    for (let slot = 0; slot < SLOTS; slot += 1) {
      sum += slot === this.#slot ? 0 : Atomics.load(this.#words, slot);
    }
    return sum * KIB;
  }

  /** Waits until the first thread has answered; for any other thread. @param ask sends it word. */
  waitForRoom(ask: () => void): void {
    Atomics.store(this.#words, SLOTS + this.#slot, 0);
    ask();
    Atomics.wait(this.#words, SLOTS + this.#slot, 0, ANSWER_TIMEOUT_MILLIS);
  }

  /** Lets a thread that waits for room go on. */
  answer({ slot }: LedgerShare): void {
    Atomics.store(this.#words, SLOTS + slot, 1);
    Atomics.notify(this.#words, SLOTS + slot);
  }
}

function newMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * SLOTS * Int32Array.BYTES_PER_ELEMENT);
}
