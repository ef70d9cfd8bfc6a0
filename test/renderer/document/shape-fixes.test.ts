import { describe, expect, test } from "vitest";
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { insertReshape, insertTranspose } from "../../../renderer/document/edits/insert-before.js";
import { examineGraph } from "../../../renderer/document/examine.js";
import { commit, startHistory, undo } from "../../../renderer/document/history.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import { shapeFixes } from "../../../renderer/document/shape-fixes.js";
import { documentOf, edited, lookup, node, type } from "./graphs.js";

function shaped(name: string, sizes: readonly number[]): NodeDef {
  const dim = sizes.map((size) => ({ size: BigInt(size), name: "" }));
  const shape: AttrValue = { value: { $case: "shape", value: { dim, unknownRank: false } } };
  return node(name, "Placeholder", [], { dtype: type("float32"), shape });
}

const list = (i: bigint[]): AttrValue => ({
  value: { $case: "list", value: { s: [], i, f: [], b: [], type: [], shape: [], tensor: [], func: [] } },
});
const CONVOLVED = {
  strides: list([1n, 1n, 1n, 1n]),
  padding: { value: { $case: "s" as const, value: new TextEncoder().encode("SAME") } },
};

function pair(op: string, a: readonly number[], b: readonly number[]): GraphDocument {
  return documentOf([
    shaped("a", a),
    shaped("b", b),
    node("y", op, ["a", "b"], { T: type("float32"), ...CONVOLVED }),
  ]);
}

function fixesOf(document: GraphDocument) {
  const { shapes } = examineGraph(document, lookup, true);
  const y = document.nodes.get("y");
  return y ? shapeFixes(y, document.nodes, lookup, shapes) : [];
}

describe("what is offered where shapes do not fit", () => {
  test.each([
    ["MatMul", [2, 3], [5, 3], ["Transpose b"]],
    ["MatMul", [-1, 28, 28], [784, 10], ["Reshape a to [-1, 784]"]],
    ["AddV2", [2, 3], [3, 2], ["Insert a Transpose of x", "Insert a Transpose of y", "Reshape x to [3, 2]"]],
    ["AddV2", [2, 3], [2, 4], []],
    ["AddV2", [2, 3], [2], ["Insert a Transpose of x", "Reshape y to [-1, 1]"]],
    ["Conv2D", [8, 8, 3], [3, 3, 3, 4], ["Reshape input to [1, 8, 8, 3]"]],
  ])("at %s of %j and %j", (op, a, b, labels) => {
    expect(fixesOf(pair(op, a, b)).map(({ label }) => label)).toEqual(labels);
  });
});

describe("a fix", () => {
  test("inserts a Reshape or a Transpose as one step, after which the shapes fit", () => {
    const image = pair("MatMul", [-1, 28, 28], [784, 10]);
    const flat = edited(image, insertReshape(image, lookup, "y", 0, [-1, 784]));
    expect(flat.nodes.get("y")?.input).toEqual(["Reshape", "b"]);
    expect(examineGraph(flat, lookup, true)).toMatchObject({ problems: new Map() });
    const turned = pair("AddV2", [2, 3], [3, 2]);
    const fixed = edited(turned, insertTranspose(turned, lookup, "y", 1, [1, 0]));
    expect(examineGraph(fixed, lookup, true).problems).toEqual(new Map());
    expect(examineGraph(fixed, lookup, true).shapes.outputs.get("y")).toEqual([[2, 3]]);
  });

  test("is undone as one step", () => {
    const document = pair("AddV2", [2, 3], [3, 2]);
    const result = insertTranspose(document, lookup, "y", 1, [1, 0]);
    const history = startHistory(document);
    expect(result.ok && undo(commit(history, result.transaction)).document).toEqual(document);
  });
});
