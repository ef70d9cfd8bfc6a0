import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { encodePng } from "../image/png-encoder.js";
import { isSmallFloat } from "../support/dtypes.js";
import { numbersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { fromFloat32, toFloat32 } from "../support/small-floats.js";
import type { SummaryValue } from "./summary-values.js";
import { encodeWav } from "./wav.js";

/** A picture whose brightest channel is darker than this is black. */
const ZERO_THRESHOLD = 1e-6;

/** "tag/image/2", or "tag/image" if at most one was requested. */
function partTag(tag: string, kind: "image" | "audio", most: number, index: number): string {
  return most > 1 ? `${tag}/${kind}/${index}` : `${tag}/${kind}`;
}

/**
 * The first pictures of a batch as PNG. Floats are stretched to 0 … 255, or around 128 if some are negative.
 * @param badColor the color of pixels that are not finite.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function imageValues(
  tag: string,
  batch: Tensor,
  most: number,
  badColor: Tensor,
): readonly SummaryValue[] {
  const [count = 0, height = 0, width = 0, channels = 0] = batch.shape;
  if (batch.shape.length !== 4 || ![1, 3, 4].includes(channels)) {
    throw invalidArgument(`Tensor must be 4-D with last dim 1, 3, or 4, not ${cppShapeText(batch.shape)}`);
  }
  if (height * width >= 2 ** 29) {
    throw invalidArgument(`Tensor too large for summary ${cppShapeText(batch.shape)}`);
  }
  const isBytes = batch.dtype === "uint8";
  if (!isBytes && badColor.size < channels) {
    throw invalidArgument(
      `expected depth <= bad_color.size, got depth = ${channels}, bad_color.size = ${badColor.size}`,
    );
  }
  const bad = Array.from(numbersOf(badColor)).slice(0, channels);
  const size = height * width * channels;
  const values = numbersOf(isSmallFloat(batch.dtype) ? toFloat32(batch) : batch);
  return Array.from({ length: Math.min(most, count) }, (_, i): SummaryValue => {
    const picture = values.subarray(i * size, (i + 1) * size);
    const data = isBytes ? Uint8Array.from(picture) : stretched(picture, channels, bad, batch.dtype);
    return {
      tag: partTag(tag, "image", most, i),
      value: {
        $case: "image",
        value: {
          height,
          width,
          colorspace: channels,
          encodedImageString: encodePng({ height, width, channels, bits: 8, pixels: data }, -1),
        },
      },
    };
  });
}

/** Rounds to the precision that the op computes in. */
function rounding(dtype: Tensor["dtype"]): (value: number) => number {
  switch (dtype) {
    case "float64":
      return (value) => value;
    case "float16": {
      const one = (value: number) => new Tensor("float32", [1], Float32Array.of(value));
      return (value) => numbersOf(toFloat32(fromFloat32("float16", one(value))))[0] ?? 0;
    }
    default:
      return Math.fround;
  }
}

/** A picture of floats as bytes. */
function stretched(
  values: ArrayLike<number>,
  channels: number,
  bad: readonly number[],
  dtype: Tensor["dtype"],
): Uint8Array {
  const round = rounding(dtype);
  const out = new Uint8Array(values.length);
  const isFinitePixel = (start: number) =>
    Array.from({ length: channels }, (_, c) => values[start + c] ?? 0).every(Number.isFinite);
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let start = 0; start < values.length; start += channels) {
    if (isFinitePixel(start)) {
      for (let c = 0; c < channels; c += 1) {
        const value = Math.fround(values[start + c] ?? 0);
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    }
  }
  const largest = least < 0 ? Math.max(Math.abs(least), Math.abs(most)) : most;
  const reach = least < 0 ? 127 : 255;
  const scale = round(largest < ZERO_THRESHOLD ? 0 : Math.fround(reach / largest));
  const offset = least < 0 ? 128 : 0;
  for (let start = 0; start < values.length; start += channels) {
    const isGood = isFinitePixel(start);
    for (let c = 0; c < channels; c += 1) {
      out[start + c] = isGood
        ? Math.trunc(round(round((values[start + c] ?? 0) * scale) + offset))
        : (bad[c] ?? 0);
    }
  }
  return out;
}

/** Rounds ties to even, like C's lrint. */
function roundedToEven(value: number): number {
  const floor = Math.floor(value);
  return value - floor === 0.5 ? floor + (floor % 2) : Math.round(value);
}

/**
 * The first sounds of a batch [batch, frames] or [batch, frames, channels] as WAV.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function audioValues(
  tag: string,
  batch: Tensor,
  most: number,
  sampleRate: number,
): readonly SummaryValue[] {
  if (batch.shape.length !== 2 && batch.shape.length !== 3) {
    throw invalidArgument(`Tensor must be 3-D or 2-D, got: ${cppShapeText(batch.shape)}`);
  }
  if (!(sampleRate > 0)) {
    throw invalidArgument("sample_rate must be > 0");
  }
  const [count = 0, frames = 0, channels = 1] = batch.shape;
  const size = frames * channels;
  const values = numbersOf(batch);
  return Array.from({ length: Math.min(most, count) }, (_, i): SummaryValue => {
    const samples = values.subarray(i * size, (i + 1) * size);
    return {
      tag: partTag(tag, "audio", most, i),
      value: {
        $case: "audio",
        value: {
          sampleRate,
          numChannels: BigInt(channels),
          lengthFrames: BigInt(frames),
          encodedAudioString: encodeWav({
            sampleRate: Math.max(1, roundedToEven(sampleRate)),
            channels,
            samples,
          }),
          contentType: "audio/wav",
        },
      },
    };
  });
}
