/** Texts as numbers of characters, and strings of several. */
import fc from "fast-check";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { indexTypes, indices, integers, scalar, tensor } from "../arbitraries.js";
import { type Attrs, attr } from "../op-case.js";
import type { OpSpec } from "../op-spec.js";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

/** Characters of every length, and bytes that are none: cut off, too long, surrogates, beyond the last code point. */
const pieces: readonly Uint8Array[] = [
  bytes(0x61),
  bytes(0x01),
  bytes(0x7f),
  bytes(0xc3, 0xbc),
  bytes(0xe6, 0x97, 0xa5),
  bytes(0xf0, 0x9f, 0x98, 0x80),
  bytes(0xef, 0xbb, 0xbf),
  bytes(0xff),
  bytes(0xe2, 0x82),
  bytes(0xc0, 0xaf),
  bytes(0xed, 0xa0, 0x80),
  bytes(0xf4, 0x90, 0x80, 0x80),
  bytes(0xd8, 0x3d, 0xde, 0x00),
  bytes(0xd8, 0x3d),
  bytes(0x00, 0x62),
  bytes(0x00, 0x01, 0xf6, 0x00),
];

const text = fc
  .array(fc.constantFrom(...pieces), { maxLength: 5 })
  .map((parts) => Uint8Array.from(Buffer.concat(parts)));

const texts = fc
  .array(text, { minLength: 1, maxLength: 4 })
  .map((list) => new Tensor("string", [list.length], list));

const encodings = fc.constantFrom(
  "UTF-8",
  "utf8",
  "UTF-16-BE",
  "UTF-16-LE",
  "UTF-32-BE",
  "US-ASCII",
  "latin1",
  "ISO-8859-1",
);
const errors = fc.constantFrom("replace", "ignore", "strict");

const decoding: fc.Arbitrary<Attrs> = fc
  .tuple(encodings, errors, fc.boolean())
  .map(([encoding, rule, controls]) => ({
    input_encoding: attr.text(encoding),
    errors: attr.text(rule),
    replacement_char: attr.int(63),
    replace_control_characters: attr.bool(controls),
  }));

const codes = fc.constantFrom(97, 252, 0x65e5, 0x1f600, 0xfffe, 0xd800, 0x110000, -1);

const ngrams: fc.Arbitrary<Attrs> = fc
  .tuple(fc.constantFrom([2], [3, 1], [4, 5], []), fc.constantFrom(-1, 0, 1, 5), fc.boolean())
  .map(([widths, pads, short]) => ({
    separator: attr.text("|"),
    left_pad: attr.text("<"),
    right_pad: attr.text(">"),
    ngram_widths: attr.ints(...widths),
    pad_width: attr.int(pads),
    preserve_short_sequences: attr.bool(short),
  }));

const words = Tensor.of(["a", "bc", "", "d", "日本", "f"]);

const plainNgrams: Attrs = {
  separator: attr.text("|"),
  left_pad: attr.text("<"),
  right_pad: attr.text(">"),
  ngram_widths: attr.ints(2),
  pad_width: attr.int(0),
  preserve_short_sequences: attr.bool(false),
};

/** Characters that TensorFlow's Unicode has, too. */
const olderCharacters = [
  { min: 0, max: 0x061c },
  { min: 0x0900, max: 0x0bff },
  { min: 0x1000, max: 0x16ff },
  { min: 0x4e00, max: 0x9fcc },
].map((range) => fc.integer(range));

const strictOnControls = {
  input_encoding: attr.text("UTF-8"),
  errors: attr.text("strict"),
  replace_control_characters: attr.bool(true),
};

export const unicodeSpecs: readonly OpSpec[] = [
  // Offsets with splits of int32 end TensorFlow 2.21's process.
  ...(["UnicodeDecode", "UnicodeDecodeWithOffsets"] as const).map((op) => ({
    op,
    types: { Tsplits: op === "UnicodeDecode" ? indexTypes : (["int64"] as const) },
    draw: () => fc.tuple(texts, decoding).map(([input, attrs]) => ({ inputs: [input], attrs })),
    edges: () => [
      { inputs: [Tensor.of(["a"])], attrs: { input_encoding: attr.text("no such encoding") } },
      { inputs: [Tensor.of([["a"], ["bc"]])], attrs: { input_encoding: attr.text("UTF-8") } },
      { inputs: [Tensor.of(["a\u0001"])], attrs: strictOnControls },
      // Ends within the second half of a pair.
      {
        inputs: [Tensor.of([new Uint8Array([0x3d, 0xd8, 0x7f])])],
        attrs: { input_encoding: attr.text("UTF-16-LE") },
      },
    ],
  })),
  {
    op: "UnicodeTranscode",
    types: {},
    edges: () => [
      {
        inputs: [Tensor.of(["Zürich", "日本"])],
        attrs: { input_encoding: attr.text("UTF-8"), output_encoding: attr.text("UTF-16-BE") },
      },
      {
        inputs: [Tensor.of(["a\u0001"])],
        attrs: { ...strictOnControls, output_encoding: attr.text("UTF-8") },
      },
    ],
    draw: () =>
      fc
        .tuple(texts, decoding, fc.constantFrom("UTF-8", "UTF-16-BE", "UTF-32-BE"))
        .map(([input, attrs, output]) => ({
          inputs: [input],
          attrs: { ...attrs, output_encoding: attr.text(output) },
        })),
  },
  {
    op: "UnicodeEncode",
    types: { Tsplits: indexTypes },
    draw: ({ Tsplits = "int64" }) =>
      fc
        .tuple(
          fc.array(codes, { minLength: 6, maxLength: 6 }),
          errors,
          fc.constantFrom("UTF-8", "UTF-16-BE", "UTF-32-BE"),
        )
        .map(([values, rule, output]) => ({
          inputs: [integers("int32", values), integers(Tsplits, [0, 2, 2, 6])],
          attrs: {
            errors: attr.text(rule),
            output_encoding: attr.text(output),
            replacement_char: attr.int(63),
          },
        })),
    edges: ({ Tsplits = "int64" }) =>
      [[0, 2], [1, 3], [0, 5, 2, 3], [0, 4], [], [0]].map((splits) => ({
        inputs: [integers("int32", [97, 98, 99]), integers(Tsplits, splits)],
        attrs: { output_encoding: attr.text("UTF-8") },
      })),
  },
  {
    op: "StringNGrams",
    types: { Tsplits: indexTypes },
    draw: ({ Tsplits = "int64" }) =>
      fc
        .tuple(ngrams, fc.constantFrom([0, 1, 1, 4, 6], [0, 6], [0, 0, 6]))
        .map(([attrs, splits]) => ({ inputs: [words, integers(Tsplits, splits)], attrs })),
    edges: ({ Tsplits = "int64" }) =>
      [[0, 2], [1, 6], [0, 5, 3, 6], [0, 8], [0]].map((splits) => ({
        inputs: [words, integers(Tsplits, splits)],
        attrs: plainNgrams,
      })),
  },
  {
    op: "UnsortedSegmentJoin",
    types: { Tindices: indexTypes, Tnumsegments: indexTypes },
    draw: ({ Tindices = "int32", Tnumsegments = "int32" }) =>
      fc
        .tuple(
          tensor("string", [3, 2]),
          fc.constantFrom([3], [3, 2]).chain((shape) => indices(Tindices, shape, 4)),
        )
        .map(([input, ids]) => ({
          inputs: [input, ids, scalar(Tnumsegments, 4)],
          attrs: { separator: attr.text("-") },
        })),
    edges: ({ Tindices = "int32", Tnumsegments = "int32" }) => [
      { inputs: [Tensor.of(["a", "b"]), integers(Tindices, [2, 2]), scalar(Tnumsegments, 3)] },
      { inputs: [Tensor.of(["a"]), integers(Tindices, [-1]), scalar(Tnumsegments, 3)] },
      { inputs: [Tensor.of(["a"]), integers(Tindices, [0]), scalar(Tnumsegments, -3)] },
      { inputs: [Tensor.of(["a"]), integers(Tindices, [0, 1]), scalar(Tnumsegments, 3)] },
    ],
  },
  {
    op: "UnicodeScript",
    types: {},
    draw: () =>
      fc
        .array(fc.oneof(...olderCharacters), { maxLength: 12 })
        .map((codes) => ({ inputs: [integers("int32", codes)] })),
    edges: () => [
      { inputs: [integers("int32", [-1, 0x110000, 0xd800, 0x10ffff, 0xe000, 0x378, 0x7fffffff])] },
      { inputs: [integers("int32", [0x1f600, 0x10300, 0x14400, 0x16b00, 0x18b00, 0x10e80], [2, 3])] },
    ],
    note: "characters newer than Unicode 13 have their script",
  },
];
