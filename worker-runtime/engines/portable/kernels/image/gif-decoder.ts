/** Reads GIF images, 87a and 89a, as TensorFlow does. */
import { invalidArgument } from "../../../../protocol/status.js";
import { type ByteImage, newPixels } from "./byte-image.js";
import { MOST_PER_BYTE, unpackCodes } from "./gif-codes.js";

/** Sizes in bytes of the parts of a file. */
const SCREEN_BYTES = 13;
const DESCRIPTOR_BYTES = 9;
const COLOR_BYTES = 3;

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const GRAPHIC_CONTROL_BYTES = 4;

const CHANNELS = 3;
const START = Buffer.from("GIF8");
/** The first row and the distance of rows, for each of the four passes of an interlaced image. */
const PASSES = [
  [0, 8],
  [4, 8],
  [2, 4],
  [1, 2],
] as const;

export function isGif(bytes: Uint8Array): boolean {
  return START.equals(bytes.subarray(0, START.length));
}

/** One image of a file with its pixels still packed. */
interface PackedFrame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly colors: Uint8Array | undefined;
  /** The index of the transparent color. */
  readonly transparent: number | undefined;
  readonly isInterlaced: boolean;
  readonly colorBits: number;
  readonly packed: Uint8Array;
}

/** One image of a file with the color indices of its pixels, row by row. */
interface Frame extends PackedFrame {
  readonly indices: Uint8Array;
}

/** The file is truncated or invalid. */
class Damage extends Error {}

/** Reads a file sequentially; reading beyond its end throws Damage. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  take(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) {
      throw new Damage("Failed to read from given file");
    }
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  /** Blocks of up to 255 bytes, up to the empty one. */
  blocks(): Buffer[] {
    const blocks: Buffer[] = [];
    for (let length = this.byte(); length > 0; length = this.byte()) {
      blocks.push(this.take(length));
    }
    return blocks;
  }

  /** The palette, if the flags announce one. */
  colors(flags: number): Uint8Array | undefined {
    return (flags & 0x80) === 0 ? undefined : this.take(COLOR_BYTES << ((flags & 7) + 1));
  }
}

/** The transparent color of a graphic control extension. */
function transparentOf([block]: readonly Buffer[]): number | undefined {
  const hasColor = block?.length === GRAPHIC_CONTROL_BYTES && ((block[0] ?? 0) & 1) === 1;
  return hasColor ? block[3] : undefined;
}

function readFrame(
  reader: Reader,
  screenColors: Uint8Array | undefined,
  transparent: number | undefined,
): PackedFrame {
  const descriptor = reader.take(DESCRIPTOR_BYTES);
  const [left, top, width, height] = [0, 2, 4, 6].map((at) => descriptor.readUInt16LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  const flags = descriptor[8] ?? 0;
  const colors = reader.colors(flags) ?? screenColors;
  const colorBits = reader.byte();
  const packed = Buffer.concat(reader.blocks());
  const isInterlaced = (flags & 0x40) !== 0;
  return { left, top, width, height, colors, transparent, isInterlaced, colorBits, packed };
}

/** Whether the data can hold the frame's pixels: a few bytes must not make the decoder allocate much memory. */
function isPossible({ width, height, colorBits, packed }: PackedFrame): boolean {
  const pixels = width * height;
  return colorBits <= 8 && pixels > 0 && pixels <= packed.length * MOST_PER_BYTE;
}

/** @throws Damage */
function unpacked(frame: PackedFrame): Frame {
  const { width, height, colorBits, packed, isInterlaced } = frame;
  const indices = isPossible(frame) ? newPixels([height, width]) : undefined;
  if (indices === undefined || !unpackCodes(packed, colorBits, indices)) {
    throw new Damage("Image is defective, decoding aborted");
  }
  return { ...frame, indices: isInterlaced ? inOrder(indices, width) : indices };
}

/** The rows of an interlaced image from top to bottom. */
function inOrder(indices: Uint8Array, width: number): Uint8Array {
  const height = indices.length / width;
  const ordered = newPixels([height, width]);
  let from = 0;
  for (const [first, distance] of PASSES) {
    for (let row = first; row < height; row += distance) {
      ordered.set(indices.subarray(from, from + width), row * width);
      from += width;
    }
  }
  return ordered;
}

/** The packed frames of a file, one after the other. @throws Damage */
function* packedFrames(bytes: Uint8Array): Generator<PackedFrame> {
  const reader = new Reader(bytes);
  const screenColors = reader.colors(reader.take(SCREEN_BYTES)[10] ?? 0);
  let transparent: number | undefined;
  let isControlled = false;
  for (let kind = reader.byte(); kind !== TRAILER; kind = reader.byte()) {
    if (kind === IMAGE) {
      yield readFrame(reader, screenColors, transparent);
      transparent = undefined;
      isControlled = false;
    } else if (kind === EXTENSION) {
      const label = reader.byte();
      const blocks = reader.blocks();
      if (label === GRAPHIC_CONTROL && !isControlled) {
        transparent = transparentOf(blocks);
        isControlled = true;
      }
    } else {
      throw new Damage("Wrong record type detected");
    }
  }
}

/**
 * Calls `each` with the frames before any damage. It may itself throw Damage.
 * @returns the message of the damage; undefined if there is none.
 */
function forFrames(bytes: Uint8Array, each: (frame: PackedFrame) => void): string | undefined {
  try {
    for (const frame of packedFrames(bytes)) {
      each(frame);
    }
  } catch (error) {
    if (!(error instanceof Damage)) {
      throw error;
    }
    return error.message;
  }
  return undefined;
}

/** The frames of a file before any damage. @throws TensorFlowError INVALID_ARGUMENT if there is none. */
function framesOf(bytes: Uint8Array): readonly Frame[] {
  const frames: Frame[] = [];
  const problem = forFrames(bytes, (frame) => frames.push(unpacked(frame)));
  if (frames.length === 0) {
    throw invalidGif(bytes, `failed to slurp gif file: ${problem ?? "No Image Descriptor detected"}`);
  }
  return frames;
}

/** The cost of copying a pixel from the previous frame, relative to unpacking one. */
const COPYING_SHARE = 0.05;

/**
 * How many pixels of a file must be unpacked, for a cost estimate. Copied pixels count as COPYING_SHARE.
 */
export function pixelsOfGif(bytes: Uint8Array): number {
  let [pixels, frames, widest, highest] = [0, 0, 0, 0];
  forFrames(bytes, (frame) => {
    if (isPossible(frame)) {
      pixels += frame.width * frame.height;
      frames += 1;
      widest = Math.max(widest, frame.width);
      highest = Math.max(highest, frame.height);
    }
  });
  return pixels + frames * widest * highest * COPYING_SHARE;
}

function invalidGif(bytes: Uint8Array, problem: string) {
  return invalidArgument(`Invalid GIF data (size ${bytes.length}), ${problem}`);
}

/**
 * The images in a file, each drawn over the previous ones: frames, height, width and three channels. The canvas is as
 * large as the largest frame, and black where nothing was drawn.
 * @param most the maximum number of frames.
 * @throws TensorFlowError INVALID_ARGUMENT if it is not such a file, RESOURCE_EXHAUSTED
 */
export function decodeGif(bytes: Uint8Array, most = Number.POSITIVE_INFINITY): ByteImage {
  const frames = framesOf(bytes);
  const width = frames.reduce((widest, frame) => Math.max(widest, frame.width), 0);
  const height = frames.reduce((highest, frame) => Math.max(highest, frame.height), 0);
  const drawn = frames.slice(0, most);
  const shape = [drawn.length, height, width, CHANNELS];
  const pixels = newPixels(shape);
  const canvasBytes = height * width * CHANNELS;
  for (const [k, frame] of drawn.entries()) {
    const canvas = pixels.subarray(k * canvasBytes, (k + 1) * canvasBytes);
    if (k > 0) {
      canvas.set(pixels.subarray((k - 1) * canvasBytes, k * canvasBytes));
    }
    const problem = draw(frame, canvas, width, height);
    if (problem !== undefined) {
      throw invalidGif(bytes, `${problem} for frame ${k}`);
    }
  }
  return { shape, pixels };
}

/**
 * Draws a frame over the canvas, clipped to it.
 * @returns what is wrong with its colors.
 */
function draw(frame: Frame, canvas: Uint8Array, width: number, height: number): string | undefined {
  const { left, top, colors, transparent, indices } = frame;
  if (colors === undefined) {
    return "missing color map";
  }
  const columns = Math.min(frame.width, width - left);
  const rows = Math.min(frame.height, height - top);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const index = indices[row * frame.width + column] ?? 0;
      if (index === transparent) {
        continue;
      }
      const from = index * COLOR_BYTES;
      if (from >= colors.length) {
        return `found color index ${index} outside of color map range ${colors.length / COLOR_BYTES}`;
      }
      const to = ((top + row) * width + left + column) * CHANNELS;
      canvas[to] = colors[from] ?? 0;
      canvas[to + 1] = colors[from + 1] ?? 0;
      canvas[to + 2] = colors[from + 2] ?? 0;
    }
  }
  return undefined;
}
