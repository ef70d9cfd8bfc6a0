import { describe, expect, it } from "vitest";
import { categoryOf, categoryText, opEntries } from "../../../renderer/document/op-entries.js";
import { SYNONYM_OPS, searchLayers, searchOps } from "../../../renderer/document/op-search.js";
import { docsUrl, signatureText } from "../../../renderer/document/op-text.js";
import { opRows } from "../../../renderer/ops-panel/op-rows.js";
import { LAYERS } from "../../../worker-runtime/graph/layers/index.js";
import { LAYER_NAMES } from "../../../worker-runtime/graph/layers/layer-names.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";

const entries = opEntries(bundledOpRegistry().names());
const names = (query: string) => searchOps(entries, query).map(({ entry }) => entry.name);

describe("the ops panel", () => {
  it("names every layer that there is, in the order in which they are offered", () => {
    expect(LAYER_NAMES).toEqual(LAYERS.map(({ name }) => name));
  });

  it("finds the op itself first, then names that begin with it, then the rest", () => {
    expect(names("matmul")[0]).toBe("MatMul");
    expect(names("matmul")).toContain("SparseTensorDenseMatMul");
    expect(names("conv2d").slice(0, 2)).toEqual(["Conv2D", "Conv2DBackpropInput"]);
    expect(names("mat inverse")).toEqual(expect.arrayContaining(["MatrixInverse"]));
    expect(names("nosuchop")).toEqual([]);
  });

  it.each([
    ["reduce_sum", "Sum"],
    ["stack", "Pack"],
    ["multiply", "Mul"],
    ["times", "Mul"],
    ["*", "Mul"],
    ["@", "MatMul"],
    ["+", "AddV2"],
    ["plus", "AddV2"],
    ["-", "Sub"],
    ["/", "RealDiv"],
    ["**", "Pow"],
    ["==", "Equal"],
    ["average", "Mean"],
    ["input", "Placeholder"],
    ["one_hot", "OneHot"],
  ])("finds for %s first %s", (typed, op) => {
    expect(names(typed)[0]).toBe(op);
  });

  it("knows no synonym for an op that does not exist", () => {
    const known = new Set(entries.map(({ name }) => name));
    expect(SYNONYM_OPS.filter((op) => !known.has(op))).toEqual([]);
  });

  it("finds by the help where no name has the words", () => {
    expect(names("largest element")).toContain("ArgMax");
    expect(searchOps(entries, "largest element").every(({ ranges }) => ranges.length === 0)).toBe(true);
  });

  it("finds layers, whose names are no ops", () => {
    expect(searchLayers("dense")).toEqual(["Dense"]);
    expect(searchLayers("Max pooling")).toEqual(["MaxPooling2D"]);
    expect(searchLayers("Linear")).toEqual(["Dense"]);
    expect(searchLayers("d")).toEqual([]);
  });

  it("marks what was searched", () => {
    const match = searchOps(entries, "matmul").find(({ entry }) => entry.name === "BatchMatMulV2");
    expect(match?.ranges).toEqual([[5, 11]]);
  });

  it("hides TensorFlow's internal ops", () => {
    expect(entries.some(({ name }) => name.startsWith("_"))).toBe(false);
  });

  it.each([
    ["AddV2", "Math"],
    ["MatMul", "Linear algebra"],
    ["Placeholder", "Array"],
    ["Const", "Array"],
    ["Relu", "Neural net"],
    ["Sum", "Reduction"],
    ["VariableV2", "State"],
    ["AssignAdd", "State"],
    ["ResourceApplyAdam", "Training"],
    ["RandomUniform", "Random"],
    ["FIFOQueueV2", "Lookup and queues"],
    ["TPUCompile", "TPU and XLA"],
    ["PrintV2", "Summaries and debugging"],
  ] as const)("puts %s under %s", (op, category) => {
    expect(categoryText(categoryOf(op))).toBe(category);
  });

  it("opens categories on demand, and those with matches while searching", () => {
    const all = searchOps(entries, "");
    const closed = opRows(entries, all, false, new Set());
    expect(closed.every(({ kind }) => kind === "category")).toBe(true);
    expect(opRows(entries, all, false, new Set(["math"])).some(({ kind }) => kind === "op")).toBe(true);
    const found = opRows(entries, searchOps(entries, "matmul"), true, new Set());
    expect(found[0]).toMatchObject({ kind: "category", category: "linearAlgebra", open: true });
    expect(found[1]).toMatchObject({ kind: "op" });
    expect(found.filter((row) => row.kind === "category" && row.matches === 0)).toEqual([]);
  });

  it("writes an op's signature", () => {
    const signature = (op: string) => signatureText(bundledOpRegistry().require(op));
    expect(signature("MatMul")).toBe("(a: T, b: T) → product: T");
    expect(signature("ConcatV2")).toBe("(values: N × T, axis: Tidx) → output: T");
    expect(signature("NoOp")).toBe("() → nothing");
    expect(docsUrl("MatMul")).toMatch(/\/raw_ops\/MatMul$/);
  });
});
