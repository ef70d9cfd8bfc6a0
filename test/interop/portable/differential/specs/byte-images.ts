/** Images in files of the formats BMP and GIF. */
import fc from "fast-check";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { scalar } from "../arbitraries.js";
import { blocks, bmp, type FrameParts, frameBytes, gif } from "../image-writers.js";
import { type Attrs, attr } from "../op-case.js";
import type { Drawn, OpSpec } from "../op-spec.js";

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });

const rowBytes = (width: number, bits: number): number => Math.ceil((bits * width) / 32) * 4;

/** @param heights a negative one begins with the uppermost row. */
const bmpFiles = (heights: readonly number[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(...heights),
      fc.constantFrom(8, 24, 32),
      fc.constantFrom(0, 0, 6),
    )
    .chain(([width, height, bits, gap]) =>
      bytes(rowBytes(width, bits) * Math.abs(height)).map((pixels) =>
        bmp({ width, height, bits, pixels, gap }),
      ),
    );

const smallBmp = bmp({ width: 3, height: 2, bits: 24, pixels: new Uint8Array(24).map((_, i) => i * 9) });

/** A copy with a number in another place's stead. */
function changed(file: Uint8Array, at: number, value: number, size = 4): Buffer {
  const copy = Buffer.from(file);
  copy.writeIntLE(value, at, size);
  return copy;
}

const wrongBmps: readonly Uint8Array[] = [
  changed(smallBmp, 18, 0),
  changed(smallBmp, 18, -3),
  changed(smallBmp, 18, 2 ** 31 - 1),
  changed(smallBmp, 22, 0),
  changed(smallBmp, 22, -(2 ** 31)),
  changed(smallBmp, 22, 5),
  ...[0, 1, 4, 16, 33, -24, 64].map((bits) => changed(smallBmp, 28, bits, 2)),
  ...[0, 20, -1, 2 ** 31 - 1].map((start) => changed(smallBmp, 10, start)),
  smallBmp.subarray(0, 31),
  smallBmp.subarray(0, 32),
  smallBmp.subarray(0, smallBmp.length - 1),
  Buffer.concat([smallBmp, Buffer.alloc(2)]),
  Buffer.from("BM"),
  Buffer.from("B"),
  Buffer.alloc(0),
];

const frame = (colorBits: number): fc.Arbitrary<FrameParts> =>
  fc
    .record({
      left: fc.constantFrom(0, 0, 1, 9),
      top: fc.constantFrom(0, 0, 2),
      width: fc.integer({ min: 1, max: 40 }),
      height: fc.integer({ min: 1, max: 30 }),
      interlaced: fc.boolean(),
      clearEvery: fc.constantFrom(0, 0, 7),
      transparent: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      colors: fc.option(bytes(3 * 2 ** colorBits), { nil: undefined }),
    })
    .chain(({ transparent, colors, ...rest }) =>
      fc
        .array(fc.integer({ min: 0, max: 2 ** colorBits - 1 }), {
          minLength: rest.width * rest.height,
          maxLength: rest.width * rest.height,
        })
        .map((list) => ({
          ...rest,
          colorBits,
          indices: Uint8Array.from(list),
          ...(transparent === undefined ? {} : { transparent }),
          ...(colors === undefined ? {} : { colors }),
        })),
    );

/** Files of a few frames; now and then with a comment, or cut off somewhere. */
const gifFiles = (frames: { readonly minLength: number; readonly maxLength: number }): fc.Arbitrary<Buffer> =>
  fc.constantFrom(2, 3, 8).chain((colorBits) =>
    fc
      .tuple(
        bytes(3 * 2 ** colorBits),
        fc.array(frame(colorBits), frames),
        fc.constantFrom(...[[], [Buffer.of(0x21, 0xfe, 3, 1, 2, 3, 0)]]),
        fc.oneof(
          { weight: 4, arbitrary: fc.constant(1) },
          { weight: 1, arbitrary: fc.double({ min: 0.1, max: 1, noNaN: true }) },
        ),
      )
      .map(([colors, parts, comment, share]) => {
        const file = gif(colors, [...comment, ...parts.map((one) => frameBytes(one))]);
        return file.subarray(0, Math.ceil(file.length * share));
      }),
  );

const fourColors = Uint8Array.from([10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]);
const sixPixels: FrameParts = {
  left: 0,
  top: 0,
  width: 3,
  height: 2,
  indices: Uint8Array.of(0, 1, 2, 3, 0, 1),
  colorBits: 2,
  clearEvery: 0,
};
const whole = frameBytes(sixPixels);
/** A frame of six pixels whose codes are these bytes. */
const ofCodes = (colorBits: number, ...codes: number[]): Buffer =>
  frameBytes({ ...sixPixels, colorBits }, blocks(Uint8Array.from(codes)));

const wrongGifs: readonly Uint8Array[] = [
  gif(undefined, [whole]),
  gif(fourColors, []),
  gif(fourColors, [whole], ""),
  gif(fourColors, [whole, Buffer.of(0x99)]),
  gif(fourColors, [Buffer.of(0x99), whole]),
  gif(fourColors, [frameBytes({ ...sixPixels, width: 0 })]),
  gif(fourColors, [frameBytes({ ...sixPixels, width: 65535, height: 65535 })]),
  gif(fourColors, [frameBytes({ ...sixPixels, left: 65535, top: 65535 })]),
  gif(fourColors, [frameBytes({ ...sixPixels, height: 1 })]),
  gif(fourColors, [frameBytes({ ...sixPixels, height: 3 })]),
  gif(fourColors, [frameBytes({ ...sixPixels, colorBits: 3, indices: Uint8Array.of(0, 1, 7, 2, 3, 3) })]),
  gif(fourColors, [ofCodes(9, 0, 0)]),
  gif(fourColors, [ofCodes(2, 0xff, 0xff, 0xff)]),
  gif(fourColors, [ofCodes(2, 0x34, 0, 0, 0)]),
  gif(fourColors, [ofCodes(2, 5)]),
  gif(fourColors, [ofCodes(2)]),
  gif(fourColors, [whole, ofCodes(2, 0xff, 0xff, 0xff)]),
  gif(fourColors, [whole, frameBytes({ ...sixPixels, transparent: 1 })]),
  gif(fourColors, [
    frameBytes({ ...sixPixels, transparent: 0 }),
    frameBytes({ ...sixPixels, transparent: 1 }),
    whole,
  ]),
  Buffer.from("GIF8"),
];
const anyFormat: readonly Uint8Array[] = [
  ...wrongBmps,
  ...wrongGifs,
  smallBmp,
  gif(fourColors, [whole]),
  gif(fourColors, [whole, whole]),
  Buffer.from("no image"),
];

const asCase = (file: Uint8Array, attrs: Attrs = {}): Drawn => ({ inputs: [scalar("string", file)], attrs });

export const byteImageSpecs: readonly OpSpec[] = [
  {
    op: "DecodeBmp",
    types: {},
    draw: () =>
      fc
        .tuple(bmpFiles([1, 2, 5, -1, -3]), fc.constantFrom(0, 0, 3, 4))
        .map(([file, channels]) => asCase(file, { channels: attr.int(channels) })),
    edges: () => [
      ...anyFormat.map((file) => asCase(file)),
      ...[1, 2, -1].map((channels) => asCase(smallBmp, { channels: attr.int(channels) })),
      { inputs: [Tensor.of([smallBmp], "string")] },
    ],
  },
  {
    op: "DecodeGif",
    types: {},
    draw: () => gifFiles({ minLength: 1, maxLength: 3 }).map((file) => asCase(file)),
    edges: () => [
      ...anyFormat.map((file) => asCase(file)),
      { inputs: [Tensor.of([gif(fourColors, [whole])], "string")] },
    ],
  },
  {
    op: "DecodePng",
    types: { dtype: ["uint8", "uint16"] },
    draw: () => gifFiles({ minLength: 1, maxLength: 1 }).map((file) => asCase(file)),
    edges: () => anyFormat.map((file) => asCase(file)),
  },
  {
    op: "DecodeImage",
    types: { dtype: ["uint8", "uint16", "float32"] },
    draw: ({ dtype }) =>
      fc
        .tuple(
          // TensorFlow's process ends where it reads one from the uppermost row on as numbers of more than a byte.
          fc.oneof(gifFiles({ minLength: 1, maxLength: 3 }), bmpFiles(dtype === "uint8" ? [2, -3] : [2, 3])),
          fc.constantFrom(0, 0, 1, 3, 4),
          fc.boolean(),
        )
        .map(([file, channels, animated]) =>
          asCase(file, { channels: attr.int(channels), expand_animations: attr.bool(animated) }),
        ),
    edges: () => anyFormat.map((file) => asCase(file)),
  },
];
