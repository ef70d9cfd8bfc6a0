import type { DType } from "../../../../protocol/dtype.js";
import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { noTypes } from "../support/dtypes.js";
import { inputAt, stringsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { decodeBmp, isBmp } from "./bmp-decoder.js";
import { tensorOfBytes } from "./byte-image.js";
import { decodeGif, isGif, pixelsOfGif } from "./gif-decoder.js";
import { isPng, pixelsOfPng } from "./png-decoder.js";
import { tensorOfPng } from "./png-kernels.js";

type Op = "DecodePng" | "DecodeGif" | "DecodeBmp" | "DecodeImage";
type Format = "PNG" | "GIF" | "BMP";

/** The format that a node requests. */
interface Wanted {
  readonly op: Op;
  /** 0 for as many as the file has. */
  readonly channels: number;
  readonly dtype: DType;
  /** Whether all images of a file are wanted, as one tensor of four dimensions. */
  readonly animated: boolean;
}

/** Names and first bytes of formats that TensorFlow reads but this engine does not. */
const otherFormats: readonly (readonly [name: string, start: readonly number[]])[] = [
  ["JPEG", [0xff, 0xd8, 0xff]],
  ["WebP", [0x52, 0x49, 0x46, 0x46]],
];

/**
 * @throws TensorFlowError INVALID_ARGUMENT if it is not an image, UNIMPLEMENTED for unsupported formats.
 */
function formatOf(bytes: Uint8Array): Format {
  if (bytes.length === 0) {
    throw invalidArgument("Input is empty.");
  }
  if (isPng(bytes)) {
    return "PNG";
  }
  if (isGif(bytes)) {
    return "GIF";
  }
  if (isBmp(bytes)) {
    return "BMP";
  }
  const other = otherFormats.find(([, start]) => start.every((byte, i) => bytes[i] === byte));
  throw other === undefined
    ? invalidArgument("Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required.")
    : unimplemented(`The portable engine reads images of the formats PNG, GIF and BMP, not ${other[0]}.`);
}

/** DecodeBmp reads only BMP, and only DecodeBmp and DecodeImage do. */
function checkOp(op: Op, format: Format): void {
  if (op !== "DecodeImage" && (op === "DecodeBmp") !== (format === "BMP")) {
    throw invalidArgument(
      `Trying to decode ${format} format using a wrong op. Use \`decode_${format.toLowerCase()}\` or ` +
        `\`decode_image\` instead. Op used: ${op}`,
    );
  }
}

/** @throws TensorFlowError INVALID_ARGUMENT for a number of channels that a format does not have. */
function checkChannels({ channels }: Wanted, format: Format): void {
  if (format === "GIF" && channels !== 0 && channels !== 3) {
    throw invalidArgument(`channels must be 0 or 3 for GIF, got ${channels}`);
  }
  if (format === "BMP" && channels === 1) {
    throw invalidArgument("`channels` must be 0, 3 or 4 for BMP, but got 1");
  }
}

function decodedGif(bytes: Uint8Array, { op, dtype, animated }: Wanted): Tensor {
  const image = decodeGif(bytes, op === "DecodeImage" && !animated ? 1 : Number.POSITIVE_INFINITY);
  const [frames = 0, ...shape] = image.shape;
  if (op === "DecodePng" && frames !== 1) {
    throw invalidArgument(
      `Got ${frames} frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image`,
    );
  }
  return tensorOfBytes(animated ? image : { ...image, shape }, dtype);
}

/** @throws TensorFlowError INVALID_ARGUMENT, UNIMPLEMENTED for unsupported formats, RESOURCE_EXHAUSTED */
function decode(contents: Tensor, wanted: Wanted): Tensor {
  if (contents.shape.length !== 0) {
    throw invalidArgument(`\`contents\` must be scalar but got shape${cppShapeText(contents.shape)}`);
  }
  const bytes = stringsOf(contents)[0] ?? new Uint8Array(0);
  const format = formatOf(bytes);
  checkChannels(wanted, format);
  checkOp(wanted.op, format);
  switch (format) {
    case "GIF":
      return decodedGif(bytes, wanted);
    case "BMP":
      return tensorOfBytes(decodeBmp(bytes, wanted.channels), wanted.dtype);
    default: {
      const image = tensorOfPng(bytes, wanted.channels, wanted.dtype);
      return wanted.op === "DecodeGif" ? image.reshape([1, ...image.shape]) : image;
    }
  }
}

/** Nanoseconds on a slow core per byte of a file and per pixel: a small file may have many pixels. */
const NANOSECONDS = { byte: 10, pngPixel: 350, gifPixel: 60 } as const;

function costOfDecoding(contents: Tensor): number {
  const bytes = stringsOf(contents)[0] ?? new Uint8Array(0);
  const ofPixels = isGif(bytes)
    ? pixelsOfGif(bytes) * NANOSECONDS.gifPixel
    : isPng(bytes)
      ? pixelsOfPng(bytes) * NANOSECONDS.pngPixel
      : 0;
  return bytes.length * NANOSECONDS.byte + ofPixels;
}

function decodingKernel(op: Op, types?: readonly DType[]): PureKernelDefinition {
  return pureKernel(
    op,
    (node) => {
      // DecodeGif has no such attribute.
      const channels = op === "DecodeGif" ? 3 : node.int("channels");
      if (![0, 1, 3, 4].includes(channels)) {
        throw invalidArgument(`\`channels\` must be 0, 1, 3 or 4 but got ${channels}`);
      }
      const wanted: Wanted = {
        op,
        channels,
        dtype: types === undefined ? "uint8" : node.type("dtype"),
        animated: op === "DecodeGif" || (op === "DecodeImage" && node.bool("expand_animations")),
      };
      return (inputs) => [decode(inputAt(inputs, 0), wanted)];
    },
    {
      types: types === undefined ? noTypes : { dtype: types },
      cost: (_, inputs) => costOfDecoding(inputAt(inputs, 0)),
    },
  );
}

/** Decodes images from files. */
export const fileKernels: readonly PureKernelDefinition[] = [
  decodingKernel("DecodePng", ["uint8", "uint16"]),
  decodingKernel("DecodeImage", ["uint8", "uint16", "float32"]),
  decodingKernel("DecodeGif"),
  decodingKernel("DecodeBmp"),
];
