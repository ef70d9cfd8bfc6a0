/** Records as text and as protobufs. */
import fc from "fast-check";
import { Example } from "../../../../../protos/generated/tensorflow/example.js";
import { Feature } from "../../../../../protos/generated/tensorflow/feature.js";
import { TensorProto } from "../../../../../protos/generated/tensorflow/tensor.js";
import { Tensor, tensorToProto } from "../../../../../worker-runtime/protocol/tensor.js";
import { anyTensor, scalar, tensor } from "../arbitraries.js";
import { attr } from "../op-case.js";
import type { OpSpec } from "../op-spec.js";

const serialized = (value: Tensor): Tensor =>
  new Tensor("string", [], [TensorProto.encode(tensorToProto(value)).finish()]);

/** Serialized Examples with a dense feature "x" of two floats and a sparse one "words", which the second one lacks. */
const examples = fc.tuple(fc.nat(9), fc.nat(9)).map(([a, b]) => {
  const dense = Feature.fromPartial({ kind: { $case: "floatList", value: { value: [a, b] } } });
  const texts = ["one", "two"].map((text) => new TextEncoder().encode(text));
  const words = Feature.fromPartial({ kind: { $case: "bytesList", value: { value: texts } } });
  const features = [
    new Map([
      ["x", dense],
      ["words", words],
    ]),
    new Map([["x", dense]]),
  ];
  return features.map((feature) => Example.encode(Example.fromPartial({ features: { feature } })).finish());
});

const exampleTypes = {
  Tdense: attr.types("float32"),
  sparse_types: attr.types("string"),
  dense_shapes: attr.shapes([2]),
};
const noDefault = Tensor.of([], "float32", [0]);

const floats = Feature.fromPartial({ kind: { $case: "floatList", value: { value: [0.5, -2] } } });
const longs = Feature.fromPartial({ kind: { $case: "int64List", value: { value: [7n, -8n] } } });
const texts = Feature.fromPartial({
  kind: { $case: "bytesList", value: { value: [Uint8Array.of(97), Uint8Array.of(98)] } },
});
/** Names of three features of different kinds; TensorFlow reads none of them in two ways. */
const kindsOf = (use: string): string[] => ["floats", "longs", "texts"].map((kind) => `${use} ${kind}`);
const [sparse, dense, ragged] = ["sparse", "dense", "ragged"].map(kindsOf) as [string[], string[], string[]];
/** An Example with features of each kind, two elements of each. */
const everyKind = Example.encode(
  Example.fromPartial({
    features: {
      feature: new Map(
        [sparse, dense, ragged].flatMap((names) =>
          names.map((name, i) => [name, [floats, longs, texts][i] as Feature] as const),
        ),
      ),
    },
  }),
).finish();
const kindTypes = attr.types("float32", "int64", "string");
const denseKinds = { Tdense: kindTypes, dense_shapes: attr.shapes([2], [2], [2]) };
const noDefaults = (["float32", "int64", "string"] as const).map((dtype) => Tensor.of([], dtype, [0]));
const none = Tensor.of([], "string", [0]);

export const parsingSpecs: readonly OpSpec[] = [
  {
    op: "SerializeTensor",
    types: { T: ["float32", "int64", "string"] },
    draw: ({ T = "float32" }) =>
      anyTensor(T, "moderate", { maxRank: 2 }).map((input) => ({ inputs: [input] })),
  },
  {
    op: "ParseTensor",
    types: { out_type: ["float32", "int64", "string"] },
    draw: ({ out_type = "float32" }) =>
      tensor(out_type, [2, 2]).map((value) => ({ inputs: [serialized(value)] })),
    edges: () => [
      { inputs: [scalar("string", "no message")] },
      { inputs: [serialized(Tensor.of([true], "bool"))] },
    ],
  },
  {
    op: "DecodeCSV",
    types: {},
    draw: () =>
      fc.constantFrom("1,2.5,text", '7,,"a ""quoted"", b"', "-3,1e3,").map((line) => ({
        inputs: [
          Tensor.of([line, "9,8,seven"]),
          Tensor.of([], "int32", [0]),
          Tensor.of([0.5], "float32"),
          Tensor.of(["none"]),
        ],
        attrs: { OUT_TYPE: attr.types("int32", "float32", "string") },
      })),
    edges: () => [
      ...["1,2", "x,2,3", ",1,2"].map((line) => ({
        inputs: [
          Tensor.of([line]),
          Tensor.of([], "int32", [0]),
          Tensor.of([0.5], "float32"),
          Tensor.of(["none"]),
        ],
        attrs: { OUT_TYPE: attr.types("int32", "float32", "string") },
      })),
      {
        inputs: [Tensor.of(["-7,2.5", ",1e300"]), Tensor.of([9n], "int64"), Tensor.of([], "float64", [0])],
        attrs: { OUT_TYPE: attr.types("int64", "float64") },
      },
    ],
  },
  {
    op: "ShardedFilename",
    types: {},
    draw: () =>
      fc
        .nat(9)
        .map((shard) => ({ inputs: [scalar("string", "a/b"), scalar("int32", shard), scalar("int32", 10)] })),
    edges: () => [{ inputs: [scalar("string", "a/b"), scalar("int32", 123_456), scalar("int32", -1)] }],
  },
  {
    op: "ShardedFilespec",
    types: {},
    draw: () => fc.nat(20).map((count) => ({ inputs: [scalar("string", "a/b"), scalar("int32", count)] })),
  },
  {
    op: "ParseExample",
    types: {},
    draw: () =>
      examples.map((serializedOnes) => ({
        inputs: [
          new Tensor("string", [2], serializedOnes),
          Tensor.of([], "string", [0]),
          scalar("string", "words"),
          scalar("string", "x"),
          noDefault,
        ],
        attrs: { ...exampleTypes, Nsparse: attr.int(1), Ndense: attr.int(1) },
      })),
    edges: () => [
      {
        inputs: [
          Tensor.of(["no example"]),
          Tensor.of([], "string", [0]),
          scalar("string", "words"),
          scalar("string", "x"),
          noDefault,
        ],
        attrs: { ...exampleTypes, Nsparse: attr.int(1), Ndense: attr.int(1) },
      },
      {
        inputs: [
          Tensor.of([everyKind], "string"),
          none,
          ...[...sparse, ...dense].map((key) => scalar("string", key)),
          ...noDefaults,
        ],
        attrs: { ...denseKinds, sparse_types: kindTypes, Nsparse: attr.int(3), Ndense: attr.int(3) },
      },
    ],
  },
  {
    op: "ParseExampleV2",
    types: {},
    draw: () =>
      examples.map((serializedOnes) => ({
        inputs: [
          new Tensor("string", [2], serializedOnes),
          Tensor.of([], "string", [0]),
          Tensor.of(["words"]),
          Tensor.of(["x"]),
          Tensor.of([], "string", [0]),
          noDefault,
        ],
        attrs: {
          ...exampleTypes,
          num_sparse: attr.int(1),
          ragged_value_types: attr.types(),
          ragged_split_types: attr.types(),
        },
      })),
    edges: () =>
      (["int32", "int64"] as const).map((splits) => ({
        inputs: [
          Tensor.of([everyKind], "string"),
          none,
          Tensor.of(sparse),
          Tensor.of(dense),
          Tensor.of(ragged),
          ...noDefaults,
        ],
        attrs: {
          ...denseKinds,
          sparse_types: kindTypes,
          num_sparse: attr.int(3),
          ragged_value_types: kindTypes,
          ragged_split_types: attr.types(splits, splits, splits),
        },
      })),
  },
  {
    op: "ParseSingleExample",
    types: {},
    draw: () =>
      examples.map(([first = new Uint8Array()]) => ({
        inputs: [new Tensor("string", [], [first]), noDefault],
        attrs: {
          ...exampleTypes,
          num_sparse: attr.int(1),
          sparse_keys: attr.texts("words"),
          dense_keys: attr.texts("x"),
        },
      })),
    edges: () => [
      {
        inputs: [Tensor.of(everyKind, "string"), ...noDefaults],
        attrs: {
          ...denseKinds,
          sparse_types: kindTypes,
          num_sparse: attr.int(3),
          sparse_keys: attr.texts(...sparse),
          dense_keys: attr.texts(...dense),
        },
      },
    ],
  },
];
