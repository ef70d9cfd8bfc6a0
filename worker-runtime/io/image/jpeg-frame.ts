/** The frame of a JPEG image (ITU T.81): its size, its components, and where their coefficients are kept. */
import { invalidArgument, unimplemented } from "../../protocol/status.js";

/** Coefficients of a block of 8 by 8 samples. */
export const BLOCK = 64;
/** The baseline says 65,535; a larger product would fill the memory before the file turns out to be damaged. */
const MAX_PIXELS = 2 ** 28;

export interface JpegComponent {
  readonly id: number;
  /** Sampling factors, 1 to 4. */
  readonly h: number;
  readonly v: number;
  readonly quantization: number;
  /** Samples that belong to the image; blocks have more. */
  readonly width: number;
  readonly height: number;
  /** Blocks of the whole units that scans with several components consist of. */
  readonly blocksWide: number;
  readonly blocksHigh: number;
  /** All blocks, row by row, in zigzag order undone. */
  readonly coefficients: Int16Array;
}

export interface JpegFrame {
  readonly width: number;
  readonly height: number;
  readonly isProgressive: boolean;
  readonly maxH: number;
  readonly maxV: number;
  /** Units of a row and of a column, each of `maxH` by `maxV` blocks. */
  readonly unitsWide: number;
  readonly unitsHigh: number;
  readonly components: readonly JpegComponent[];
}

/**
 * Reads a frame header.
 * @param marker its second byte, which names the process
 * @throws TensorFlowError INVALID_ARGUMENT for a damaged one, UNIMPLEMENTED for arithmetic coding, lossless and 12 bits
 */
export function readFrame(marker: number, content: Uint8Array): JpegFrame {
  if (marker > 0xc2) throw unimplemented("JPEG images are read if they are baseline or progressive.");
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const count = content[5] ?? 0;
  if (content.length < 6 + 3 * count) throw invalidArgument("The JPEG image is damaged: its frame is cut.");
  if (content[0] !== 8) throw unimplemented(`JPEG images are read with 8 bits a sample, not ${content[0]}.`);
  const [height, width] = [view.getUint16(1), view.getUint16(3)];
  const parts = Array.from({ length: count }, (_, i) => {
    const [id = 0, sampling = 0, quantization = 0] = content.subarray(6 + 3 * i);
    return { id, h: sampling >> 4, v: sampling & 15, quantization };
  });
  const valid = parts.every(({ h, v }) => h >= 1 && h <= 4 && v >= 1 && v <= 4);
  if (!valid || ![1, 3, 4].includes(count) || width * height === 0 || width * height > MAX_PIXELS) {
    throw invalidArgument(
      `The JPEG image is damaged: ${width} by ${height} pixels of ${count} components cannot be read.`,
    );
  }
  // A single component is never interleaved: its blocks follow each other, whatever its factors.
  const [maxH, maxV] =
    count === 1 ? [1, 1] : [Math.max(...parts.map(({ h }) => h)), Math.max(...parts.map(({ v }) => v))];
  const [unitsWide, unitsHigh] = [Math.ceil(width / (8 * maxH)), Math.ceil(height / (8 * maxV))];
  const components = parts.map((part) => {
    const [h, v] = count === 1 ? [1, 1] : [part.h, part.v];
    const [blocksWide, blocksHigh] = [unitsWide * h, unitsHigh * v];
    return {
      ...part,
      h,
      v,
      width: Math.ceil((width * h) / maxH),
      height: Math.ceil((height * v) / maxV),
      blocksWide,
      blocksHigh,
      coefficients: new Int16Array(blocksWide * blocksHigh * BLOCK),
    };
  });
  return { width, height, isProgressive: marker === 0xc2, maxH, maxV, unitsWide, unitsHigh, components };
}
