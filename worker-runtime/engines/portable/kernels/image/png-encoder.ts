/** Writes PNG images, ISO/IEC 15948. */
import { crc32, deflateSync } from "node:zlib";

export interface PngPixels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly bits: 8 | 16;
  /** Row by row, with interleaved channels. */
  readonly pixels: ArrayLike<number>;
}

/** Color types by the number of channels: gray, gray and opacity, colors, colors and opacity. */
const colorTypes: Readonly<Record<number, number>> = { 1: 0, 2: 4, 3: 2, 4: 6 };

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Stores each row as the difference from the one above: simple, and good for most images. */
const FILTER_UP = 2;

/** @param compression from 0 to 9, or -1 for the default. */
export function encodePng({ width, height, channels, bits, pixels }: PngPixels, compression: number): Buffer {
  const line = (width * channels * bits) / 8;
  const raw = Buffer.alloc(height * (line + 1));
  for (let y = 0; y < height; y += 1) {
    raw[y * (line + 1)] = FILTER_UP;
    for (let i = 0; i < width * channels; i += 1) {
      const value = pixels[y * width * channels + i] as number;
      const above = y === 0 ? 0 : (pixels[(y - 1) * width * channels + i] as number);
      const at = y * (line + 1) + 1;
      if (bits === 16) {
        raw[at + 2 * i] = (value >> 8) - (above >> 8);
        raw[at + 2 * i + 1] = value - above;
      } else {
        raw[at + i] = value - above;
      }
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bits, colorTypes[channels] ?? 0], 8);
  return Buffer.concat([
    SIGNATURE,
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(raw, { level: compression })),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A chunk of a PNG file: its length, its type of four letters, its content, and their checksum. */
export function pngChunk(kind: string, content: Uint8Array): Buffer {
  const bytes = Buffer.alloc(content.length + 12);
  bytes.writeUInt32BE(content.length, 0);
  bytes.write(kind, 4, "latin1");
  bytes.set(content, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + content.length)), 8 + content.length);
  return bytes;
}
