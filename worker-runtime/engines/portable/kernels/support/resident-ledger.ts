/** Threads at a time that have a place: this one, and compute threads. */
const PLACES = 128;

/** The place of the thread that starts the others. */
const FIRST_PLACE = 0;

const KIB = 1024;

/** A thread that asks for room goes on after so long, whether there was an answer or not. */
const ANSWER_TIMEOUT_MILLIS = 10_000;

/** What a thread is given to see the ledger of its process. */
export interface LedgerShare {
  readonly memory: SharedArrayBuffer;
  readonly place: number;
}

/**
 * What each thread of this process has outside of its JavaScript heap. V8 counts that exactly, but each thread for itself;
 * here all of them see the sum.
 */
export class ResidentLedger {
  /** KiB by place, then what a thread that asked for room waits on, by place. */
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #place: number;
  readonly #free: number[] = Array.from({ length: PLACES - 1 }, (_, i) => PLACES - 1 - i);

  /** @param share of another thread's ledger; a new one unless given. */
  constructor({ memory, place }: LedgerShare = { memory: newMemory(), place: FIRST_PLACE }) {
    this.#words = new Int32Array(memory);
    this.#place = place;
  }

  /** A place for a new thread; undefined where there is none left, and the thread is not counted. */
  open(): LedgerShare | undefined {
    const place = this.#free.pop();
    return place === undefined ? undefined : { memory: this.#words.buffer, place };
  }

  /** Takes back the place of a thread that is gone. */
  close({ place }: LedgerShare): void {
    Atomics.store(this.#words, place, 0);
    this.#free.push(place);
  }

  /** Says what this thread has. */
  publish(bytes: number): void {
    Atomics.store(this.#words, this.#place, Math.ceil(bytes / KIB));
  }

  /** What the other threads said last. */
  othersBytes(): number {
    let sum = 0;
    for (let place = 0; place < PLACES; place += 1) {
      sum += place === this.#place ? 0 : Atomics.load(this.#words, place);
    }
    return sum * KIB;
  }

  /** Waits until the first thread has answered; for any other thread. @param ask sends it word. */
  waitForRoom(ask: () => void): void {
    Atomics.store(this.#words, PLACES + this.#place, 0);
    ask();
    Atomics.wait(this.#words, PLACES + this.#place, 0, ANSWER_TIMEOUT_MILLIS);
  }

  /** Lets a thread that waits for room go on. */
  answer({ place }: LedgerShare): void {
    Atomics.store(this.#words, PLACES + place, 1);
    Atomics.notify(this.#words, PLACES + place);
  }
}

function newMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * PLACES * Int32Array.BYTES_PER_ELEMENT);
}
