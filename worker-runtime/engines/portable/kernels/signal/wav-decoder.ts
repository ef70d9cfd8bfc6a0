import { invalidArgument } from "../../../../protocol/status.js";

const FORMAT_PCM = 1;
const BITS = 16;
const BYTES_PER_SAMPLE = BITS / 8;

/** The contents of a WAV file: frames of 16-bit samples, channel by channel. */
export interface DecodedWav {
  readonly channels: number;
  /** Frames per second. */
  readonly sampleRate: number;
  readonly samples: Int16Array;
}

/** Reads a file's bytes sequentially. Its methods throw INVALID_ARGUMENT if not enough bytes are left. */
class WavReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Returns the next bytes. */
  take(count: number, what: string): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) {
      throw invalidArgument(`Data too short when trying to read ${what}`);
    }
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Skips bytes, as far as there are any. */
  skip(count: number): void {
    this.#at = Math.min(this.#at + count, this.#bytes.length);
  }

  name(): string {
    return this.take(4, "string").toString("latin1");
  }

  expect(name: string): void {
    const found = this.name();
    if (found !== name) {
      throw invalidArgument(`Header mismatch: Expected ${name} but found ${found}`);
    }
  }

  uint16(): number {
    return this.take(2, "value").readUInt16LE();
  }

  uint32(): number {
    return this.take(4, "value").readUInt32LE();
  }
}

function readFormat(reader: WavReader): { readonly channels: number; readonly sampleRate: number } {
  const field = reader.name();
  if (field !== "fmt ") {
    throw invalidArgument(`Unexpected field ${field}`);
  }
  const size = reader.uint32();
  if (size !== 16 && size !== 18) {
    throw invalidArgument(`Bad format chunk size for WAV: Expected 16 or 18, but got${size}`);
  }
  const format = reader.uint16();
  if (format !== FORMAT_PCM) {
    throw invalidArgument(`Bad audio format for WAV: Expected 1 (PCM), but got${format}`);
  }
  const channels = reader.uint16();
  if (channels < 1) {
    throw invalidArgument(`Bad number of channels for WAV: Expected at least 1, but got ${channels}`);
  }
  const sampleRate = reader.uint32();
  const bytesPerSecond = reader.uint32();
  const bytesPerFrame = reader.uint16();
  const bits = reader.uint16();
  if (bits !== BITS) {
    throw invalidArgument(`Can only read 16-bit WAV files, but received ${bits}`);
  }
  const expected = channels * BYTES_PER_SAMPLE;
  if (bytesPerFrame !== expected) {
    throw invalidArgument(
      `Bad bytes per sample in WAV header: Expected ${expected} but got ${bytesPerFrame}`,
    );
  }
  if (bytesPerSecond !== bytesPerFrame * sampleRate) {
    throw invalidArgument(
      `Bad bytes per second in WAV header: Expected ${bytesPerFrame * sampleRate} but got ${bytesPerSecond} (sample_rate=${sampleRate}, bytes_per_sample=${bytesPerFrame})`,
    );
  }
  // The longer form ends with the size of optional extensions.
  reader.take(size - 16, "value");
  return { channels, sampleRate };
}

/**
 * The samples of a WAV file of 16-bit PCM, the only kind that TensorFlow reads.
 * @throws TensorFlowError INVALID_ARGUMENT for other files.
 */
export function decodeWav(bytes: Uint8Array): DecodedWav {
  const reader = new WavReader(bytes);
  reader.expect("RIFF");
  reader.uint32();
  reader.expect("WAVE");
  const { channels, sampleRate } = readFormat(reader);
  let samples: Int16Array | undefined;
  while (!reader.isAtEnd) {
    const name = reader.name();
    const size = reader.uint32();
    if (name !== "data") {
      reader.skip(size);
      continue;
    }
    if (samples !== undefined) {
      throw invalidArgument("More than one data chunk found in WAV");
    }
    const frames = Math.floor(size / (channels * BYTES_PER_SAMPLE));
    const data = reader.take(frames * channels * BYTES_PER_SAMPLE, "data");
    samples = new Int16Array(frames * channels).map((_, i) => data.readInt16LE(BYTES_PER_SAMPLE * i));
  }
  if (samples === undefined) {
    throw invalidArgument("No data chunk found in WAV");
  }
  return { channels, sampleRate, samples };
}
