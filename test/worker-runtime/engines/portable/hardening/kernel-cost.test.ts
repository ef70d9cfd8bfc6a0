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
  [node("StringLength", "n", ["a"], {}), [Tensor.of(new Array<string>(100_000).fill("a"))]],
])(
  "a result that is much larger than the inputs, and many strings, are work for a compute thread: %#",
  (def, inputs) => {
    expect(cost(def, inputs)).toBeGreaterThan(LONG_NANOS);
  },
);

test("small inputs are not", () => {
  expect(cost(node("L2Loss", "n", ["a"], T), [Tensor.of(new Float32Array(1000))])).toBeLessThan(LONG_NANOS);
  expect(cost(node("Unpack", "n", ["a"], { ...T, num: int(1) }), [one])).toBeLessThan(LONG_NANOS);
});
