/** Smaller messages get new memory, which costs little. */
const MIN_POOLED_BYTES = 2 ** 17;

/** A buffer serves messages of at least this share of its size. */
const MIN_USED_SHARE = 3 / 4;

/** Idle memory that is kept, in bytes. */
const MAX_IDLE_BYTES = 2 ** 28;

/** How long memory is kept that no message has used. */
const IDLE_MILLIS = 10_000;

interface IdleBuffer {
  readonly buffer: ArrayBuffer;
  readonly sinceMillis: number;
}

/**
 * Memory for large messages, used again and again. New memory costs more than the transfer itself: the system clears
 * each of its pages (64 MiB take 30 to 45 ms of processor time, and 5 if the memory was used before), and V8 marks its
 * whole heap after every 64 MiB of new arrays.
 */
export class ReceivePool {
  /** The buffers that may come back. */
  readonly #own = new WeakSet<ArrayBufferLike>();
  /** Those that were used last at the end. */
  #idle: IdleBuffer[] = [];
  #idleBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Idle memory, in bytes. */
  get idleBytes(): number {
    return this.#idleBytes;
  }

  /** Memory that was used before, with at least so many bytes and not many more; undefined if there is none. */
  reuse(byteLength: number): ArrayBuffer | undefined {
    const index = this.#idle.findLastIndex(
      ({ buffer }) => buffer.byteLength >= byteLength && buffer.byteLength * MIN_USED_SHARE <= byteLength,
    );
    if (index === -1) {
      return undefined;
    }
    const [found] = this.#idle.splice(index, 1);
    this.#idleBytes -= found?.buffer.byteLength ?? 0;
    return found?.buffer;
  }

  /**
   * New memory, whose contents are undefined.
   * @throws RangeError if there is none.
   */
  allocate(byteLength: number): ArrayBuffer {
    const { buffer } = Buffer.allocUnsafeSlow(byteLength);
    if (byteLength >= MIN_POOLED_BYTES) {
      this.#own.add(buffer);
    }
    return buffer;
  }

  /** Whether memory can be given back. */
  owns(buffer: ArrayBufferLike): buffer is ArrayBuffer {
    return this.#own.has(buffer);
  }

  /** Takes memory back that nothing refers to any more. */
  giveBack(buffer: ArrayBuffer): void {
    if (this.#idleBytes + buffer.byteLength <= MAX_IDLE_BYTES) {
      this.#idleBytes += buffer.byteLength;
      this.#idle.push({ buffer, sinceMillis: performance.now() });
      this.#timer ??= setTimeout(() => this.#dropUnused(), IDLE_MILLIS).unref();
    }
  }

  /** Leaves all idle memory to the garbage collector. */
  clear(): void {
    this.#idle = [];
    this.#idleBytes = 0;
  }

  #dropUnused(): void {
    const now = performance.now();
    this.#idle = this.#idle.filter(({ sinceMillis }) => now - sinceMillis < IDLE_MILLIS);
    this.#idleBytes = this.#idle.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    this.#timer =
      this.#idle.length === 0 ? undefined : setTimeout(() => this.#dropUnused(), IDLE_MILLIS).unref();
  }
}

/** The memory of this thread for large messages. */
export const receivePool = new ReceivePool();
