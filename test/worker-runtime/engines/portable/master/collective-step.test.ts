import { expect, test } from "vitest";
import { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { collectiveKernels } from "../../../../../worker-runtime/engines/portable/kernels/collective/index.js";
import { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { collectiveGraphKey } from "../../../../../worker-runtime/engines/portable/master/collective-step.js";

const kernels = new KernelRegistry().add(...collectiveKernels);

function collective(instanceKey: bigint): NodeDef {
  return NodeDef.fromPartial({
    op: "CollectiveReduce",
    attr: new Map([["instance_key", { value: { $case: "i", value: instanceKey } }]]),
  });
}

test("a graph without collectives has no key", () => {
  expect(collectiveGraphKey([NodeDef.fromPartial({ op: "Add" })], undefined, kernels)).toBe(0n);
});

test("the key goes by the collectives, not by their order or number", () => {
  const key = collectiveGraphKey([collective(1n), collective(2n)], undefined, kernels);
  expect(key).not.toBe(0n);
  expect(collectiveGraphKey([collective(2n), collective(1n), collective(2n)], undefined, kernels)).toBe(key);
  expect(collectiveGraphKey([collective(1n), collective(3n)], undefined, kernels)).not.toBe(key);
  expect(BigInt.asIntN(64, key)).toBe(key);
});

test("collectives whose keys are inputs, and those in functions, count too", () => {
  const late = NodeDef.fromPartial({ op: "CollectiveReduceV2" });
  expect(collectiveGraphKey([late], undefined, kernels)).toBe(BigInt.asIntN(64, 0x8774aa605c729c72n));
  const library = { function: [], gradient: [], registeredGradients: [] };
  expect(collectiveGraphKey([], library, kernels)).toBe(0n);
});
