import { totalmem } from "node:os";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type LedgerShare, ResidentLedger } from "./resident-ledger.js";

/** Smaller ones are looked at when they come to as much together: to ask the system takes as long as to fill them. */
const MIN_CHECKED_BYTES = 2 ** 20;

/** Of the machine's memory; it is left for others, and for what is no tensor. */
const RESERVED_SHARE = 0.05;

/** V8 ends the process when its heap is full, so objects must stop before. */
const HEAP_SHARE = 0.8;

/** An array buffer object with its view, and a reference to it. */
const BYTES_PER_STRING = 200;
/** Fewer strings are not worth a look at the heap. */
const MIN_CHECKED_STRINGS = 4096;

/** A collection is not repeated before, unless something was let go or made meanwhile that may be garbage by now. */
const COLLECTION_PERIOD_MILLIS = 1000;

/** So much of what the process may have, made since a collection, is worth another one. */
const NEW_GARBAGE_SHARE = 1 / 64;

/** A process that is full still has so much for tensors of less than that, so that a client can take away what fills it. */
const TIDYING_SLACK_BYTES = 2 ** 24;
const MAX_TIDYING_BYTES = 2 ** 16;

/** Of the machine's memory, what a task may have of tensors unless it is told otherwise. */
const RESIDENT_SHARE = 0.5;

const BYTES_PER_MIB = 2 ** 20;

/** What the rules ask of the process; replaced in tests. */
export interface MemoryEnvironment {
  /** Bytes that the system can still give, less those that were promised and are not in use yet. */
  availableBytes(): number;
  /** Bytes of the machine or of the part of it that the process may take. */
  totalBytes(): number;
  /**
   * Bytes outside of JavaScript's heap that the process has on all its threads: tensors of variables, queues, tables,
   * steps and graphs, and messages, with those among them that are garbage and not collected yet.
   */
  residentBytes(): number;
  heap(): { readonly usedBytes: number; readonly limitBytes: number };
  collectGarbage(): void;
  nowMillis(): number;
}

/** Says before something is allocated whether the process can have it, so that too much is an error and not its end. */
export class MemoryBudget {
  readonly #environment: MemoryEnvironment;
  #residentLimit = Number.POSITIVE_INFINITY;
  /** Bytes that were given since the last look. */
  #unseen = 0;
  #collectedMillis = Number.NEGATIVE_INFINITY;
  /** What was there after the last collection. */
  #collectedResident = 0;
  /** Whether something was let go since the last collection. */
  #hasLetGo = false;

  constructor(environment: MemoryEnvironment = thisProcess) {
    this.#environment = environment;
  }

  /** What the process may have of tensors, however much memory the machine has left. Without limit unless set. */
  limitResident(bytes: number): void {
    this.#residentLimit = bytes;
  }

  get residentLimit(): number {
    return this.#residentLimit;
  }

  /** A limit for a process that is not told one. */
  defaultResidentLimit(): number {
    return Math.floor(this.#environment.totalBytes() * RESIDENT_SHARE);
  }

  /**
   * Whether there is room for so many bytes outside of JavaScript's heap: the numbers of a tensor. Small ones are only
   * held against the limit of the process.
   */
  hasRoomFor(bytes: number): boolean {
    this.#unseen += bytes;
    return this.#unseen < MIN_CHECKED_BYTES || this.hasRoomNow(bytes);
  }

  /** As `hasRoomFor`, and looks even for a few bytes, or for none: whether what is here already is within the limit. */
  hasRoomNow(bytes: number): boolean {
    const { availableBytes, totalBytes } = this.#environment;
    const fits = this.#fits(
      () =>
        !this.#isBeyondLimit(bytes) &&
        (bytes < MIN_CHECKED_BYTES || bytes <= availableBytes() - totalBytes() * RESERVED_SHARE),
    );
    // After a refusal all are looked at, or a full process would grow by small ones between two looks.
    this.#unseen = fits ? 0 : MIN_CHECKED_BYTES;
    return fits;
  }

  /** Why so many bytes were refused, for a message: "" where it was not for the limit of the process. */
  refusal(bytes: number): string {
    return this.#isBeyondLimit(bytes)
      ? `; this task has ${mib(this.#environment.residentBytes())} MiB of tensors and messages, and may have ` +
          `${mib(this.#residentLimit)} MiB (--max_resident_mb)`
      : "";
  }

  /** Says that something large may be garbage now: a step or a session ended. */
  letGo(): void {
    this.#hasLetGo = true;
  }

  /** Collects garbage for another thread, unless the last collection was just now. */
  makeRoom(): void {
    this.#mayCollect();
    // Which tells the other threads what there is now.
    this.#environment.residentBytes();
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

  /** Much of what is in use may be garbage that is not collected yet. */
  #fits(test: () => boolean): boolean {
    if (test()) {
      return true;
    }
    return this.#mayCollect() && test();
  }

  /** @returns whether there was a collection. */
  #mayCollect(): boolean {
    const now = this.#environment.nowMillis();
    const isLate = now - this.#collectedMillis >= COLLECTION_PERIOD_MILLIS;
    if (!isLate && !this.#hasLetGo && !this.#hasMade()) {
      return false;
    }
    this.#hasLetGo = false;
    this.#environment.collectGarbage();
    this.#collectedMillis = now;
    this.#collectedResident = this.#environment.residentBytes();
    return true;
  }

  /** Whether much was made since the last collection: of one long step, too, much of that may be garbage. */
  #hasMade(): boolean {
    const { residentBytes, totalBytes } = this.#environment;
    const most = Math.min(this.#residentLimit, totalBytes());
    return residentBytes() - this.#collectedResident >= most * NEW_GARBAGE_SHARE;
  }

  #isBeyondLimit(bytes: number): boolean {
    const slack = bytes < MAX_TIDYING_BYTES ? TIDYING_SLACK_BYTES : 0;
    return this.#environment.residentBytes() + bytes > this.#residentLimit + slack;
  }
}

function mib(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_MIB);
}

let collect: ((options?: { readonly type: "minor" }) => void) | undefined;

/** Collects what is no longer referenced; a thread without work does not do so by itself. Takes longer with a large heap. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as NonNullable<typeof collect>;
  }
  collect();
  // The memory of arrays is given back in the background, and counted as given back when the next collection begins.
  collect({ type: "minor" });
}

/** What the threads of this process have; on a compute thread, its share of it. */
export let residentLedger = new ResidentLedger();

/** Asks the thread that started this one to collect its garbage, too. */
let askForRoom: (() => void) | undefined;

/** Makes this thread one of those that share a ledger. @param ask sends word to the thread that started this one. */
export function joinLedger(share: LedgerShare, ask: () => void): void {
  residentLedger = new ResidentLedger(share);
  askForRoom = ask;
}

/** Exact for arrays that were sent from thread to thread, too, as the number of "arrayBuffers" of Node is not. */
function residentBytes(): number {
  const own = getHeapStatistics().external_memory;
  residentLedger.publish(own);
  return own + residentLedger.othersBytes();
}

const thisProcess: MemoryEnvironment = {
  availableBytes: () => process.availableMemory() - Math.max(0, residentBytes() - process.memoryUsage.rss()),
  residentBytes,
  // Less than the machine has in a container.
  totalBytes: () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
  heap: () => {
    const { used_heap_size, heap_size_limit } = getHeapStatistics();
    return { usedBytes: used_heap_size, limitBytes: heap_size_limit };
  },
  collectGarbage() {
    collectGarbage();
    if (askForRoom !== undefined) {
      residentLedger.waitForRoom(askForRoom);
    }
  },
  nowMillis: () => performance.now(),
};

/** The memory of this process, as this thread sees it. */
export const memoryBudget = new MemoryBudget();
