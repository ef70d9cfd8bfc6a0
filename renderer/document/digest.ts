/** A fingerprint that is worked out at once, which Web Crypto's are not. It guards against chance, not against intent. */

/** FNV-1a's prime, and another for the second half. */
const PRIMES = [0x0100_0193, 0x85eb_ca6b] as const;
const SEEDS = [0x811c_9dc5, 0x9e37_79b9] as const;

const encoder = new TextEncoder();

/** 64 bits over everything that was added. */
export class Digest {
  #low: number = SEEDS[0];
  #high: number = SEEDS[1];

  /** Separates the added part from what follows it. */
  bytes(bytes: Uint8Array): this {
    let low = this.#low;
    let high = this.#high;
    for (const byte of [bytes.length & 0xff, (bytes.length >>> 8) & 0xff, bytes.length >>> 16]) {
      low = Math.imul(low ^ byte, PRIMES[0]);
      high = Math.imul(high ^ byte, PRIMES[1]);
    }
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      low = Math.imul(low ^ byte, PRIMES[0]);
      high = Math.imul(high ^ (low >>> 15) ^ byte, PRIMES[1]);
    }
    this.#low = low;
    this.#high = high;
    return this;
  }

  text(text: string): this {
    return this.bytes(encoder.encode(text));
  }

  hex(): string {
    return [this.#low, this.#high].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
  }
}
