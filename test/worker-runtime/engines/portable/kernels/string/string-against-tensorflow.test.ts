import { describe, expect, test } from "vitest";
import { KernelRegistry } from "../../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { stringKernels } from "../../../../../../worker-runtime/engines/portable/kernels/string/index.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";

const kernels = new KernelRegistry().add(...stringKernels);
const strings = (...values: string[]) => Tensor.of(values, "string", [values.length]);
const int = (value: number) => Tensor.of(value, "int32");
const bytes = (hex: string) => Tensor.of(Buffer.from(hex, "hex"), "string", []);

const text: OpCase[] = [
  { op: "StringLower", inputs: [strings("AbÄß", "", "XYZ[@`")] },
  { op: "StringLower", inputs: [strings("AbÄß", "ÇX")], attrs: { encoding: "utf-8" } },
  { op: "StringUpper", inputs: [strings("abäz{`", "")] },
  { op: "StringUpper", inputs: [strings("abäß")], attrs: { encoding: "utf-8" } },
  { op: "StringUpper", inputs: [strings("a")], attrs: { encoding: "latin1" } },
  { op: "StringStrip", inputs: [strings(" a b\t\n", "", "  ", "\v\fx\r")] },
  { op: "StringLength", inputs: [strings("", "äö", "日本語x")] },
  { op: "StringLength", inputs: [strings("", "äö", "日本語x")], attrs: { unit: "UTF8_CHAR" } },
  { op: "StringJoin", inputs: [strings("a", "b"), Tensor.of("-"), strings("c", "d")] },
  { op: "StringJoin", inputs: [Tensor.of("a"), Tensor.of("b")], attrs: { separator: ", " } },
  { op: "StringJoin", inputs: [strings("a", "b"), strings("c")] },
  { op: "StringJoin", inputs: [Tensor.of([], "string", [0]), Tensor.of("x")] },
  ...[[0], [1], [0, 1], [1, 0], [-1], [-1, 0], [], [2], [0, 0]].flatMap((axes) =>
    [false, true].map((keep_dims) => ({
      op: "ReduceJoin",
      inputs: [
        Tensor.of([
          ["a", "b", "e"],
          ["c", "d", "f"],
        ]),
        Tensor.of(axes, "int32", [axes.length]),
      ],
      attrs: { keep_dims, separator: "+" },
    })),
  ),
  { op: "ReduceJoin", inputs: [Tensor.of("abc"), Tensor.of([], "int32", [0])] },
  { op: "ReduceJoin", inputs: [Tensor.of([], "string", [2, 0]), Tensor.of([1], "int32")] },
  ...[0, 1, -1, 3, -3, 4, -4].flatMap((position) =>
    ["BYTE", "UTF8_CHAR"].map((unit) => ({
      op: "Substr",
      inputs: [strings("abc", "äöü"), int(position), int(2)],
      attrs: { unit },
    })),
  ),
  {
    op: "Substr",
    inputs: [
      Tensor.of([
        ["abcdef", "ghijkl"],
        ["mnopqr", "stuvwx"],
      ]),
      Tensor.of([1, 2], "int32"),
      Tensor.of([3, 10], "int32"),
    ],
  },
  { op: "Substr", inputs: [Tensor.of("hello"), Tensor.of([0n, 1n], "int64"), Tensor.of([1n, 2n], "int64")] },
  { op: "Substr", inputs: [strings("hello"), int(1), int(-1)] },
];

const splits: OpCase[] = [
  ...[" ", "", ", ", "-"].flatMap((delimiter) =>
    [true, false].map((skip_empty) => ({
      op: "StringSplit",
      inputs: [strings("a b, c", "", "  x  ", "--"), Tensor.of(delimiter)],
      attrs: { skip_empty },
    })),
  ),
  ...["", " ", "ab", ","].flatMap((separator) =>
    [-1, 0, 1, 2].map((maxsplit) => ({
      op: "StringSplitV2",
      inputs: [strings("a b  c ", "", " \t x", "1ab2ab3abab", ",a,,b,"), Tensor.of(separator)],
      attrs: { maxsplit },
    })),
  ),
  { op: "StringSplitV2", inputs: [Tensor.of("a"), Tensor.of(" ")] },
  { op: "StringSplitV2", inputs: [Tensor.of([], "string", [0]), Tensor.of(" ")] },
];

const numberTexts = [
  "1",
  " 2 ",
  "-3",
  "+4",
  "0012",
  "1.5",
  "1e3",
  ".5",
  "5.",
  "inf",
  "-INF",
  "NaN",
  "0x10",
  "1e40",
];
const badTexts = ["", "abc", "1.5.2", "1 2", "1e", "--1", "99999999999", "1_0"];
const reals = [
  0,
  -0,
  1,
  -1.5,
  0.1,
  2.5,
  1 / 3,
  1e10,
  1e-10,
  123456789,
  1e20,
  Number.NaN,
  Infinity,
  -Infinity,
];

const numbers: OpCase[] = [
  ...(["float32", "float64", "int32", "int64"] as const).flatMap((out_type) =>
    [...numberTexts, ...badTexts].map((one) => ({
      op: "StringToNumber",
      inputs: [Tensor.of([one])],
      attrs: { out_type },
      ulps: 0,
    })),
  ),
  ...(["float32", "float64", "float16", "bfloat16"] as const).flatMap((dtype) =>
    [
      {},
      { precision: 3 },
      { precision: 0 },
      { precision: 12 },
      { scientific: true },
      { scientific: true, precision: 2 },
      { shortest: true },
      { shortest: true, precision: 10 },
      { width: 12 },
      { width: 12, fill: "0" },
      { width: 12, fill: "-" },
      { width: 12, fill: "+" },
      { width: 12, fill: " " },
      { width: 3, fill: "+" },
      { precision: 2, width: 9, fill: "0" },
    ].map((attrs) => ({ op: "AsString", inputs: [Tensor.of(reals, dtype)], attrs })),
  ),
  ...(["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"] as const).flatMap((dtype) =>
    [
      {},
      { width: 5 },
      { width: 5, fill: "0" },
      { width: 5, fill: "-" },
      { width: 5, fill: "+" },
      { precision: 1 },
    ].map((attrs) => ({
      op: "AsString",
      inputs: [Tensor.of(dtype.startsWith("u") ? [0, 7, 120] : [0, -7, 120], dtype)],
      attrs,
    })),
  ),
  { op: "AsString", inputs: [Tensor.of([true, false])] },
  { op: "AsString", inputs: [Tensor.of([true, false])], attrs: { width: 8 } },
  { op: "AsString", inputs: [Tensor.of([true, false])], attrs: { width: 8, fill: "-" } },
  { op: "AsString", inputs: [strings("a", "bcd")], attrs: { width: 4 } },
  { op: "AsString", inputs: [strings("a", "bcd")], attrs: { width: 4, fill: "-" } },
  { op: "AsString", inputs: [Tensor.of([{ re: 1, im: -2.5 }], "complex64")] },
  {
    op: "AsString",
    inputs: [Tensor.of([{ re: 1, im: -2.5 }], "complex128")],
    attrs: { width: 7, precision: 1 },
  },
  { op: "AsString", inputs: [Tensor.of([1])], attrs: { fill: "xx", width: 3 } },
  { op: "AsString", inputs: [Tensor.of([1])], attrs: { fill: "x", width: 3 } },
  { op: "AsString", inputs: [Tensor.of([1])], attrs: { scientific: true, shortest: true } },
];

const coding: OpCase[] = [
  ...[true, false].map((pad) => ({
    op: "EncodeBase64",
    inputs: [strings("", "a", "ab", "abc", "ÿþ?>")],
    attrs: { pad },
  })),
  ...["", "YQ", "YQ==", "YWI=", "YWJj", "_-8", "YQ=", "Y", "YR", "YQ==YQ", "a b", "+/"].map((one) => ({
    op: "DecodeBase64",
    inputs: [Tensor.of(one)],
  })),
  ...(["float32", "int16", "int64", "uint8", "bool", "float16", "complex64"] as const).flatMap((out_type) =>
    [true, false].map((little_endian) => ({
      op: "DecodeRaw",
      inputs: [Tensor.of(["abcdefgh", "ijklmnop"])],
      attrs: { out_type, little_endian },
      ulps: 0,
    })),
  ),
  { op: "DecodeRaw", inputs: [Tensor.of(["abc"])], attrs: { out_type: "int32" } },
  { op: "DecodeRaw", inputs: [Tensor.of(["abcd", "ab"])], attrs: { out_type: "int16" } },
  { op: "DecodeRaw", inputs: [Tensor.of(["", ""])], attrs: { out_type: "int16" } },
  { op: "DecodeRaw", inputs: [Tensor.of([], "string", [0])], attrs: { out_type: "int16" } },
  { op: "SerializeTensor", inputs: [Tensor.of([[1, 2]])] },
  { op: "SerializeTensor", inputs: [Tensor.of(["a", "b"])] },
  { op: "SerializeTensor", inputs: [Tensor.of(3n, "int64")] },
  {
    op: "ParseTensor",
    inputs: [bytes("080112041202080222080000803f00000040")],
    attrs: { out_type: "float32" },
  },
  {
    op: "ParseTensor",
    inputs: [bytes("080112041202080222080000803f00000040")],
    attrs: { out_type: "int32" },
  },
  { op: "ParseTensor", inputs: [bytes("ffff")], attrs: { out_type: "int32" } },
];

const hashed = strings(
  "",
  "a",
  "abc",
  "abcd",
  "hello wo",
  "0123456789abcdef",
  "x".repeat(17),
  "yz".repeat(16),
  ...[33, 63, 64, 65, 66, 100, 127, 128, 129, 193, 300].map((count) =>
    "qwertzuiopü".repeat(30).slice(0, count),
  ),
);
const hashes: OpCase[] = [
  ...[1, 10, 2 ** 40].flatMap((num_buckets) => [
    { op: "StringToHashBucketFast", inputs: [hashed], attrs: { num_buckets } },
    { op: "StringToHashBucket", inputs: [hashed], attrs: { num_buckets } },
    { op: "StringToHashBucketStrong", inputs: [hashed], attrs: { num_buckets, key: [123, -456] } },
  ]),
];

const patterns: readonly [pattern: string, rewrite: string][] = [
  ["a", "b"],
  ["a*", "X"],
  ["(a+)(b+)?", "<\\1|\\2|\\0>"],
  ["^a|c$", "-"],
  ["[^a-c]+", "_"],
  ["(?i)AB|ä", "#"],
  ["\\bfoo\\b", "bar"],
  ["[[:alpha:]]+\\d{2,3}", "N"],
  [".", "\\\\"],
  ["(?s).+", "all"],
  ["a{2}|b{1,}|c{0,1}", "x"],
  ["(a|ab)(c|bcd)(d*)", "[\\1,\\2,\\3]"],
  ["a+?b*?", "y"],
  ["\\p{L}+", "L"],
  ["\\PL+", "n"],
  ["(?P<name>o+)", "(\\1)"],
  ["\\Qa.b\\E", "lit"],
  ["x{,2}", "z"],
  ["\\x61\\x{62}", "h"],
  ["[\\d\\-x\\]]", "d"],
  ["(?m)^\\w", "W"],
  ["$", "end"],
  ["", "-"],
  ["(a*)*b", "s"],
  ["(a)|b", "\\1!"],
  // Patterns that RE2 refuses.
  ["(a)\\1", "x"],
  ["(?=a)", "x"],
  ["(?<!a)b", "x"],
  ["a)", "x"],
  ["(a", "x"],
  ["[a", "x"],
  ["*a", "x"],
  ["a**", "x"],
  ["a{1001}", "x"],
  ["a{3,2}", "x"],
  ["\\", "x"],
  ["[z-a]", "x"],
  ["(?z)a", "x"],
  // Rewrites that are none.
  ["a", "\\1"],
  ["a", "\\x"],
];
const subjects = strings(
  "",
  "baaac",
  "abcd",
  "aab foo-42 Ab",
  "a.b\nab xx99",
  "Ääß foo",
  "x]-a{2}",
  "aaa\nccc",
);
const regexes: OpCase[] = patterns.flatMap(([pattern, rewrite]) => [
  { op: "RegexReplace", inputs: [subjects, Tensor.of(pattern), Tensor.of(rewrite)] },
  { op: "StaticRegexReplace", inputs: [subjects], attrs: { pattern, rewrite, replace_global: false } },
  { op: "RegexFullMatch", inputs: [subjects, Tensor.of(pattern)] },
  { op: "StaticRegexFullMatch", inputs: [subjects], attrs: { pattern } },
]);

const cube = Tensor.of([...Array(24).keys()], "float32", [2, 3, 4]);
const formats: OpCase[] = [-1, 1, 3].map((summarize) => ({
  op: "StringFormat",
  inputs: [
    cube,
    strings("a", 'b\n"q"'),
    Tensor.of([1.5, 1 / 3, 1e-5], "float64"),
    Tensor.of([], "float32", [2, 0, 3]),
  ],
  attrs: { template: "a={} b={} {}{}!", placeholder: "{}", summarize },
}));

describe.skipIf(peerMissing("tensorflow"))("the same strings as TensorFlow", () => {
  test.each([
    ["text", text],
    ["splits", splits],
    ["numbers", numbers],
    ["coding", coding],
    ["hashes", hashes],
    ["regular expressions", regexes],
    ["formats", [...formats, { op: "StringFormat", inputs: [cube], attrs: { template: "no" } }]],
  ])("%s", async (_, cases) => {
    expect(await compareWithTensorflow(cases, kernels)).toEqual([]);
  });
});
