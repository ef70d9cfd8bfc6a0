import { describe, expect, it } from "vitest";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { KernelCatalogue } from "../../../renderer/kernels/kernel-catalogue.js";
import { KernelNeeds } from "../../../renderer/kernels/kernel-needs.js";
import { catalogueOf } from "../../../worker-runtime/engines/portable/catalogue/catalogue.js";
import { createKernelRegistry } from "../../../worker-runtime/engines/portable/kernels/all.js";
import { KernelNode } from "../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { dtypes } from "../../../worker-runtime/protocol/dtype.js";
import { lookup, type } from "../document/graphs.js";

describe("the engine's own list", () => {
  const registry = createKernelRegistry();
  const catalogue = new KernelCatalogue({
    version: "",
    kernels: catalogueOf(registry).map(({ types, ...entry }) => ({
      ...entry,
      types: Object.fromEntries(Object.entries(types).map(([attr, list]) => [attr, [...list]])),
    })),
  });
  const needs = new KernelNeeds(lookup, []);

  it("never misses a kernel that the engine finds, whatever the op and dtype", () => {
    let found = 0;
    for (const op of registry.ops()) {
      const opDef = lookup(op);
      if (!opDef) continue;
      const typeAttrs = opDef.attr.filter((attr) => attr.type === "type");
      for (const dtype of typeAttrs.length === 0 ? dtypes.slice(0, 1) : dtypes) {
        const attr = new Map(typeAttrs.map(({ name }) => [name, type(dtype)]));
        const node = { ...NodeDef.fromPartial({ name: "n", op }), attr };
        const [need] = needs.of(node);
        if (!need || catalogue.missing(need, ["CPU"]) === undefined) continue;
        found++;
        expect(registry.find(new KernelNode(node, opDef), "CPU"), `${op} of ${dtype}`).toBeUndefined();
      }
    }
    expect(found).toBeGreaterThan(1000);
  });

  it("knows what it lacks: ops, dtypes and devices", () => {
    const missing = (op: string, types: Record<string, string> = {}, devices = ["CPU"]) =>
      catalogue.missing({ op, types: new Map(Object.entries(types)), device: "" }, devices);
    expect(missing("TPUCompilationResult")).toBe("TPUCompilationResult");
    expect(missing("MatMul", { T: "float32" })).toBeUndefined();
    expect(missing("MatMul", { T: "string" })).toBe("MatMul of string");
    expect(missing("MatMul", { T: "float32" }, ["GPU"])).toBe("MatMul of float32");
    expect(missing("MatMul", { T: "float32" }, ["GPU", "CPU"])).toBeUndefined();
  });
});
