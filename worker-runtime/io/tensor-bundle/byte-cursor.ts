import { dataLoss } from "../../protocol/status.js";

/** The longest 64-bit varint. */
const MAX_VARINT_BYTES = 10;

/** Reads numbers and bytes from a file's content; reading beyond the end throws DATA_LOSS. */
export class ByteCursor {
  readonly #bytes: Uint8Array;
  readonly #what: string;
  #at: number;

  /** @param what the content's name for errors: "index file /tmp/model.index". */
  constructor(bytes: Uint8Array, what: string, at = 0) {
    this.#bytes = bytes;
    this.#what = what;
    this.#at = at;
  }

  get position(): number {
    return this.#at;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** The next bytes; a view. @throws TensorFlowError DATA_LOSS */
  take(count: number): Uint8Array {
    if (count > this.left) {
      throw this.broken(`it ends ${count - this.left} bytes too early`);
    }
    const taken = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }

  /** A little-endian 32-bit number. @throws TensorFlowError DATA_LOSS */
  fixed32(): number {
    const bytes = this.take(4);
    return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  }

  /** A varint. @throws TensorFlowError DATA_LOSS, also for numbers beyond 2^53. */
  varint(): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < MAX_VARINT_BYTES; count += 1) {
      const [byte = 0] = this.take(1);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        if (!Number.isSafeInteger(value)) {
          break;
        }
        return value;
      }
      factor *= 0x80;
    }
    throw this.broken("it has a number that no size or place can have");
  }

  broken(why: string) {
    return dataLoss(`${this.#what} is damaged: ${why}.`);
  }
}

/** A number as a varint. */
export function varintBytes(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return bytes;
}

/** A 32-bit number, little-endian. */
export function fixed32Bytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
