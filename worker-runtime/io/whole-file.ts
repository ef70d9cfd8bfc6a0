/** Files that are read as a whole: each has a limit, and takes memory only for what it is known to hold. */
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { cancelledBy, invalidArgument, resourceExhausted } from "../protocol/status.js";

export interface WholeFileOptions {
  /** Defaults to half of what this process can still get. */
  readonly maxBytes?: number | undefined;
  /** A sentence: the remedy for a file that is larger. */
  readonly remedy?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const READ_BYTES = 64 * 2 ** 20;
/** The limit of a message of TensorFlow. */
const MAX_UNPACKED_BYTES = 2 ** 31;

/** Half of what this process can still get, within its control group if it has one. Bytes. */
function halfOfMemory(): number {
  return Math.floor(process.availableMemory() / 2);
}

/**
 * A few bytes unpack to a thousand times as many. What is made of them takes as much memory again.
 * @param bytes its size, as its archive says
 * @param what begins the error: "a.npz:x"
 * @throws TensorFlowError RESOURCE_EXHAUSTED
 */
export function checkUnpackedSize(bytes: number, what: string): void {
  const most = Math.min(MAX_UNPACKED_BYTES, halfOfMemory());
  if (bytes > most) {
    throw resourceExhausted(
      `"${what}" unpacks to ${sizeText(bytes)}; here at most ${sizeText(most)} are unpacked. ` +
        "Save it without compression (numpy.savez), or in several parts.",
    );
  }
}

/**
 * The content of a file, or of a pipe. Unlike Node's readFile it is not limited to 2 GiB, and a device, which may have no
 * end, is refused.
 * @throws TensorFlowError INVALID_ARGUMENT for a device; RESOURCE_EXHAUSTED beyond the limit; CANCELLED; Node's own errors
 *   of the file
 */
export async function readWholeFile(path: string, options: WholeFileOptions = {}): Promise<Buffer> {
  const { maxBytes = halfOfMemory(), signal } = options;
  const name = basename(path);
  const file = await open(path);
  try {
    const stats = await file.stat();
    if (stats.isCharacterDevice() || stats.isBlockDevice()) {
      throw invalidArgument(`"${name}" is a device, not a file. Choose a file.`);
    }
    if (stats.size > maxBytes) throw tooLarge(name, maxBytes, options.remedy);
    // Pipes, and files of /proc, do not say how much they hold.
    const isSized = stats.isFile() && stats.size > 0;
    let bytes = Buffer.allocUnsafe(isSized ? stats.size : 0);
    let filled = 0;
    for (;;) {
      if (signal?.aborted) throw cancelledBy(signal.reason, `Reading "${name}"`);
      if (filled === bytes.length) {
        if (isSized) return bytes;
        const larger = Buffer.allocUnsafe(Math.max(64 * 1024, filled * 2));
        bytes.copy(larger, 0, 0, filled);
        bytes = larger;
      }
      const length = Math.min(READ_BYTES, bytes.length - filled);
      const { bytesRead } = await file.read(bytes, filled, length, isSized ? filled : null);
      if (bytesRead === 0) return bytes.subarray(0, filled);
      filled += bytesRead;
      if (filled > maxBytes) throw tooLarge(name, maxBytes, options.remedy);
    }
  } finally {
    await file.close();
  }
}

function tooLarge(name: string, maxBytes: number, remedy = "Use a smaller file."): Error {
  return resourceExhausted(
    `"${name}" is larger than ${sizeText(maxBytes)}, the most that is read. ${remedy}`,
  );
}

function sizeText(bytes: number): string {
  const [unit, size] = bytes < 2 ** 30 ? ["MiB", 2 ** 20] : ["GiB", 2 ** 30];
  return `${Number((bytes / size).toFixed(1))} ${unit}`;
}
