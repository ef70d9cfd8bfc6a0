/** Sounds in summaries and files, byte by byte. */
import fc from "fast-check";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { scalar, tensor } from "../arbitraries.js";
import { attr } from "../op-case.js";
import type { OpSpec } from "../op-spec.js";

const sounds = fc
  .constantFrom([2, 3], [1, 4, 2], [3, 0], [2])
  .chain((shape) => tensor("float32", shape, "unit"));
const most = fc.constantFrom(1, 2, 3);
const rates = fc.constantFrom(8000, 44100.5, 0.25);
const loud = Tensor.of([[2, -2, 0.5, -0.5, 1e-5]], "float32");

/** The differences from a plain file. */
interface WavParts {
  readonly format?: number;
  readonly channels?: number;
  readonly bits?: number;
  readonly bytesPerSecond?: number;
  readonly formatSize?: number;
  readonly samples?: readonly number[];
  /** Chunks before the format, and behind the samples. */
  readonly before?: string;
  readonly behind?: string;
}

/** A WAV file of 16-bit samples at 8000 Hz. */
function wavFile({
  format = 1,
  channels = 1,
  bits = 16,
  bytesPerSecond,
  formatSize = 16,
  samples = [0x4000, -0x4000, 32767, -32768],
  before = "",
  behind = "",
}: WavParts): Buffer {
  const head = Buffer.alloc(formatSize);
  const frame = (channels * bits) / 8;
  head.writeUInt16LE(format, 0);
  head.writeUInt16LE(channels, 2);
  head.writeUInt32LE(8000, 4);
  head.writeUInt32LE(bytesPerSecond ?? 8000 * frame, 8);
  head.writeUInt16LE(frame, 12);
  head.writeUInt16LE(bits, 14);
  const data = Buffer.from(Int16Array.from(samples).buffer);
  const length = (size: number) => Buffer.from(Uint32Array.of(size).buffer);
  const body = [
    Buffer.from(`WAVE${before}fmt `),
    length(formatSize),
    head,
    Buffer.from("data"),
    length(data.length),
  ];
  const all = Buffer.concat([...body, data, Buffer.from(behind, "latin1")]);
  return Buffer.concat([Buffer.from("RIFF"), length(all.length), all]);
}

const chunk = "LIST\u0004\u0000\u0000\u0000abcd";

const oddFiles: readonly Buffer[] = [
  wavFile({ channels: 2 }),
  wavFile({ formatSize: 18 }),
  wavFile({ samples: [] }),
  wavFile({ behind: chunk }),
  wavFile({ behind: "data\u0000\u0000\u0000\u0000" }),
  wavFile({ before: chunk }),
  wavFile({ formatSize: 40 }),
  wavFile({ format: 3 }),
  wavFile({ channels: 0 }),
  wavFile({ bits: 8 }),
  wavFile({ bytesPerSecond: 7 }),
  wavFile({ channels: 3 }),
  wavFile({ behind: "LIST\u00ff\u0000\u0000\u0000abcd" }),
  wavFile({}).subarray(0, 47),
  wavFile({}).subarray(0, 36),
  wavFile({}).subarray(0, 20),
  Buffer.from("no sound"),
  Buffer.alloc(0),
];

const file = (bytes: Uint8Array) => new Tensor("string", [], [bytes]);

export const soundSpecs: readonly OpSpec[] = [
  {
    op: "DecodeWav",
    types: {},
    draw: () =>
      fc
        .tuple(
          fc.array(fc.integer({ min: -32768, max: 32767 }), { minLength: 6, maxLength: 6 }),
          fc.constantFrom(1, 2, 3),
          fc.constantFrom(-1, 1, 2, 4),
          fc.constantFrom(-1, 0, 1, 5),
        )
        .map(([samples, channels, wanted, length]) => ({
          inputs: [file(wavFile({ samples, channels }))],
          attrs: { desired_channels: attr.int(wanted), desired_samples: attr.int(length) },
        })),
    edges: () => [
      ...oddFiles.map((bytes) => ({ inputs: [file(bytes)] })),
      { inputs: [new Tensor("string", [1], [wavFile({})])] },
      { inputs: [file(wavFile({}))], attrs: { desired_channels: attr.int(-2) } },
    ],
  },
  {
    op: "EncodeWav",
    types: {},
    draw: () =>
      fc
        .tuple(
          fc.constantFrom([3, 2], [5, 1], [0, 1]).chain((shape) => tensor("float32", shape, "unit")),
          fc.constantFrom(8000, 44100, 1),
        )
        .map(([sound, rate]) => ({ inputs: [sound, scalar("int32", rate)] })),
    edges: () => [
      {
        inputs: [
          Tensor.of([[2], [-2], [Number.NaN], [1.5 / 32768], [-2.5 / 32768]], "float32"),
          scalar("int32", 8000),
        ],
      },
      { inputs: [Tensor.of([0.5], "float32"), scalar("int32", 8000)] },
      { inputs: [Tensor.of([], "float32", [2, 0]), scalar("int32", 8000)] },
      { inputs: [Tensor.of([[0.5]], "float32"), scalar("int32", 0)] },
      { inputs: [Tensor.of([[0.5]], "float32"), Tensor.of([8000], "int32")] },
    ],
  },
  {
    op: "AudioSummaryV2",
    types: {},
    draw: () =>
      fc.tuple(sounds, most, rates).map(([sound, count, rate]) => ({
        inputs: [scalar("string", "tag"), sound, scalar("float32", rate)],
        attrs: { max_outputs: attr.int(count) },
      })),
    edges: () => [
      { inputs: [scalar("string", "tag"), loud, scalar("float32", 100)] },
      { inputs: [scalar("string", "tag"), loud, scalar("float32", 0)] },
      { inputs: [Tensor.of(["two", "tags"]), loud, scalar("float32", 100)] },
    ],
  },
];
