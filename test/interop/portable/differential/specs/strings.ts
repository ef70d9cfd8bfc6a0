/** Ops on strings. */
import fc from "fast-check";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { anyTensor, dataTypes, scalar, shapes, tensor } from "../arbitraries.js";
import { type Attrs, attr } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

const words = fc
  .array(fc.constantFrom("", "a", "Tensor flow", " spaced  out ", "Zürich", "日本", "1.5", "-3", "a,b,,c"), {
    minLength: 1,
    maxLength: 5,
  })
  .map((list) => Tensor.of(list, "string"));

const oneInput = (ops: readonly string[], attrs?: Attrs): OpSpec[] =>
  specsOf(ops, {
    types: {},
    draw: () => words.map((input) => ({ inputs: [input], ...(attrs === undefined ? {} : { attrs }) })),
  });

export const stringSpecs: readonly OpSpec[] = [
  ...oneInput(["StringLower", "StringUpper", "StringStrip", "StringLength", "EncodeBase64"]),
  ...oneInput(["StringLength"], { unit: attr.text("UTF8_CHAR") }),
  ...oneInput(["StringLower", "StringUpper"], { encoding: attr.text("utf-8") }),
  ...oneInput(["StringToHashBucketFast", "StringToHashBucket"], { num_buckets: attr.int(1000) }),
  ...oneInput(["StaticRegexFullMatch"], { pattern: attr.text("[a-z]+.*") }),
  ...oneInput(["StaticRegexReplace"], { pattern: attr.text("([a-z])"), rewrite: attr.text("<\\1>") }),
  {
    op: "RegexFullMatch",
    types: {},
    draw: () => words.map((input) => ({ inputs: [input, scalar("string", ".*[0-9]")] })),
    edges: () => [
      { inputs: [scalar("string", "a"), scalar("string", "(")] },
      // Letters with more than two cases, names that are given twice, and invalid UTF-8.
      ...(
        [
          ["\u017f", "(?i)s"],
          ["s", "(?i)\u017f"],
          ["\u03c2", "(?i)\u03a3"],
          ["\u0131", "(?i)i"],
          ["ab", "(?P<n>a)(?P<n>b)"],
        ] as const
      ).map(([text, pattern]) => ({ inputs: [scalar("string", text), scalar("string", pattern)] })),
      ...["a.b", "a[^c]b", "(?s).*", "a\\xffb"].map((pattern) => ({
        inputs: [new Tensor("string", [], [Uint8Array.of(0x61, 0xff, 0x62)]), scalar("string", pattern)],
      })),
    ],
  },
  {
    op: "RegexReplace",
    types: {},
    draw: () =>
      words.map((input) => ({ inputs: [input, scalar("string", "[aeiou]"), scalar("string", "_")] })),
    edges: () => [
      {
        inputs: [
          new Tensor("string", [], [Uint8Array.of(0x61, 0xff, 0xc3, 0xa9, 0xe2, 0x82, 0x62)]),
          scalar("string", "[^a]"),
          scalar("string", "-"),
        ],
      },
    ],
  },
  {
    op: "DecodeBase64",
    types: {},
    draw: () =>
      fc.constantFrom("aGVsbG8", "aGVsbG8=", "", "_-8").map((text) => ({ inputs: [scalar("string", text)] })),
    edges: () => [{ inputs: [scalar("string", "a b*")] }],
  },
  {
    op: "StringJoin",
    types: {},
    draw: () =>
      shapes({ maxRank: 2 }).chain((shape) =>
        fc.tuple(tensor("string", shape), tensor("string", []), tensor("string", shape)).map((inputs) => ({
          inputs,
          attrs: { N: attr.int(3), separator: attr.text("+") },
        })),
      ),
    edges: () => [{ inputs: [Tensor.of(["a", "b"]), Tensor.of(["a", "b", "c"])], attrs: { N: attr.int(2) } }],
  },
  {
    op: "StringFormat",
    types: {},
    draw: () =>
      anyTensor("float32", "unit").map((input) => ({
        inputs: [input, scalar("int32", 7)],
        attrs: {
          T: attr.types("float32", "int32"),
          template: attr.text("x = {}, n = {}"),
          placeholder: attr.text("{}"),
          summarize: attr.int(3),
        },
      })),
    edges: () =>
      dataTypes.map((dtype) => ({
        inputs: [scalar(dtype, 1)],
        attrs: {
          T: attr.types(dtype),
          template: attr.text("{}"),
          placeholder: attr.text("{}"),
          summarize: attr.int(3),
        },
      })),
  },
  {
    op: "AsString",
    types: { T: ["int8", "int16", "int32", "int64", "float32", "float64", "bool"] },
    draw: ({ T = "int32" }) =>
      fc.tuple(anyTensor(T), fc.constantFrom(-1, 2)).map(([input, precision]) => ({
        inputs: [input],
        attrs: T.startsWith("float") ? { precision: attr.int(precision) } : {},
      })),
  },
  {
    op: "StringToNumber",
    types: { out_type: ["float32", "float64", "int32", "int64"] },
    draw: () => fc.constantFrom("1", " 2 ", "-3", "40").map((text) => ({ inputs: [Tensor.of([text, "7"])] })),
    edges: () =>
      ["1.5", "abc", "", "99999999999999999999", "nan"].map((text) => ({ inputs: [scalar("string", text)] })),
  },
  {
    op: "Substr",
    types: { T: ["int32", "int64"] },
    draw: ({ T = "int32" }) =>
      fc.tuple(fc.integer({ min: -4, max: 3 }), fc.nat(4)).map(([at, length]) => ({
        inputs: [Tensor.of(["hello", "world"]), scalar(T, at), scalar(T, length)],
      })),
    edges: ({ T = "int32" }) => [{ inputs: [scalar("string", "ab"), scalar(T, 5), scalar(T, 1)] }],
  },
  {
    op: "StringSplit",
    types: {},
    draw: () => words.map((input) => ({ inputs: [input, scalar("string", " ,")] })),
  },
  {
    op: "StringSplitV2",
    types: {},
    draw: () =>
      fc
        .tuple(words, fc.constantFrom("", ",", " "))
        .map(([input, separator]) => ({ inputs: [input, scalar("string", separator)] })),
  },
  {
    op: "ReduceJoin",
    types: {},
    draw: () =>
      tensor("string", [2, 3]).chain((input) =>
        fc.constantFrom(0, 1, -1).map((axis) => ({
          inputs: [input, scalar("int32", axis)],
          attrs: { separator: attr.text("-") },
        })),
      ),
  },
  {
    op: "DecodeRaw",
    types: { out_type: ["uint8", "int16", "int32", "float32"] },
    draw: () =>
      fc
        .constantFrom("abcdefghijklmnop", "ABCDEFGH12345678")
        .map((text) => ({ inputs: [Tensor.of([text, text])] })),
    edges: () => [{ inputs: [scalar("string", "abc")] }],
  },
  {
    op: "StringToHashBucketStrong",
    types: {},
    draw: () =>
      words.map((input) => ({
        inputs: [input],
        attrs: { num_buckets: attr.int(1000), key: attr.ints(3, 4) },
      })),
  },
];
