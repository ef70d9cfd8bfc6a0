/** Reads BMP images as TensorFlow does: without palettes and compression. */
import { invalidArgument } from "../../../../protocol/status.js";
import { type ByteImage, newPixels } from "./byte-image.js";

/** The header up to and including the bits per pixel. */
const LEAST_BYTES = 32;
const MAX_PIXEL_BYTES = 2 ** 30;
const OPAQUE = 255;

const START = [0x42, 0x4d] as const;

export function isBmp(bytes: Uint8Array): boolean {
  return START.every((byte, i) => bytes[i] === byte);
}

interface Header {
  /** The offset of the first pixel. */
  readonly start: number;
  readonly width: number;
  readonly height: number;
  /** Whether rows are stored from top to bottom. */
  readonly fromTop: boolean;
  readonly channels: number;
  readonly rowBytes: number;
}

/** @throws TensorFlowError INVALID_ARGUMENT */
function headerOf(bytes: Uint8Array): Header {
  if (bytes.length < LEAST_BYTES) {
    throw invalidArgument(
      `Incomplete bmp content, requires at least ${LEAST_BYTES} bytes to find the header size, width, height, and bpp, ` +
        `got ${bytes.length} bytes`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [start, width, height] = [10, 18, 22].map((at) => view.getInt32(at, true)) as [
    number,
    number,
    number,
  ];
  const bits = view.getInt16(28, true);
  const channels = Math.trunc(bits / 8);
  if (![1, 3, 4].includes(channels)) {
    throw invalidArgument(`Number of channels inherent in the image must be 1, 3 or 4, was ${channels}`);
  }
  if (width <= 0) {
    throw invalidArgument("Width must be positive");
  }
  if (height === 0) {
    throw invalidArgument("Height must be nonzero");
  }
  if (start < 0) {
    throw invalidArgument("header size must be nonnegative");
  }
  const rows = Math.abs(height);
  if (width * rows * channels >= MAX_PIXEL_BYTES) {
    throw invalidArgument("Total possible pixel bytes must be less than 2^30");
  }
  const rowBytes = Math.ceil((channels * width) / 4) * 4;
  const difference = bytes.length - start - rowBytes * rows;
  if (difference !== 0) {
    throw invalidArgument(
      "Input size (input.size()) must be equal to the header size plus the size of all rows " +
        `(header_size + row_size * abs_height) but they differ by ${difference}`,
    );
  }
  return { start, width, height: rows, fromTop: height < 0, channels, rowBytes };
}

/**
 * The image in a file.
 * @param wanted 3 or 4 channels, or 0 for as many as the file has.
 * @throws TensorFlowError INVALID_ARGUMENT if it is not such a file, RESOURCE_EXHAUSTED
 */
export function decodeBmp(bytes: Uint8Array, wanted: number): ByteImage {
  const { start, width, height, fromTop, channels: own, rowBytes } = headerOf(bytes);
  const channels = wanted === 0 ? own : wanted;
  const shape = [height, width, channels];
  const pixels = newPixels(shape);
  for (let row = 0; row < height; row += 1) {
    const firstOfRow = start + (fromTop ? row : height - 1 - row) * rowBytes;
    for (let column = 0; column < width; column += 1) {
      const from = firstOfRow + column * own;
      const to = (row * width + column) * channels;
      if (own === 1) {
        pixels.fill(bytes[from] ?? 0, to, to + Math.min(channels, 3));
      } else {
        // Blue comes first.
        pixels[to] = bytes[from + 2] ?? 0;
        pixels[to + 1] = bytes[from + 1] ?? 0;
        pixels[to + 2] = bytes[from] ?? 0;
      }
      if (channels === 4) {
        pixels[to + 3] = own === 4 ? (bytes[from + 3] ?? 0) : OPAQUE;
      }
    }
  }
  return { shape, pixels };
}
