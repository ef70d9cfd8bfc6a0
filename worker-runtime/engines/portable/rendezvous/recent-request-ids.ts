import { aborted } from "../../../protocol/status.js";

/**
 * Number of ids that are remembered, as in TensorFlow's recent_request_ids.h: at a few hundred calls a second this
 * covers minutes, longer than any transport retries a call.
 */
const DEFAULT_CAPACITY = 100_000;

/** Slots of the hash table for each id, at least: most ids are then in the first slot that is looked at. */
const SLOTS_PER_ID = 2;

/** Odd multipliers that spread both halves of an id over all bits (of MurmurHash3). */
const LOW_MULTIPLIER = 0x85ebca6b;
const HIGH_MULTIPLIER = 0xc2b2ae35;

/**
 * Detects a request that was received twice. A transport may retry a call whose answer was lost; a repeated RecvTensor
 * would wait forever, as the value is delivered once, and a repeated RunGraph would run a step a second time. Ids are
 * random 64-bit numbers; 0 stands for a caller without an id and is never refused.
 *
 * Unlike in TensorFlow, only a request for the same step is a repeated one. A TensorFlow master runs each step on a new
 * thread, whose generator of ids is seeded with 32 bits (request_id.cc; tsl/platform/random.cc): among 100,000 remembered
 * ids, one of 43,000 steps has an id that is there by chance. The ids of steps are from another generator.
 *
 * The ids are in typed arrays, a ring and an open-addressed hash table of its indices: 100,000 take 2.6 MB. A Map of them
 * takes 12 MB of V8's heap, which a task that runs small steps has filled within minutes.
 */
export class RecentRequestIds {
  /** The ids in the order of their arrival; a ring. 0 where none has been yet. */
  readonly #ids: BigInt64Array;
  /** The step of each id. */
  readonly #steps: BigInt64Array;
  /** Where an id is in the ring, plus 1; 0 for a free slot. An id is in the first slot from its home on that was free. */
  readonly #slots: Int32Array;
  /** The next index of the ring: that of the oldest id, once it is full. */
  #next = 0;
  /** An id, and its two halves. */
  readonly #whole = new BigInt64Array(1);
  readonly #halves = new Int32Array(this.#whole.buffer);

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#ids = new BigInt64Array(capacity);
    this.#steps = new BigInt64Array(capacity);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(capacity * SLOTS_PER_ID)));
  }

  /**
   * Records the id of a request for a step.
   *
   * @param what the method as in TensorFlow's error text, "RecvTensor (GrpcWorker)".
   * @param request describes the request for people.
   * @throws TensorFlowError ABORTED when it was recorded for this step before.
   */
  track(id: bigint, stepId: bigint, what: string, request: () => string): void {
    if (id === 0n) {
      return;
    }
    const known = this.#indexIn(this.#slotOf(id));
    if (known !== undefined) {
      if (this.#steps[known] === stepId) {
        throw aborted(`The same ${what} request was received twice. ${request()}`);
      }
      this.#steps[known] = stepId;
      return;
    }
    const index = this.#next;
    const oldest = this.#ids[index] ?? 0n;
    if (oldest !== 0n) {
      this.#free(this.#slotOf(oldest));
    }
    this.#ids[index] = id;
    this.#steps[index] = stepId;
    this.#slots[this.#slotOf(id)] = index + 1;
    this.#next = (index + 1) % this.#ids.length;
  }

  /** The ring's index in a slot; undefined for a free one. */
  #indexIn(slot: number): number | undefined {
    const entry = this.#slots[slot] ?? 0;
    return entry === 0 ? undefined : entry - 1;
  }

  /** The slot that an id is in, or the free one that it would be put into. */
  #slotOf(id: bigint): number {
    for (let slot = this.#homeOf(id); ; slot = this.#after(slot)) {
      const index = this.#indexIn(slot);
      if (index === undefined || this.#ids[index] === id) {
        return slot;
      }
    }
  }

  #homeOf(id: bigint): number {
    this.#whole[0] = id;
    const low = this.#halves[0] ?? 0;
    const high = this.#halves[1] ?? 0;
    const mixed = Math.imul(low, LOW_MULTIPLIER) ^ Math.imul(high, HIGH_MULTIPLIER);
    return (mixed ^ (mixed >>> 15)) & (this.#slots.length - 1);
  }

  #after(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }

  /** Frees a slot. Those behind it that could then not be found from their homes any more move up. */
  #free(slot: number): void {
    const distance = (from: number, to: number) => (to - from) & (this.#slots.length - 1);
    let hole = slot;
    for (let next = this.#after(hole); ; next = this.#after(next)) {
      const index = this.#indexIn(next);
      if (index === undefined) {
        break;
      }
      const home = this.#homeOf(this.#ids[index] ?? 0n);
      if (distance(home, next) >= distance(hole, next)) {
        this.#slots[hole] = index + 1;
        hole = next;
      }
    }
    this.#slots[hole] = 0;
  }
}
