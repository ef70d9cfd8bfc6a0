/** Reads PNG images, ISO/IEC 15948. */
import { crc32, inflateSync } from "node:zlib";
import { newNumbers } from "../support/elements.js";

/** An image as stored: pixels row by row, with interleaved channels. */
export interface PngImage {
  readonly width: number;
  readonly height: number;
  /** 1 gray, 2 gray and opacity, 3 colors, 4 colors and opacity. Palettes are expanded. */
  readonly channels: 1 | 2 | 3 | 4;
  /** The largest value of a channel is 255 or 65535. */
  readonly bits: 8 | 16;
  readonly pixels: Uint16Array;
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colorType: number;
  readonly interlaced: boolean;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PALETTE = 3;
/** Samples of a pixel by its color type. */
const samplesOf: Readonly<Record<number, 1 | 2 | 3 | 4>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const depthsOf: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** The seven passes of an interlaced image: first column and row, and their steps. */
export const interlacePasses = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

export function isPng(bytes: Uint8Array): boolean {
  return SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length));
}

/** The offset of the width and the height: the first chunk of a file is its header. */
const SIZE_START = 16;
/** Deflate compresses at most 1032 bytes into one, and a byte has up to eight pixels. */
const MOST_PIXELS_PER_BYTE = 1032 * 8;

/** The number of pixels that a file declares, limited to what its size allows, for a cost estimate. */
export function pixelsOfPng(bytes: Uint8Array): number {
  if (bytes.length < SIZE_START + 8) {
    return 0;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pixels = view.getUint32(SIZE_START) * view.getUint32(SIZE_START + 4);
  return Math.min(pixels, bytes.length * MOST_PIXELS_PER_BYTE);
}

/** The contents of a file before its pixels are unpacked. */
export interface PngFile extends Header {
  readonly palette: Uint8Array | undefined;
  /** Opacities of the palette's colors, or the one transparent color. */
  readonly transparency: Uint8Array | undefined;
  readonly packed: Buffer;
}

/** @returns undefined if the bytes are not a complete file. */
export function parsePng(bytes: Uint8Array): PngFile | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let header: Header | undefined;
  let palette: Uint8Array | undefined;
  let transparency: Uint8Array | undefined;
  const packed: Uint8Array[] = [];
  for (let at = SIGNATURE.length; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > file.length || crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) {
      return undefined;
    }
    const kind = file.toString("latin1", at + 4, at + 8);
    const content = file.subarray(at + 8, end);
    switch (kind) {
      case "IHDR":
        header = parseHeader(content);
        break;
      case "PLTE":
        palette = content;
        break;
      case "tRNS":
        transparency = content;
        break;
      case "IDAT":
        packed.push(content);
        break;
      case "IEND":
        return header === undefined || (header.colorType === PALETTE && palette === undefined)
          ? undefined
          : { ...header, palette, transparency, packed: Buffer.concat(packed) };
    }
    at = end + 4;
  }
  return undefined;
}

function parseHeader(content: Buffer): Header | undefined {
  if (content.length !== 13) {
    return undefined;
  }
  const [depth = 0, colorType = 0, compression, filter, interlace] = content.subarray(8);
  const [width, height] = [content.readUInt32BE(0), content.readUInt32BE(4)];
  const known =
    width > 0 &&
    height > 0 &&
    depthsOf[colorType]?.includes(depth) === true &&
    compression === 0 &&
    filter === 0 &&
    (interlace === 0 || interlace === 1);
  return known ? { width, height, depth, colorType, interlaced: interlace === 1 } : undefined;
}

/** How many samples the decoded image has; the caller checks first that there is memory for them. */
export function samplesOfPng({ width, height, colorType, transparency }: PngFile): number {
  const channels = colorType === PALETTE ? (transparency === undefined ? 3 : 4) : (samplesOf[colorType] ?? 1);
  return width * height * channels;
}

/**
 * The pixels of a file, or undefined if it is corrupt. Opacity stored apart from the colors is left to `opacityOf`.
 */
export function decodePng(file: PngFile): PngImage | undefined {
  const { width, height, depth, colorType } = file;
  const samples = samplesOf[colorType] ?? 1;
  const raw = unpack(file, samples);
  if (raw === undefined) {
    return undefined;
  }
  const bits = depth === 16 ? 16 : 8;
  if (colorType === PALETTE) {
    return fromPalette(file, raw);
  }
  if (depth < 8) {
    const most = 2 ** depth - 1;
    for (let i = 0; i < raw.length; i += 1) {
      raw[i] = ((raw[i] as number) * 255) / most;
    }
  }
  return { width, height, channels: samples, bits, pixels: raw };
}

function fromPalette({ width, height, palette, transparency }: PngFile, raw: Uint16Array): PngImage {
  const channels = transparency === undefined ? 3 : 4;
  const pixels = newNumbers("uint16", [raw.length, channels]) as Uint16Array;
  for (const [i, index] of raw.entries()) {
    for (let channel = 0; channel < 3; channel += 1) {
      pixels[i * channels + channel] = palette?.[index * 3 + channel] ?? 0;
    }
    if (channels === 4) {
      pixels[i * 4 + 3] = transparency?.[index] ?? 255;
    }
  }
  return { width, height, channels, bits: 8, pixels };
}

/** The opacity of gray and color images with one transparent color: 0 for its pixels, the largest value otherwise. */
export function opacityOf(
  { transparency, depth, colorType }: PngFile,
  image: PngImage,
): Uint16Array | undefined {
  const samples = colorType === 0 ? 1 : colorType === 2 ? 3 : 0;
  if (transparency === undefined || samples === 0 || transparency.length < samples * 2) {
    return undefined;
  }
  const scale = depth < 8 ? 255 / (2 ** depth - 1) : 1;
  const clear = Array.from(
    { length: samples },
    (_, i) => (((transparency[2 * i] ?? 0) << 8) | (transparency[2 * i + 1] ?? 0)) * scale,
  );
  const opacity = new Uint16Array(image.width * image.height);
  for (let i = 0; i < opacity.length; i += 1) {
    const isClear = clear.every((value, channel) => image.pixels[i * samples + channel] === value);
    opacity[i] = isClear ? 0 : 2 ** image.bits - 1;
  }
  return opacity;
}

/** The samples as numbers, in image order. */
function unpack(file: PngFile, samples: number): Uint16Array | undefined {
  const { width, height, depth, interlaced } = file;
  const parts = interlaced ? interlacePasses : ([[0, 0, 1, 1]] as const);
  const sizes = parts.map(([x, y, stepX, stepY]) => {
    const columns = Math.ceil((width - x) / stepX);
    const rows = columns <= 0 ? 0 : Math.max(0, Math.ceil((height - y) / stepY));
    return { columns: Math.max(0, columns), rows, line: Math.ceil((columns * samples * depth) / 8) };
  });
  const expected = sizes.reduce((sum, { rows, line }) => sum + rows * (line + 1), 0);
  const bytes = inflate(file.packed, expected);
  if (bytes === undefined) {
    return undefined;
  }
  const out = newNumbers("uint16", [width, height, samples]) as Uint16Array;
  let at = 0;
  for (const [pass, { columns, rows, line }] of sizes.entries()) {
    const [x = 0, y = 0, stepX = 1, stepY = 1] = parts[pass] ?? [];
    let before: Uint8Array = new Uint8Array(line);
    for (let row = 0; row < rows; row += 1) {
      const current = bytes.subarray(at + 1, at + 1 + line);
      if (!unfilter(bytes[at] ?? 0, current, before, Math.max(1, (samples * depth) / 8))) {
        return undefined;
      }
      for (let column = 0; column < columns; column += 1) {
        const to = ((y + row * stepY) * width + x + column * stepX) * samples;
        for (let sample = 0; sample < samples; sample += 1) {
          out[to + sample] = sampleAt(current, column * samples + sample, depth);
        }
      }
      before = current;
      at += line + 1;
    }
  }
  return out;
}

/** @param expected bytes; more are not unpacked. Undefined for fewer or for invalid data. */
function inflate(packed: Buffer, expected: number): Buffer | undefined {
  try {
    const bytes = inflateSync(packed, { maxOutputLength: Math.max(1, expected) });
    return bytes.length >= expected ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Undoes the filter of a line, in place. @returns false for an unknown filter. */
function unfilter(filter: number, line: Uint8Array, above: Uint8Array, step: number): boolean {
  for (let i = 0; i < line.length; i += 1) {
    const left = i < step ? 0 : (line[i - step] as number);
    const up = above[i] as number;
    const corner = i < step ? 0 : (above[i - step] as number);
    line[i] = (line[i] as number) + predicted(filter, left, up, corner);
  }
  return filter <= 4;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
      return a <= b && a <= c ? left : b <= c ? up : corner;
    }
    default:
      return 0;
  }
}

function sampleAt(line: Uint8Array, index: number, depth: number): number {
  if (depth === 16) {
    return ((line[2 * index] as number) << 8) | (line[2 * index + 1] as number);
  }
  if (depth === 8) {
    return line[index] as number;
  }
  const perByte = 8 / depth;
  const shift = 8 - depth * ((index % perByte) + 1);
  return ((line[Math.floor(index / perByte)] as number) >> shift) & (2 ** depth - 1);
}
