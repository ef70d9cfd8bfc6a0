import { expect, test } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { costOf } from "../../../../../worker-runtime/engines/portable/kernels/kernel-cost.js";
import { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { int, node, type } from "../executor/graph-fixture.js";

/** Long enough for a compute thread. */
const LONG_NANOS = 15e6;
const kernels = createKernelRegistry();

function cost(def: NodeDef, inputs: readonly Tensor[]): number {
  const kernelNode = new KernelNode(def, bundledOpRegistry().require(def.op));
  const definition = kernels.find(kernelNode, "CPU");
  if (definition?.kind !== "pure") throw new Error(`${def.op} has no pure kernel.`);
  return costOf(definition, kernelNode, inputs);
}

const one = Tensor.of([1]);
const longs = (count: number): Tensor => new Tensor("int64", [count], new BigInt64Array(count));
const tiny = (count: number): Tensor => Tensor.of(new Array<string>(count).fill("a"));
const T = { T: type("float32") };

test.each<[NodeDef, readonly Tensor[]]>([
  [
    node("Pad", "n", ["a", "b"], { ...T, Tpaddings: type("int32") }),
    [one, Tensor.of([[0, 10_000_000]], "int32")],
  ],
  [node("Diag", "n", ["a"], T), [Tensor.of(new Float32Array(5000))]],
  [
    node("UnsortedSegmentSum", "n", ["a", "b", "c"], {
      ...T,
      Tindices: type("int32"),
      Tnumsegments: type("int32"),
    }),
    [one, Tensor.of([0], "int32"), Tensor.of(10_000_000, "int32")],
  ],
  [
    node("StringSplitV2", "n", ["a", "b"], { maxsplit: int(-1) }),
    [Tensor.of(["a ".repeat(200_000)]), Tensor.of("")],
  ],
  [node("StringSplitV2", "n", ["a", "b"], { maxsplit: int(-1) }), [tiny(50_000), Tensor.of("")]],
  [node("Unique", "n", ["a"], { T: type("string"), out_idx: type("int32") }), [tiny(50_000)]],
  [
    node("ListDiff", "n", ["a", "b"], { T: type("int64"), out_idx: type("int32") }),
    [longs(500_000), longs(2)],
  ],
  [node("AddV2", "n", ["a", "b"], { T: type("int64") }), [longs(1_000_000), longs(1)]],
  [node("Neg", "n", ["a"], { T: type("int64") }), [longs(1_000_000)]],
  [node("BroadcastGradientArgs", "n", ["a", "b"], { T: type("int64") }), [longs(500_000), longs(1)]],
  [
    node("DynamicStitch", "n", ["a", "b"], { ...T, N: int(1) }),
    [new Tensor("int32", [300_000], new Int32Array(300_000)), Tensor.of(new Float32Array(300_000))],
  ],
  [
    node("LowerBound", "n", ["a", "b"], { T: type("int64"), out_type: type("int32") }),
    [longs(1000).reshape([1, 1000]), longs(200_000).reshape([1, 200_000])],
  ],
  [
    node("Gather", "n", ["a", "b"], { Tparams: type("float32"), Tindices: type("int64") }),
    [new Tensor("float32", [2, 1000], new Float32Array(2000)), longs(10_000)],
  ],
  [node("StringLength", "n", ["a"], {}), [Tensor.of(new Array<string>(100_000).fill("a"))]],
])(
  "a result that is much larger than the inputs, and many strings, are work for a compute thread: %#",
  (def, inputs) => {
    expect(cost(def, inputs)).toBeGreaterThan(LONG_NANOS);
  },
);

test("small inputs are not", () => {
  expect(cost(node("L2Loss", "n", ["a"], T), [Tensor.of(new Float32Array(1000))])).toBeLessThan(LONG_NANOS);
  // Whatever is looked up in: a copy of it for another thread would take longer.
  const gather = node("GatherV2", "n", ["a", "b", "c"], {
    Tparams: type("float32"),
    Tindices: type("int64"),
    Taxis: type("int32"),
    batch_dims: int(0),
  });
  const table = new Tensor("float32", [100_000, 64], new Float32Array(6_400_000));
  expect(cost(gather, [table, longs(100), Tensor.of(0, "int32")])).toBeLessThan(LONG_NANOS);
  expect(cost(node("Unpack", "n", ["a"], { ...T, num: int(1) }), [one])).toBeLessThan(LONG_NANOS);
});
