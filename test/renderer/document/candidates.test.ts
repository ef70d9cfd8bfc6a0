import { describe, expect, it } from "vitest";
import { existingEnds, heldText, opCandidates } from "../../../renderer/document/candidates.js";
import { inferShapes } from "../../../renderer/document/shapes.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";
import { binary, constant, documentOf, lookup } from "./graphs.js";

const names = bundledOpRegistry().names();

describe("where a pulled edge can go", () => {
  const document = documentOf([
    constant("f", "[1, 2]"),
    constant("i", "1", "int32"),
    binary("open", "Mul", "", ""),
    binary("full", "Mul", "f", "f"),
    binary("whole", "Mul", "i", "", "int32"),
  ]);

  it("is to inputs that fit, free ones first", () => {
    const ends = existingEnds(document, lookup, { type: "output", end: { node: "full", output: 0 } });
    expect(ends.map(({ node, port, free }) => [node, port, free])).toEqual([
      ["open", "x", true],
      ["open", "y", true],
      ["whole", "x", false],
    ]);
  });

  it("is to outputs that fit, when pulled from an input", () => {
    const ends = existingEnds(document, lookup, { type: "input", end: { node: "whole", input: 1 } });
    expect(ends.map(({ node }) => node)).toEqual(["i"]);
  });

  it("is to new ops that take the dtype, common ones first, and counts the others", () => {
    const held = { type: "output", end: { node: "f", output: 0 } } as const;
    const { fitting, others } = opCandidates(documentOf([constant("f", "[1, 2]")]), lookup, names, held);
    const ops = fitting.map(({ op }) => op);
    expect(ops.slice(0, 3)).toEqual(["MatMul", "AddV2", "Mul"]);
    expect(ops).not.toContain("LogicalAnd");
    expect(ops).not.toContain("Const");
    expect(others).toBeGreaterThan(100);
    expect(fitting.find(({ op }) => op === "BiasAdd")?.port).toBe("value");
  });

  it("is described by dtype and shape", () => {
    const shapes = inferShapes(document.nodes, lookup);
    expect(heldText(document, lookup, shapes, { type: "output", end: { node: "f", output: 0 } })).toBe(
      "float32 [2]",
    );
  });
});
