import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import { encodeWav } from "../logging/wav.js";
import { perElement, pureKernel } from "../support/define.js";
import { noTypes } from "../support/dtypes.js";
import { inputAt, integersOf, newNumbers, numbersOf, stringsOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { decodeWav } from "./wav-decoder.js";

/** The integer sample for 1. */
const FULL_SCALE = 2 ** 15;

/** A size that an attribute may leave open. @throws TensorFlowError INVALID_ARGUMENT */
function desired(value: number, what: string): number | undefined {
  if (value < -1) {
    throw invalidArgument(`${what} must be >= -1, got ${value}`);
  }
  return value === -1 ? undefined : value;
}

const decode = pureKernel(
  "DecodeWav",
  (node) => {
    const wantedChannels = desired(node.int("desired_channels"), "desired_channels");
    const wantedFrames = desired(node.int("desired_samples"), "desired_samples");
    return (inputs) => {
      const contents = inputAt(inputs, 0);
      if (contents.shape.length !== 0) {
        throw invalidArgument(`contents must be scalar, got shape ${cppShapeText(contents.shape)}`);
      }
      const wav = decodeWav(stringsOf(contents)[0] ?? new Uint8Array(0));
      const available = wav.samples.length / wav.channels;
      const shape = [wantedFrames ?? available, wantedChannels ?? wav.channels];
      const [frames = 0, channels = 0] = shape;
      const out = newNumbers("float32", shape);
      for (let frame = 0; frame < Math.min(frames, available); frame += 1) {
        for (let channel = 0; channel < channels; channel += 1) {
          // If a file has fewer channels, its last one is repeated.
          const from = Math.min(channel, wav.channels - 1);
          out[frame * channels + channel] = (wav.samples[frame * wav.channels + from] ?? 0) / FULL_SCALE;
        }
      }
      return [new Tensor("float32", shape, out), new Tensor("int32", [], Int32Array.of(wav.sampleRate))];
    };
  },
  { types: noTypes, cost: (_, inputs) => 5 * (inputs[0]?.byteLength ?? 0) },
);

const encode = pureKernel(
  "EncodeWav",
  () => (inputs) => {
    const [audio, rate] = [inputAt(inputs, 0), inputAt(inputs, 1)];
    if (audio.shape.length !== 2) {
      throw invalidArgument(`audio must be 2-dimensional${cppShapeText(audio.shape)}`);
    }
    if (rate.shape.length !== 0) {
      throw invalidArgument(
        `Input sample_rate should be a scalar tensor, got ${cppShapeText(rate.shape)} instead.`,
      );
    }
    const channels = audio.shape[1] ?? 0;
    const [sampleRate = 0] = integersOf(rate);
    if (sampleRate <= 0) {
      throw invalidArgument(`sample_rate must be in (0, 2^32), got: ${sampleRate}`);
    }
    if (channels <= 0 || channels >= 2 ** 16) {
      throw invalidArgument(`num_channels must be in (0, 2^16), got: ${channels}`);
    }
    const bytes = encodeWav({ sampleRate, channels, samples: numbersOf(audio) });
    return [new Tensor("string", [], [bytes])];
  },
  { types: noTypes, cost: perElement(20) },
);

/** Ops on sound files. */
export const wavKernels: readonly PureKernelDefinition[] = [decode, encode];
