import { expect, test } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { costOf } from "../../../../../worker-runtime/engines/portable/kernels/kernel-cost.js";
import { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { zeroTensor } from "../../../../../worker-runtime/engines/portable/kernels/support/allocation.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { bool, int, node, text, type, typeList } from "../executor/graph-fixture.js";

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
const floats = (shape: readonly number[]): Tensor => zeroTensor("float32", shape);
const bytes = (shape: readonly number[]): Tensor => zeroTensor("int8", shape);
const complex = (shape: readonly number[]): Tensor => zeroTensor("complex64", shape);
const T = { T: type("float32") };
const formatted = {
  T: typeList("float32"),
  template: text("%"),
  placeholder: text("%"),
};

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
  // Operands whose result is much larger than both.
  [node("Equal", "n", ["a", "b"], { T: type("int64") }), [longs(2000).reshape([2000, 1]), longs(2000)]],
  [node("RightShift", "n", ["a", "b"], { T: type("int8") }), [bytes([2000, 1]), bytes([2000])]],
  [node("AddV2", "n", ["a", "b"], T), [floats([655_360, 1]), floats([10])]],
  [node("MatMul", "n", ["a", "b"], T), [floats([4096, 1]), floats([1, 4096])]],
  [
    node("BatchMatMulV3", "n", ["a", "b"], { Ta: T.T, Tb: T.T, Tout: T.T }),
    [floats([2, 4096, 2]), floats([2, 2, 4096])],
  ],
  [
    node("MatrixTriangularSolve", "n", ["a", "b"], { T: type("complex64") }),
    [complex([2, 3, 3]), complex([3, 500_000])],
  ],
  // Factors as large as the square of the longer side.
  [node("Qr", "n", ["a"], { ...T, full_matrices: bool(true) }), [floats([4096, 3])]],
  [node("Svd", "n", ["a"], { ...T, full_matrices: bool(true) }), [floats([4096, 3])]],
  // Each of many small matrices takes time of its own.
  ...["Cholesky", "MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant", "Lu", "Qr"].map(
    (op): [NodeDef, readonly Tensor[]] => [node(op, "n", ["a"], T), [floats([32_768, 2, 2])]],
  ),
  // The work that a few numbers ask for.
  [
    node("RaggedRange", "n", ["a", "b", "c"], { T: type("int32") }),
    [Tensor.of(0, "int32"), Tensor.of(10_000_000, "int32"), Tensor.of(1, "int32")],
  ],
  [
    node("UnsortedSegmentJoin", "n", ["a", "b", "c"], {}),
    [tiny(2), new Tensor("int32", [2], new Int32Array(2)), Tensor.of(100_000, "int32")],
  ],
  [
    node("SparseSegmentSum", "n", ["a", "b", "c"], T),
    [floats([2, 2]), Tensor.of([0], "int32"), Tensor.of([10_000_000], "int32")],
  ],
  [
    node("SpaceToBatchND", "n", ["a", "b", "c"], T),
    [floats([1, 4, 1]), Tensor.of([2], "int32"), Tensor.of([[0, 10_000_000]], "int32")],
  ],
  [node("Empty", "n", ["a"], { dtype: type("string") }), [Tensor.of([2_000_000], "int32")]],
  // Functions and steps that take long for an element.
  [node("Erfinv", "n", ["a"], T), [floats([100_000])]],
  [node("Igamma", "n", ["a", "b"], T), [floats([20_000]), floats([20_000])]],
  [
    node("CumulativeLogsumexp", "n", ["a", "b"], { ...T, Tidx: type("int32") }),
    [floats([500_000]), Tensor.of(0, "int32")],
  ],
  [
    node("Sum", "n", ["a", "b"], { T: type("int64"), Tidx: type("int32") }),
    [longs(1_000_000), Tensor.of([0], "int32")],
  ],
  // Elements that are reduced do not lie side by side.
  [
    node("Max", "n", ["a", "b"], { T: type("float64"), Tidx: type("int32") }),
    [new Tensor("float64", [1000, 1000], new Float64Array(1_000_000)), Tensor.of([0], "int32")],
  ],
  // The text of every element.
  [node("StringFormat", "n", ["a"], { ...formatted, summarize: int(-1) }), [floats([20_000])]],
  // Each byte becomes a string, or meets each step of a pattern.
  [node("StringSplit", "n", ["a", "b"], {}), [Tensor.of(["a".repeat(20_000)]), Tensor.of("")]],
  [
    node("RegexFullMatch", "n", ["a", "b"], {}),
    [Tensor.of("a".repeat(10_000)), Tensor.of("a?".repeat(20) + "a".repeat(20))],
  ],
])(
  "a result that is much larger than the inputs, and many strings, are work for a compute thread: %#",
  (def, inputs) => {
    expect(cost(def, inputs)).toBeGreaterThan(LONG_NANOS);
  },
);

test("small inputs are not", () => {
  // Sizes of layers and of batches of small matrices that are common.
  expect(cost(node("MatMul", "n", ["a", "b"], T), [floats([64, 256]), floats([256, 256])])).toBeLessThan(
    LONG_NANOS,
  );
  expect(cost(node("AddV2", "n", ["a", "b"], T), [floats([256, 1024]), floats([1024])])).toBeLessThan(
    LONG_NANOS,
  );
  expect(cost(node("Cholesky", "n", ["a"], T), [floats([64, 8, 8])])).toBeLessThan(LONG_NANOS);
  // However large, only its ends are shown.
  const shown = node("StringFormat", "n", ["a"], { ...formatted, summarize: int(3) });
  expect(cost(shown, [floats([2_000_000])])).toBeLessThan(LONG_NANOS);
  const sum = node("Sum", "n", ["a", "b"], { ...T, Tidx: type("int32") });
  expect(cost(sum, [floats([256, 1024]), Tensor.of([0], "int32")])).toBeLessThan(LONG_NANOS);
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
