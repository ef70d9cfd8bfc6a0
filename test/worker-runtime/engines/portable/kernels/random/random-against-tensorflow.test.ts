import { describe, expect, test } from "vitest";
import { randomKernels } from "../../../../../../worker-runtime/engines/portable/kernels/random/index.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { makeKernel, testStep } from "../kernel-runner.js";
import { compareSessions, type SessionCase } from "../sessions-against-tensorflow.js";

const floats = ["float32", "float64", "float16", "bfloat16"] as const;
const seeds = { seed: 3, seed2: 17 };
const shape = (...sizes: number[]) => Tensor.of(sizes, "int32", [sizes.length]);
const int = (value: number) => Tensor.of(value, "int32");

const stateful: SessionCase[] = [
  ...floats.flatMap((dtype) => [
    { op: "RandomUniform", inputs: [shape(5, 7)], attrs: { ...seeds, dtype } },
    { op: "RandomStandardNormal", inputs: [shape(5, 7)], attrs: { ...seeds, dtype }, ulps: 2 },
    { op: "TruncatedNormal", inputs: [shape(5, 7)], attrs: { ...seeds, dtype }, ulps: 2 },
  ]),
  { op: "RandomUniform", inputs: [shape()], attrs: { seed: -7, seed2: 0, dtype: "float32" } },
  { op: "RandomUniform", inputs: [shape(0, 3)], attrs: { ...seeds, dtype: "float32" } },
  { op: "RandomUniform", inputs: [shape(-1)], attrs: { ...seeds, dtype: "float32" } },
  { op: "RandomUniform", inputs: [int(3)], attrs: { ...seeds, dtype: "float32" } },
  // Larger than one turn of ours and one shard of TensorFlow's.
  {
    op: "TruncatedNormal",
    inputs: [shape(200, 1001)],
    attrs: { seed: 87654321, seed2: -5, dtype: "float32" },
    steps: 1,
    // Where sine or cosine is near zero.
    ulps: 4,
  },
  {
    op: "RandomStandardNormal",
    inputs: [shape(300001)],
    attrs: { seed: 87654321, seed2: 42, dtype: "float32" },
    steps: 1,
    // Where sine or cosine is near zero.
    ulps: 4,
  },
  ...(["int32", "int64"] as const).flatMap((dtype) => [
    {
      op: "RandomUniformInt",
      inputs: [shape(33), Tensor.of(-5, dtype), Tensor.of(1000003, dtype)],
      attrs: seeds,
    },
    { op: "RandomUniformInt", inputs: [shape(3), Tensor.of(5, dtype), Tensor.of(5, dtype)], attrs: seeds },
    { op: "RandomUniformInt", inputs: [shape(3), Tensor.of([5], dtype), Tensor.of(8, dtype)], attrs: seeds },
  ]),
  {
    op: "RandomUniformInt",
    inputs: [shape(33), Tensor.of(-(2 ** 31), "int32"), Tensor.of(2 ** 31 - 1, "int32")],
    attrs: seeds,
  },
  {
    op: "RandomUniformInt",
    inputs: [shape(33), Tensor.of(-(2n ** 63n), "int64"), Tensor.of(2n ** 63n - 1n, "int64")],
    attrs: seeds,
  },
  { op: "RandomShuffle", inputs: [Tensor.of([...Array(20).keys()], "int32")], attrs: seeds },
  { op: "RandomShuffle", inputs: [Tensor.of([...Array(60).keys()], "int64", [20, 3])], attrs: seeds },
  { op: "RandomShuffle", inputs: [Tensor.of(["a", "b", "c", "d", "e"])], attrs: seeds },
  { op: "RandomShuffle", inputs: [int(1)], attrs: seeds },
  ...(["float32", "float64"] as const).flatMap((dtype) => [
    { op: "RandomGamma", inputs: [shape(6), Tensor.of([0.3, 1, 2.5, 40], dtype)], attrs: seeds, ulps: 16 },
    {
      op: "RandomPoissonV2",
      inputs: [shape(6), Tensor.of([0.3, 5, 12.5, 400], dtype)],
      attrs: { ...seeds, dtype: "int64" },
    },
  ]),
];

const logits = Tensor.of(
  [
    [0.1, 2, -1, 0.5],
    [-Infinity, 3, 3, 1],
    [1e3, 999, 1, Number.NaN],
  ],
  "float32",
);

const multinomial: SessionCase[] = [
  { op: "Multinomial", inputs: [logits, int(13)], attrs: { ...seeds, output_dtype: "int64" } },
  { op: "Multinomial", inputs: [logits, int(0)], attrs: { ...seeds, output_dtype: "int32" } },
  { op: "Multinomial", inputs: [logits, int(-1)], attrs: seeds },
  {
    op: "StatelessMultinomial",
    inputs: [logits, int(13), Tensor.of([5, 6], "int32")],
    attrs: { output_dtype: "int32" },
  },
];

const key = Tensor.of([0x0123456789abcdefn], "uint64");
const counter = Tensor.of([2n ** 64n - 2n, 77n], "uint64");

const stateless: SessionCase[] = [
  ...[Tensor.of([1, 2], "int32"), Tensor.of([-1n, 2n ** 40n], "int64")].flatMap((seed) =>
    floats.flatMap((dtype) => [
      { op: "StatelessRandomUniform", inputs: [shape(11), seed], attrs: { dtype } },
      { op: "StatelessRandomNormal", inputs: [shape(11), seed], attrs: { dtype }, ulps: 2 },
      { op: "StatelessTruncatedNormal", inputs: [shape(11), seed], attrs: { dtype }, ulps: 2 },
    ]),
  ),
  { op: "StatelessRandomGetKeyCounter", inputs: [Tensor.of([7, -9], "int32")] },
  { op: "StatelessRandomGetKeyCounterAlg", inputs: [Tensor.of([7, -9], "int64")] },
  { op: "StatelessRandomGetKeyCounter", inputs: [Tensor.of([7, -9, 3], "int32")] },
  { op: "StatelessRandomGetAlg", inputs: [] },
  ...floats.flatMap((dtype) => [
    { op: "StatelessRandomUniformV2", inputs: [shape(9), key, counter, int(1)], attrs: { dtype } },
    { op: "StatelessTruncatedNormalV2", inputs: [shape(9), key, counter, int(3)], attrs: { dtype }, ulps: 2 },
  ]),
  {
    op: "StatelessRandomNormalV2",
    inputs: [shape(9), key, counter, int(1)],
    attrs: { dtype: "float32" },
    ulps: 2,
  },
  { op: "StatelessRandomUniformV2", inputs: [shape(9), key, counter, int(2)], attrs: { dtype: "float32" } },
  {
    op: "StatelessRandomUniformV2",
    inputs: [shape(9), counter, counter, int(1)],
    attrs: { dtype: "float32" },
  },
  ...(["int32", "uint32", "int64", "uint64"] as const).map((dtype) => ({
    op: "StatelessRandomUniformFullIntV2",
    inputs: [shape(9), key, counter, int(1)],
    attrs: { dtype },
  })),
  {
    op: "StatelessRandomUniformIntV2",
    inputs: [shape(9), key, counter, int(1), Tensor.of(0, "int64"), Tensor.of(10, "int64")],
  },
  {
    op: "StatelessRandomUniformInt",
    inputs: [shape(9), Tensor.of([1, 2], "int32"), Tensor.of(0, "int32"), Tensor.of(10, "int32")],
  },
  {
    op: "StatelessRandomUniformInt",
    inputs: [shape(0), Tensor.of([1, 2], "int32"), Tensor.of(10, "int32"), Tensor.of(10, "int32")],
  },
];

describe.skipIf(peerMissing("tensorflow"))("the same random numbers as TensorFlow", () => {
  test("of generators that go on from step to step", async () => {
    expect(await compareSessions(stateful)).toEqual([]);
  });

  test("of weighted choices", async () => {
    expect(await compareSessions(multinomial)).toEqual([]);
  });

  test("of seeds that come as inputs", async () => {
    expect(await compareSessions(stateless.map((one) => ({ ...one, steps: 1 })))).toEqual([]);
  });
});

test("a generator without seeds gives numbers of its own", async () => {
  const example = { op: "RandomUniform", inputs: [shape(4)], attrs: { dtype: "float32" } };
  const [first] = await makeKernel(randomKernels, example)(shape(4));
  const [second] = await makeKernel(randomKernels, example)(shape(4));
  expect(first?.data).not.toEqual(second?.data);
});

test("a node's numbers go on in another graph of the session, and begin anew in another session", async () => {
  const example = { op: "RandomUniform", inputs: [shape(2)], attrs: { ...seeds, dtype: "float32" } };
  const { resources } = testStep();
  const inSession = (session: string) =>
    makeKernel(randomKernels, example, testStep({ resources, session }))(shape(2));
  const [[first], [second], [other]] = [await inSession("a"), await inSession("a"), await inSession("b")];
  expect(second?.data).not.toEqual(first?.data);
  expect(other?.data).toEqual(first?.data);
});
