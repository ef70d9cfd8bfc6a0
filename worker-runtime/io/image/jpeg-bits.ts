/** The bits of a JPEG scan, and its Huffman codes. */
import { invalidArgument } from "../../protocol/status.js";

/** Codes of at most this many bits are found by one look into a table. */
const QUICK_BITS = 9;

/** The codes of a DHT segment (T.81, annex C and figure F.16). */
export class HuffmanTable {
  readonly values: Uint8Array;
  /** By the next nine bits: length times 256 and value; 0 for longer codes. */
  readonly quick = new Uint16Array(1 << QUICK_BITS);
  /** By length: one more than the largest code of that length, and what leads from a code to its value. */
  readonly #end = new Int32Array(17);
  readonly #shift = new Int32Array(17);

  /** @param counts of codes of 1 to 16 bits */
  constructor(counts: Uint8Array, values: Uint8Array) {
    this.values = values;
    let code = 0;
    let index = 0;
    for (let length = 1; length <= 16; length++) {
      this.#shift[length] = index - code;
      for (let i = 0; i < (counts[length - 1] ?? 0); i++, code++, index++) {
        if (length > QUICK_BITS) continue;
        const first = code << (QUICK_BITS - length);
        this.quick.fill((length << 8) | (values[index] ?? 0), first, first + (1 << (QUICK_BITS - length)));
      }
      this.#end[length] = code;
      code <<= 1;
    }
  }

  /** The value of a code of more than nine bits. @throws TensorFlowError INVALID_ARGUMENT if there is none */
  longValue(bits: BitReader): number {
    let code = bits.take(QUICK_BITS);
    for (let length = QUICK_BITS + 1; length <= 16; length++) {
      code = (code << 1) | bits.take(1);
      if (code < (this.#end[length] ?? 0)) return this.values[code + (this.#shift[length] ?? 0)] ?? 0;
    }
    throw invalidArgument("The JPEG image is damaged: a code in it is not in its table.");
  }
}

/** Reads bits until the next marker; zeros follow, as TensorFlow's decoder reads a scan that ends early. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at: number;
  #held = 0;
  #count = 0;
  /** Bytes that were asked for after the last one. */
  #missing = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Whether more was read than there is. */
  get isExhausted(): boolean {
    return this.#missing * 8 > this.#count;
  }

  /** Where the next marker is, at the earliest. */
  get position(): number {
    return this.#at;
  }

  /** Bits as a number, at most 16. */
  take(count: number): number {
    if (this.#count < count) this.#fill();
    this.#count -= count;
    return (this.#held >>> this.#count) & ((1 << count) - 1);
  }

  /** A number of `size` bits with its sign (T.81, EXTEND). */
  signed(size: number): number {
    if (size === 0) return 0;
    const value = this.take(size);
    return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
  }

  /** The value of the next code. */
  code(table: HuffmanTable): number {
    if (this.#count < QUICK_BITS) this.#fill();
    const entry = table.quick[
      (this.#held >>> (this.#count - QUICK_BITS)) & ((1 << QUICK_BITS) - 1)
    ] as number;
    if (entry === 0) return table.longValue(this);
    this.#count -= entry >> 8;
    return entry & 255;
  }

  /** Goes on behind a restart marker, if that comes next. */
  restart(): void {
    this.#count = 0;
    this.#missing = 0;
    let at = this.#at;
    while (at + 1 < this.#bytes.length && !(this.#bytes[at] === 0xff && this.#bytes[at + 1] !== 0)) at++;
    const marker = this.#bytes[at + 1] ?? 0;
    if (marker >= 0xd0 && marker <= 0xd7) this.#at = at + 2;
  }

  /** Holds 17 to 24 bits more, which stay below 2^31. */
  #fill(): void {
    while (this.#count <= 16) {
      let byte = this.#bytes[this.#at];
      if (byte === undefined || (byte === 0xff && this.#bytes[this.#at + 1] !== 0)) {
        byte = 0;
        this.#missing += 1;
      } else {
        this.#at += byte === 0xff ? 2 : 1;
      }
      this.#held = ((this.#held & 0x7fffff) << 8) | byte;
      this.#count += 8;
    }
  }
}
