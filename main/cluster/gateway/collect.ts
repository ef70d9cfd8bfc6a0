import type { Readable } from "node:stream";

export interface Collected {
  readonly begun: Buffer;
  /** Whether the stream ended with it. */
  readonly complete: boolean;
}

/**
 * Reads the beginning of a stream: at least the given number of bytes, or all there are. The rest stays in the stream,
 * which is paused.
 *
 * @throws Error when the stream fails or is closed before that.
 */
export function collect(stream: Readable, bytes: number): Promise<Collected> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (settle: () => void): void => {
      stream.pause();
      stream.off("data", take).off("end", end).off("close", closed).off("error", reject);
      settle();
    };
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length >= bytes) finish(() => resolve({ begun: Buffer.concat(chunks), complete: false }));
    };
    const end = (): void => finish(() => resolve({ begun: Buffer.concat(chunks), complete: true }));
    const closed = (): void => finish(() => reject(new Error("the client disconnected")));
    stream.on("data", take).on("end", end).on("close", closed).on("error", reject);
  });
}
