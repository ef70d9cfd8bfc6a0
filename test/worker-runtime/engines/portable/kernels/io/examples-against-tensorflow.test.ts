import { describe, expect, test } from "vitest";
import { Example } from "../../../../../../protos/generated/tensorflow/example.js";
import type { Feature } from "../../../../../../protos/generated/tensorflow/feature.js";
import { ioKernels } from "../../../../../../worker-runtime/engines/portable/kernels/io/index.js";
import { KernelRegistry } from "../../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { shapeToProto } from "../../../../../../worker-runtime/protocol/shape.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow } from "../against-tensorflow.js";
import type { OpCase } from "../op-case.js";

const kernels = new KernelRegistry().add(...ioKernels);

function example(features: Readonly<Record<string, Feature["kind"]>>): Uint8Array {
  const feature = new Map(Object.entries(features).map(([key, kind]) => [key, { kind }]));
  return Example.encode(Example.fromPartial({ features: { feature } })).finish();
}
const floats = (...value: number[]): Feature["kind"] => ({ $case: "floatList", value: { value } });
const longs = (...value: bigint[]): Feature["kind"] => ({ $case: "int64List", value: { value } });
const texts = (...value: string[]): Feature["kind"] => ({
  $case: "bytesList",
  value: { value: value.map((text) => Buffer.from(text)) },
});

const a = example({ x: floats(1, 2), y: longs(3n), s: texts("q", "r") });
const b = example({ x: floats(5, 6), s: texts("t") });
const c = example({ y: longs(1n, 2n, -3n), v: floats(7, 8, 9, 10) });

const batch = (...examples: Uint8Array[]) => new Tensor("string", [examples.length], examples);
const single = (one: Uint8Array) => new Tensor("string", [], [one]);
const keys = (...names: string[]) => Tensor.of(names, "string", [names.length]);
const none = Tensor.of([], "float32", [0]);

type DType = "float32" | "int64" | "string";
interface Wanted {
  readonly names?: Tensor;
  readonly sparse?: Readonly<Record<string, DType>>;
  readonly dense?: Readonly<Record<string, readonly [DType, readonly number[], Tensor]>>;
  readonly ragged?: Readonly<Record<string, readonly [DType, "int32" | "int64"]>>;
}

function v2(serialized: Tensor, { names = keys(), sparse = {}, dense = {}, ragged = {} }: Wanted): OpCase {
  return {
    op: "ParseExampleV2",
    inputs: [
      serialized,
      names,
      keys(...Object.keys(sparse)),
      keys(...Object.keys(dense)),
      keys(...Object.keys(ragged)),
      ...Object.values(dense).map(([, , defaults]) => defaults),
    ],
    attrs: {
      num_sparse: Object.keys(sparse).length,
      sparse_types: Object.values(sparse),
      ragged_value_types: Object.values(ragged).map(([type]) => type),
      ragged_split_types: Object.values(ragged).map(([, type]) => type),
      dense_shapes: {
        value: {
          $case: "list",
          value: {
            s: [],
            i: [],
            f: [],
            b: [],
            type: [],
            tensor: [],
            func: [],
            shape: Object.values(dense).map(([, shape]) => shapeToProto(shape)),
          },
        },
      },
    },
  };
}

const cases: OpCase[] = [
  v2(batch(a, b), { dense: { x: ["float32", [2], none] } }),
  v2(batch(a, c), { dense: { x: ["float32", [2], none] } }),
  v2(batch(a, c), { dense: { x: ["float32", [2], Tensor.of([9, 8])] } }),
  v2(batch(a, c), { dense: { x: ["float32", [2], Tensor.of(9)] } }),
  v2(batch(a, b), { dense: { x: ["float32", [3], none] } }),
  v2(batch(c), { names: keys("nm"), dense: { y: ["float32", [3], none] } }),
  v2(batch(a, b), { names: keys("one"), dense: { x: ["float32", [2], none] } }),
  v2(batch(a, b, c), {
    sparse: { y: "int64", s: "string" },
    dense: { x: ["float32", [1, 2], Tensor.of([[0, 0]])] },
  }),
  v2(batch(a), { sparse: { y: "float32" } }),
  v2(batch(a, b, c), { ragged: { y: ["int64", "int32"], s: ["string", "int64"] } }),
  v2(batch(a, c, example({ v: floats(1, 2) })), { dense: { v: ["float32", [-1, 2], Tensor.of([-1])] } }),
  v2(batch(example({ v: floats(1, 2, 3) })), { dense: { v: ["float32", [-1, 2], Tensor.of([-1])] } }),
  v2(batch(a), { dense: { v: ["float32", [-1, 2], none] } }),
  v2(single(a), {
    sparse: { s: "string" },
    dense: { x: ["float32", [2], none], y: ["int64", [], Tensor.of([], "int64", [0])] },
  }),
  v2(single(b), { sparse: { y: "int64" }, ragged: { s: ["string", "int64"] } }),
  v2(single(c), { dense: { x: ["float32", [2], none] } }),
  v2(batch(), { sparse: { y: "int64" }, dense: { x: ["float32", [2], none] } }),
  v2(batch(example({ x: undefined })), { sparse: { x: "float32" } }),
];

describe.skipIf(peerMissing("tensorflow"))("examples are read as TensorFlow reads them", () => {
  test("in all forms", async () => {
    const shapes = cases[0]?.attrs?.dense_shapes;
    expect(
      await compareWithTensorflow(
        [
          ...cases,
          {
            op: "ParseSingleExample",
            inputs: [single(a), none],
            attrs: {
              num_sparse: 1,
              sparse_keys: ["s"],
              dense_keys: ["x"],
              sparse_types: ["string"],
              ...(shapes === undefined ? {} : { dense_shapes: shapes }),
            },
          },
        ],
        kernels,
      ),
    ).toEqual([]);
  });
});
