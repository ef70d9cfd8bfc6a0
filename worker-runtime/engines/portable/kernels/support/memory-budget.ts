import { totalmem } from "node:os";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { receivePool } from "../../memory/receive-pool.js";
import { type LedgerShare, ResidentLedger } from "./resident-ledger.js";

/** Smaller allocations are checked once they add up to this much: asking the system takes as long as filling them. */
const MIN_CHECKED_BYTES = 2 ** 20;

/** Share of the machine's memory left for other processes and for anything that is not a tensor. */
const RESERVED_SHARE = 0.05;

/** V8 ends the process when its heap is full, so allocations must be refused earlier. */
const HEAP_SHARE = 0.8;

/** An array buffer object with its view, and a reference to it. */
const BYTES_PER_STRING = 200;
/** For fewer strings, the heap is not checked. */
const MIN_CHECKED_STRINGS = 4096;

/** The minimum time between collections, unless something that may be garbage by now was released or made since. */
const COLLECTION_PERIOD_MILLIS = 1000;

/** This share of the process's limit, allocated since the last collection, is worth another one. */
const NEW_GARBAGE_SHARE = 1 / 64;

/**
 * Less garbage than this is left to V8, which by itself collects after half as much new memory. A collection that is asked
 * for makes V8 drop most compiled code, whose hidden classes have no objects at that moment: the next thousand steps of an
 * MLP with a parameter server then took half as much processor time again (6.0 instead of 4.0 ms of the worker).
 */
const IDLE_GARBAGE_BYTES = 2 ** 27;

/** The garbage collector goes through a heap of JavaScript objects of this size in about ten milliseconds. */
const QUICK_HEAP_BYTES = 2 ** 26;

/**
 * Reserved for small tensors in a process that is full, so that a client can delete what fills it.
 */
const TIDYING_SLACK_BYTES = 2 ** 24;
const MAX_TIDYING_BYTES = 2 ** 16;

/** The default limit of a task's tensors, as a share of the machine's memory. */
const RESIDENT_SHARE = 0.5;

const BYTES_PER_MIB = 2 ** 20;

/** The process, as far as the rules need to know it; replaced in tests. */
export interface MemoryEnvironment {
  /** Bytes that the system can still provide, less those that were promised and are not in use yet. */
  availableBytes(): number;
  /** Bytes of the machine, or of the part of it that the process may use. */
  totalBytes(): number;
  /**
   * Bytes outside of JavaScript's heap used by all threads of the process: tensors of variables, queues, tables, steps
   * and graphs, and messages, including garbage that is not collected yet.
   */
  residentBytes(): number;
  /**
   * Makes bytes that are allocated next count for the other threads, until `residentBytes` is called again.
   * @returns the resident bytes with them, among them what other threads are about to allocate
   */
  reserve(bytes: number): number;
  heap(): { readonly usedBytes: number; readonly limitBytes: number };
  collectGarbage(): void;
  nowMillis(): number;
}

/** Decides before an allocation whether there is room, so that exceeding the limit is an error and not a crash. */
export class MemoryBudget {
  readonly #environment: MemoryEnvironment;
  #residentLimit = Number.POSITIVE_INFINITY;
  /** Bytes that were granted since the last check. */
  #unseen = 0;
  #collectedMillis = Number.NEGATIVE_INFINITY;
  /** The resident bytes after the last collection. */
  #collectedResident = 0;
  /** Whether anything was released since the last collection. */
  #hasLetGo = false;

  constructor(environment: MemoryEnvironment = thisProcess) {
    this.#environment = environment;
  }

  /** Limits the tensors of the process, however much memory the machine has left. No limit unless set. */
  limitResident(bytes: number): void {
    this.#residentLimit = bytes;
  }

  get residentLimit(): number {
    return this.#residentLimit;
  }

  /** The limit of a process for which none is specified. */
  defaultResidentLimit(): number {
    return Math.floor(this.#environment.totalBytes() * RESIDENT_SHARE);
  }

  /**
   * Whether there is room for this many bytes outside of JavaScript's heap: the numbers of a tensor. Small allocations
   * are checked once they add up, and only against the limit of the process.
   */
  hasRoomFor(bytes: number): boolean {
    this.#unseen += bytes;
    return this.#unseen < MIN_CHECKED_BYTES || this.hasRoomNow(bytes);
  }

  /** Like `hasRoomFor`, but always checks; for 0 bytes, whether what is allocated already is within the limit. */
  hasRoomNow(bytes: number): boolean {
    const { availableBytes, totalBytes } = this.#environment;
    const fits = this.#fits(
      () =>
        !this.#isBeyondLimit(bytes) &&
        (bytes < MIN_CHECKED_BYTES ||
          (bytes <= availableBytes() - totalBytes() * RESERVED_SHARE && this.#reserves(bytes))),
    );
    // After a refusal every allocation is checked, or small ones would make a full process grow between two checks.
    this.#unseen = fits ? 0 : MIN_CHECKED_BYTES;
    return fits;
  }

  /** As `hasRoomFor`, for bytes that are already allocated: whether the process is within its limit with them. */
  hasRoomWith(bytes: number): boolean {
    this.#unseen += bytes;
    if (this.#unseen < MIN_CHECKED_BYTES) {
      return true;
    }
    const { residentBytes } = this.#environment;
    const fits = this.#fits(() => residentBytes() <= this.#residentLimit + slackFor(bytes));
    this.#unseen = fits ? 0 : MIN_CHECKED_BYTES;
    return fits;
  }

  /** Why this many bytes were refused, for an error message: "" if the limit of the process was not the reason. */
  refusal(bytes: number): string {
    return this.#isBeyondLimit(bytes)
      ? `; this task has ${mib(this.#environment.residentBytes())} MiB of tensors and messages, and may have ` +
          `${mib(this.#residentLimit)} MiB (--max_resident_mb)`
      : "";
  }

  /** Records that something large may be garbage now: a step or a session ended. */
  letGo(): void {
    this.#hasLetGo = true;
  }

  /** Collects garbage for another thread, unless the last collection was very recent. */
  makeRoom(): void {
    this.#mayCollect();
    // This publishes the current number to the other threads.
    this.#environment.residentBytes();
  }

  /** Collects garbage for a task that has nothing to do, if that is likely to free much and does not take long. */
  collectWhenIdle(): void {
    const { residentBytes, heap } = this.#environment;
    if (
      residentBytes() - this.#collectedResident >= IDLE_GARBAGE_BYTES &&
      heap().usedBytes <= QUICK_HEAP_BYTES
    ) {
      this.#collect();
    }
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

  /** Tests again after a collection, since much of what is in use may be uncollected garbage. */
  #fits(test: () => boolean): boolean {
    if (test()) {
      return true;
    }
    return this.#mayCollect() && test();
  }

  /** @returns whether there was a collection. */
  #mayCollect(): boolean {
    const isLate = this.#environment.nowMillis() - this.#collectedMillis >= COLLECTION_PERIOD_MILLIS;
    if (!isLate && !this.#hasLetGo && !this.#hasMade()) {
      return false;
    }
    this.#collect();
    return true;
  }

  #collect(): void {
    const now = this.#environment.nowMillis();
    this.#hasLetGo = false;
    this.#environment.collectGarbage();
    this.#collectedMillis = now;
    this.#collectedResident = this.#environment.residentBytes();
  }

  /** Whether much was allocated since the last collection: even within one long step, much of that may be garbage. */
  #hasMade(): boolean {
    const { residentBytes, totalBytes } = this.#environment;
    const most = Math.min(this.#residentLimit, totalBytes());
    return residentBytes() - this.#collectedResident >= most * NEW_GARBAGE_SHARE;
  }

  /** Threads that allocate at the same moment each see what the others were granted: together they keep the limit. */
  #reserves(bytes: number): boolean {
    if (this.#environment.reserve(bytes) <= this.#residentLimit) return true;
    // Withdraws it.
    this.#environment.residentBytes();
    return false;
  }

  #isBeyondLimit(bytes: number): boolean {
    return this.#environment.residentBytes() + bytes > this.#residentLimit + slackFor(bytes);
  }
}

function slackFor(bytes: number): number {
  return bytes < MAX_TIDYING_BYTES ? TIDYING_SLACK_BYTES : 0;
}

function mib(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_MIB);
}

let collect: ((options?: { readonly type: "minor" }) => void) | undefined;

/**
 * Collects what is no longer referenced; an idle thread does not do so on its own. Takes longer with a large heap.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as NonNullable<typeof collect>;
  }
  collect();
  // The memory of arrays is freed in the background, and counted as free when the next collection begins.
  collect({ type: "minor" });
}

/** The memory of all threads of this process; on a compute thread, its share of the ledger. */
export let residentLedger = new ResidentLedger();

/** Asks the thread that started this one to collect its garbage. */
let askForRoom: (() => void) | undefined;

/** Makes this thread share a ledger. @param ask sends a message to the thread that started this one. */
export function joinLedger(share: LedgerShare, ask: () => void): void {
  residentLedger = new ResidentLedger(share);
  askForRoom = ask;
}

/** Exact even for arrays that were transferred between threads, unlike Node's "arrayBuffers". */
function residentBytes(): number {
  const own = getHeapStatistics().external_memory;
  residentLedger.publish(own);
  return own + residentLedger.othersBytes();
}

function reserve(bytes: number): number {
  const own = getHeapStatistics().external_memory + bytes;
  residentLedger.publish(own);
  return own + residentLedger.othersBytes();
}

const thisProcess: MemoryEnvironment = {
  availableBytes: () => process.availableMemory() - Math.max(0, residentBytes() - process.memoryUsage.rss()),
  residentBytes,
  reserve,
  // In a container, less than the machine has.
  totalBytes: () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
  heap: () => {
    const { used_heap_size, heap_size_limit } = getHeapStatistics();
    return { usedBytes: used_heap_size, limitBytes: heap_size_limit };
  },
  collectGarbage() {
    receivePool.clear();
    collectGarbage();
    if (askForRoom !== undefined) {
      residentLedger.waitForRoom(askForRoom);
    }
  },
  nowMillis: () => performance.now(),
};

/** The memory of this process, as this thread sees it. */
export const memoryBudget = new MemoryBudget();
