import { describe, expect, it } from "vitest";
import { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import type {
  KernelTypes,
  PureKernelDefinition,
} from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { anyType } from "../../../../../worker-runtime/engines/portable/kernels/support/dtypes.js";
import { typeAttr } from "../../../../../worker-runtime/graph/attr-values.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { structuralOpNames, structureOf } from "../../../../../worker-runtime/graph/structural-ops.js";
import { type DType, dataTypeOf } from "../../../../../worker-runtime/protocol/dtype.js";

const ops = bundledOpRegistry();

function kernel(
  op: string,
  types: KernelTypes,
  more: Partial<PureKernelDefinition> = {},
): PureKernelDefinition {
  return { kind: "pure", op, types, create: () => (inputs) => inputs, ...more };
}

function node(op: string, T: DType): KernelNode {
  return new KernelNode(
    NodeDef.fromPartial({ name: "n", op, attr: new Map([["T", typeAttr(T)]]) }),
    ops.require(op),
  );
}

describe("the kernels of this engine", () => {
  // Making it fails where two kernels fit equally.
  const registry = createKernelRegistry();

  it("name every type attribute of their ops and nothing else", () => {
    const wrong = registry.ops().flatMap((op) => {
      const attrs = ops
        .require(op)
        .attr.filter(({ type }) => type === "type" || type === "list(type)")
        .map(({ name }) => name)
        .sort()
        .join();
      return registry
        .of(op)
        .map(({ types }) => Object.keys(types).sort().join())
        .filter((named) => named !== attrs)
        .map((named) => `${op} names [${named}], has [${attrs}]`);
    });
    expect(wrong).toEqual([]);
  });

  it("leave resources and variants to stateful kernels", () => {
    const wrong = registry
      .ops()
      .filter((op) =>
        registry
          .of(op)
          .some(
            ({ kind, types }) =>
              kind === "pure" &&
              Object.values(types).some((list) => list.includes("resource") || list.includes("variant")),
          ),
      );
    expect(wrong).toEqual([]);
  });

  it("are there for every op that gives a graph its structure, but for those that need none", () => {
    const missing = structuralOpNames.filter((op) => registry.of(op).length === 0);
    expect(missing.filter((op) => structureOf(op).boundary === undefined)).toEqual([]);
    expect(missing).toHaveLength(4);
  });
});

describe("a registry", () => {
  it("refuses two kernels that fit equally, and names both", () => {
    const registry = new KernelRegistry().add(kernel("Neg", { T: ["float32", "int32"] }));
    expect(() => registry.add(kernel("Neg", { T: ["int32", "int64"] }))).toThrow(
      "Two kernels of Neg fit the same nodes equally: the pure kernel for CPU with T in [float32, int32], priority 0 " +
        "and the pure kernel for CPU with T in [int32, int64], priority 0.",
    );
    expect(() => registry.add(kernel("Neg", { T: anyType }))).toThrow("T in [any type]");
    expect(() => registry.add(kernel("Neg", {}))).toThrow("with any dtypes");
  });

  it("refuses kernels that only their conditions could tell apart", () => {
    const registry = new KernelRegistry().add(kernel("Neg", { T: ["float32"] }, { fits: () => true }));
    expect(() => registry.add(kernel("Neg", { T: ["float32"] }, { fits: () => false }))).toThrow("equally");
  });

  it("takes kernels of other dtypes, devices and priorities, in any order", () => {
    const low = kernel("Neg", { T: ["float32", "int32"] });
    const others = [
      kernel("Neg", { T: ["int64"] }),
      kernel("Neg", { T: ["float32"] }, { deviceType: "GPU" }),
      kernel("Neg", { T: ["float32"] }, { priority: 1 }),
    ] as const;
    for (const definitions of [
      [low, ...others],
      [...others, low],
    ]) {
      const registry = new KernelRegistry().add(...definitions);
      expect(registry.find(node("Neg", "float32"), "CPU")).toBe(others[2]);
      expect(registry.find(node("Neg", "int32"), "CPU")).toBe(low);
      expect(registry.find(node("Neg", "int64"), "CPU")).toBe(others[0]);
      expect(registry.find(node("Neg", "float32"), "GPU")).toBe(others[1]);
      expect(registry.find(node("Neg", "complex64"), "CPU")).toBeUndefined();
    }
  });

  it("wants each type of a list to fit", () => {
    const [plain, mixed] = [
      kernel("IdentityN", { T: ["float32", "int32"] }, { priority: 1 }),
      kernel("IdentityN", { T: anyType }),
    ];
    const registry = new KernelRegistry().add(plain, mixed);
    const find = (...types: DType[]) => {
      const list = {
        s: [],
        i: [],
        f: [],
        b: [],
        type: types.map(dataTypeOf),
        shape: [],
        tensor: [],
        func: [],
      };
      const attr = new Map([["T", { value: { $case: "list" as const, value: list } }]]);
      return registry.find(
        new KernelNode(NodeDef.fromPartial({ name: "n", op: "IdentityN", attr }), ops.require("IdentityN")),
        "CPU",
      );
    };
    expect(find("float32", "int32")).toBe(plain);
    expect(find("float32", "resource")).toBe(mixed);
  });

  it("has the facts of an op from its kernels, which agree on them", () => {
    const registry = new KernelRegistry().add(
      kernel("Shape", { T: ["float32"] }, { facts: { readsShapeOnly: true } }),
      kernel("Shape", { T: ["int32"] }, { facts: { readsShapeOnly: true } }),
    );
    expect(registry.facts("Shape")).toEqual({ readsShapeOnly: true });
    expect(registry.facts("Neg")).toEqual({});
    expect(() => registry.add(kernel("Shape", { T: ["int64"] }))).toThrow(
      "Two kernels of Shape say different things of it",
    );
  });
});
