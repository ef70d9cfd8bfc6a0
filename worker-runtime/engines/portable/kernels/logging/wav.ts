const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;

/** Frames of sound between -1 and 1. */
export interface Sound {
  /** Frames per second. */
  readonly sampleRate: number;
  readonly channels: number;
  /** Frame by frame, channel by channel. */
  readonly samples: ArrayLike<number>;
}

/** The bytes of a WAV file with 16-bit samples; louder samples are clipped. */
export function encodeWav({ sampleRate, channels, samples }: Sound): Uint8Array {
  const dataBytes = samples.length * BYTES_PER_SAMPLE;
  const bytes = Buffer.alloc(HEADER_BYTES + dataBytes);
  bytes.write("RIFF", 0, "latin1");
  bytes.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  bytes.write("WAVEfmt ", 8, "latin1");
  bytes.writeUInt32LE(16, 16);
  // Uncompressed PCM.
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(channels, 22);
  bytes.writeUInt32LE(sampleRate, 24);
  bytes.writeUInt32LE(sampleRate * channels * BYTES_PER_SAMPLE, 28);
  bytes.writeUInt16LE(channels * BYTES_PER_SAMPLE, 32);
  bytes.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  bytes.write("data", 36, "latin1");
  bytes.writeUInt32LE(dataBytes, 40);
  for (let i = 0; i < samples.length; i += 1) {
    bytes.writeInt16LE(sampleOf(samples[i] ?? 0), HEADER_BYTES + i * BYTES_PER_SAMPLE);
  }
  return bytes;
}

/** Rounds ties away from zero. */
function sampleOf(value: number): number {
  const scaled = value * 2 ** 15;
  const rounded = Math.sign(scaled) * Math.round(Math.abs(scaled));
  return Number.isNaN(rounded) ? 0 : Math.max(-(2 ** 15), Math.min(2 ** 15 - 1, rounded));
}
