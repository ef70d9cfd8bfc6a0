import { expect, test, vi } from "vitest";
import { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { prepareKernels } from "../../../../../worker-runtime/engines/portable/kernels/prepare-kernels.js";
import { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { pureKernel } from "../../../../../worker-runtime/engines/portable/kernels/support/define.js";

test("kernels of a graph and of its functions are prepared, each preparation once", async () => {
  const shared = vi.fn(async () => undefined);
  const other = vi.fn(async () => undefined);
  const unused = vi.fn(async () => undefined);
  const kernel = (op: string, prepare: () => Promise<void>) =>
    pureKernel(op, () => () => [], { types: {}, prepare });
  const kernels = new KernelRegistry().add(
    kernel("MatMul", shared),
    kernel("Conv2D", shared),
    kernel("MaxPool", other),
    kernel("LRN", unused),
    pureKernel("Add", () => () => [], { types: {} }),
  );
  const nodes = ["MatMul", "Add", "NoKernel"].map((op) => NodeDef.fromPartial({ op }));
  const library = FunctionDefLibrary.fromPartial({
    function: [{ nodeDef: [{ op: "Conv2D" }, { op: "MaxPool" }] }],
  });
  await prepareKernels(nodes, library, kernels);
  expect([shared, other, unused].map((preparation) => preparation.mock.calls.length)).toEqual([1, 1, 0]);
});

test("what cannot be loaded fails the preparation", async () => {
  const failing = pureKernel("MatMul", () => () => [], {
    types: {},
    prepare: () => Promise.reject(new Error("no disk")),
  });
  const nodes = [NodeDef.fromPartial({ op: "MatMul" })];
  await expect(prepareKernels(nodes, undefined, new KernelRegistry().add(failing))).rejects.toThrow(
    "no disk",
  );
});
