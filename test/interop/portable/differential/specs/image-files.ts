/** Images as files. */
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { interlacePasses } from "../../../../../worker-runtime/engines/portable/kernels/image/png-decoder.js";
import { pngChunk } from "../../../../../worker-runtime/engines/portable/kernels/image/png-encoder.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { attr } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

/** Color type and bits of a sample, and how many samples a pixel has. */
const kinds = [
  ...[1, 2, 4, 8, 16].map((depth) => [0, depth, 1] as const),
  ...[8, 16].map((depth) => [2, depth, 3] as const),
  ...[1, 2, 4, 8].map((depth) => [3, depth, 1] as const),
  ...[8, 16].map((depth) => [4, depth, 2] as const),
  ...[8, 16].map((depth) => [6, depth, 4] as const),
];

interface PngChoice {
  readonly kind: (typeof kinds)[number];
  readonly width: number;
  readonly height: number;
  readonly interlaced: boolean;
  readonly transparent: boolean;
  /** Bytes that fill the file; the first of a line is its filter. */
  readonly noise: readonly number[];
}

/** A file of any of the format's kinds, its lines filtered in any way. */
function pngFile({ kind, width, height, interlaced, transparent, noise }: PngChoice): Uint8Array {
  const [colorType, depth, samples] = kind;
  let next = 0;
  const byte = () => {
    next += 1;
    return (noise[next % noise.length] ?? 0) ^ (next & 3);
  };
  const lines: number[] = [];
  for (const [x, y, stepX, stepY] of interlaced ? interlacePasses : ([[0, 0, 1, 1]] as const)) {
    const columns = Math.max(0, Math.ceil((width - x) / stepX));
    const rows = columns === 0 ? 0 : Math.max(0, Math.ceil((height - y) / stepY));
    for (let row = 0; row < rows; row += 1) {
      lines.push(byte() % 5);
      for (let i = 0; i < Math.ceil((columns * samples * depth) / 8); i += 1) {
        lines.push(byte());
      }
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colorType, 0, 0, interlaced ? 1 : 0], 8);
  const palette = Uint8Array.from({ length: 3 * 2 ** depth }, (_, i) => (i * 37) % 256);
  const clear = Uint8Array.from({ length: colorType === 3 ? 2 : samples * 2 }, (_, i) =>
    i % 2 === 0 ? 0 : 1,
  );
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk("IHDR", header),
    ...(colorType === 3 ? [pngChunk("PLTE", palette)] : []),
    ...(transparent && colorType < 4 ? [pngChunk("tRNS", clear)] : []),
    pngChunk("IDAT", deflateSync(Uint8Array.from(lines))),
    pngChunk("IEND", new Uint8Array(0)),
  ]);
}

const pngs = fc
  .record({
    kind: fc.constantFrom(...kinds),
    width: fc.integer({ min: 1, max: 11 }),
    height: fc.integer({ min: 1, max: 9 }),
    interlaced: fc.boolean(),
    transparent: fc.boolean(),
    noise: fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 31, maxLength: 61 }),
  })
  .map(pngFile);

const contents = (bytes: Uint8Array): Tensor => new Tensor("string", [], [bytes]);

const broken = (): Uint8Array[] => {
  const whole = pngFile({
    kind: [2, 8, 3],
    width: 2,
    height: 2,
    interlaced: false,
    transparent: false,
    noise: [1, 2, 3],
  });
  return [
    new Uint8Array(0),
    Buffer.from("no image at all"),
    whole.subarray(0, whole.length - 20),
    whole.map((value, i) => (i === 45 ? value ^ 1 : value)),
  ];
};

export const imageFileSpecs: readonly OpSpec[] = [
  ...specsOf(["DecodePng", "DecodeImage"], {
    types: { dtype: ["uint8", "uint16"] },
    draw: () =>
      fc.tuple(pngs, fc.constantFrom(0, 1, 3, 4)).map(([bytes, channels]) => ({
        inputs: [contents(bytes)],
        attrs: { channels: attr.int(channels) },
      })),
    edges: () => [
      ...broken().map((bytes) => ({ inputs: [contents(bytes)], attrs: { channels: attr.int(0) } })),
      { inputs: [Tensor.of(["a"])], attrs: { channels: attr.int(0) } },
    ],
    note: "no JPEG, no WebP",
  }),
];
