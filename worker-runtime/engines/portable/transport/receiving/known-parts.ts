/** Longer parts are hardly ever equal. */
const MAX_PART_BYTES = 256;
/** Parts that are kept: more would only take memory. */
const MAX_PARTS = 2 ** 20;
const FIRST_SLOTS = 1024;
/** Integers of a part's place. */
const PLACE = 3;
/** The most slots that are looked at one after another: a message whose parts all have one hash value must not take longer. */
const MAX_PROBES = 16;

/** The decoded values of parts of one message, by the bytes of the part. */
export class KnownParts<T> {
  readonly #bytes: Uint8Array;
  /** By slot, the number of a part, from 1; 0 in free slots, which are at least half of them. */
  #slots = new Int32Array(FIRST_SLOTS);
  /** By number, the first of which is not used. */
  readonly #values: (T | undefined)[] = [undefined];
  /** By number, three for each part: its first byte, its length, and its hash value. Room for all that the slots take. */
  #places = new Int32Array((PLACE * FIRST_SLOTS) / 2);

  /** @param bytes of the message; they may not change. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The decoded value of equal bytes; undefined if there is none. */
  get(start: number, end: number): T | undefined {
    const slot =
      end - start > MAX_PART_BYTES ? undefined : this.#slotOf(this.#hashOf(start, end), start, end);
    return slot === undefined ? undefined : this.#values[this.#slots[slot] ?? 0];
  }

  /** Keeps what was made of bytes that `get` does not know. */
  add(start: number, end: number, value: T): void {
    if (end - start > MAX_PART_BYTES || this.#values.length > MAX_PARTS) {
      return;
    }
    const hash = this.#hashOf(start, end);
    const slot = this.#slotOf(hash, start, end);
    if (slot === undefined || this.#slots[slot] !== 0) {
      return;
    }
    const number = this.#values.length;
    this.#slots[slot] = number;
    this.#values.push(value);
    this.#places[PLACE * number] = start;
    this.#places[PLACE * number + 1] = end - start;
    this.#places[PLACE * number + 2] = hash;
    if (2 * this.#values.length >= this.#slots.length) {
      this.#grow();
    }
  }

  /** FNV-1a, whose lowest bits follow from all bytes. */
  #hashOf(start: number, end: number): number {
    const bytes = this.#bytes;
    let hash = 0x811c9dc5;
    for (let i = start; i < end; i += 1) {
      hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
    }
    return hash ^ (hash >>> 15);
  }

  /** The slot of equal bytes, or else a free one; undefined if too many slots would have to be looked at. */
  #slotOf(hash: number, start: number, end: number): number | undefined {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let probe = 0; probe < MAX_PROBES; probe += 1) {
      const slot = (hash + probe) & mask;
      const number = slots[slot] ?? 0;
      if (number === 0 || (this.#places[PLACE * number + 2] === hash && this.#isEqual(number, start, end))) {
        return slot;
      }
    }
    return undefined;
  }

  #isEqual(number: number, start: number, end: number): boolean {
    const length = end - start;
    if (this.#places[PLACE * number + 1] !== length) {
      return false;
    }
    const bytes = this.#bytes;
    const other = this.#places[PLACE * number] ?? 0;
    for (let i = 0; i < length; i += 1) {
      if (bytes[start + i] !== bytes[other + i]) {
        return false;
      }
    }
    return true;
  }

  #grow(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 1; number < this.#values.length; number += 1) {
      const hash = this.#places[PLACE * number + 2] ?? 0;
      for (let probe = 0; probe < MAX_PROBES; probe += 1) {
        const slot = (hash + probe) & mask;
        if (slots[slot] === 0) {
          slots[slot] = number;
          break;
        }
      }
    }
    this.#slots = slots;
    const places = new Int32Array((PLACE * slots.length) / 2);
    places.set(this.#places);
    this.#places = places;
  }
}
