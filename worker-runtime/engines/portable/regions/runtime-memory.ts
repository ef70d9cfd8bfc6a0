import { memoryBudget, residentLedger } from "../kernels/support/memory-budget.js";
import { ResidentLedger } from "../kernels/support/resident-ledger.js";

/**
 * The share of the process's limit that all arenas may keep together. One grows by powers of two, and so has up to twice
 * what is counted for it.
 */
const ARENA_SHARE = 1 / 8;

/** The share of the process's limit for inputs that stay on ONNX Runtime's threads. */
const KEPT_SHARE = 1 / 8;

/** The memory that ONNX Runtime has apart from the tensors that V8 counts on this thread: it counts as the task's. */
export class RuntimeMemory {
  readonly #limit: () => number;
  readonly #publish: (bytes: number) => void;
  #arenaBytes = 0;
  #otherBytes = 0;

  /**
   * @param limit of the process, in bytes.
   * @param publish is told how much there is.
   */
  constructor(limit: () => number, publish: (bytes: number) => void) {
    this.#limit = limit;
    this.#publish = publish;
  }

  /** The most bytes of inputs that one thread keeps. */
  get mostKeptBytes(): number {
    return this.#limit() * KEPT_SHARE;
  }

  /** Counts what an arena keeps. @returns false if all of them would keep too much; then nothing is counted. */
  keepInArena(bytes: number): boolean {
    if (this.#arenaBytes + bytes > this.#limit() * ARENA_SHARE) {
      return false;
    }
    this.#arenaBytes += bytes;
    this.#publishAll();
    return true;
  }

  /** An arena is gone. */
  leaveArena(bytes: number): void {
    this.#arenaBytes -= bytes;
    this.#publishAll();
  }

  /** Counts what a run takes, or an input that stays on a thread. */
  take(bytes: number): void {
    this.#otherBytes += bytes;
    this.#publishAll();
  }

  /** Reverses a `take`. */
  give(bytes: number): void {
    this.take(-bytes);
  }

  #publishAll(): void {
    this.#publish(this.#arenaBytes + this.#otherBytes);
  }
}

let ledger: ResidentLedger | undefined;

/** That of this process, which only the thread that serves gRPC counts. */
export const runtimeMemory = new RuntimeMemory(
  () => memoryBudget.residentLimit,
  (bytes) => {
    if (ledger === undefined) {
      const share = residentLedger.open();
      ledger = share && new ResidentLedger(share);
    }
    ledger?.publish(bytes);
  },
);

/** The arenas of the sessions of one device, by their numbers. */
export class SessionArenas {
  readonly #memory: RuntimeMemory;
  readonly #bytes = new Map<number, number>();

  constructor(memory: RuntimeMemory = runtimeMemory) {
    this.#memory = memory;
  }

  /**
   * Counts the arena of a session for runs that take so many bytes.
   * @returns false if it would keep too much: the session has none then.
   */
  open(session: number, bytes: number): boolean {
    if (!this.#memory.keepInArena(bytes)) {
      return false;
    }
    this.#bytes.set(session, bytes);
    return true;
  }

  /** True if a run that takes so many bytes may use a session: false if its arena would keep too much afterwards. */
  takes(session: number, bytes: number): boolean {
    const counted = this.#bytes.get(session);
    if (counted === undefined || bytes <= counted) {
      return true;
    }
    if (!this.#memory.keepInArena(bytes - counted)) {
      return false;
    }
    this.#bytes.set(session, bytes);
    return true;
  }

  /** A session is gone. */
  close(session: number): void {
    this.#memory.leaveArena(this.#bytes.get(session) ?? 0);
    this.#bytes.delete(session);
  }

  /** All sessions are gone. */
  closeAll(): void {
    for (const session of [...this.#bytes.keys()]) {
      this.close(session);
    }
  }
}
