/** Shapes that the graph computes itself, and the words for those that do not fit. */
import { describe, expect, test } from "vitest";
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { examineAgain, examineGraph } from "../../../renderer/document/examine.js";
import { inferShapes } from "../../../renderer/document/shapes.js";
import { constant, documentOf, lookup, node, type } from "./graphs.js";

const shape = (sizes: readonly number[]): AttrValue => ({
  value: {
    $case: "shape",
    value: { dim: sizes.map((size) => ({ size: BigInt(size), name: "" })), unknownRank: false },
  },
});

function shaped(name: string, sizes: readonly number[]): NodeDef {
  return node(name, "Placeholder", [], { dtype: type("float32"), shape: shape(sizes) });
}

const T = { T: type("float32") };
const int = (value: number) => ({ value: { $case: "i" as const, value: BigInt(value) } });

/** Flattens as Keras does: the batch size of the shape, packed with -1. */
function flattened(sizes: readonly number[]): NodeDef[] {
  return [
    shaped("x", sizes),
    node("shape", "Shape", ["x"], { ...T, out_type: type("int32") }),
    ...["0", "1"].map((value) => constant(`c${value}`, `[${value}]`, "int32")),
    node("batch", "StridedSlice", ["shape", "c0", "c1", "c1"], {
      T: type("int32"),
      Index: type("int32"),
      shrink_axis_mask: int(1),
    }),
    constant("rest", "784", "int32"),
    node("wanted", "Pack", ["batch", "rest"], { T: type("int32"), N: int(2) }),
    node("y", "Reshape", ["x", "wanted"], { ...T, Tshape: type("int32") }),
  ];
}

function shapeOf(nodes: readonly NodeDef[], name: string): unknown {
  const { outputs, errors } = inferShapes(documentOf(nodes).nodes, lookup);
  return errors.get(name) ?? outputs.get(name)?.[0];
}

describe("shapes that are computed", () => {
  test("of what a table has for keys are those of the keys", () => {
    const table = { key_dtype: type("string"), value_dtype: type("int64") };
    const find = (op: string) => [
      node("table", op, [], table),
      node("keys", "Placeholder", [], { dtype: type("string"), shape: shape([-1, 3]) }),
      constant("none", "-1", "int64"),
      node("found", "LookupTableFindV2", ["table", "keys", "none"], {
        Tin: type("string"),
        Tout: type("int64"),
      }),
    ];
    expect(shapeOf(find("HashTableV2"), "found")).toEqual([-1, 3]);
    expect(shapeOf(find("MutableHashTableV2"), "found")).toEqual([-1, 3]);
    expect(shapeOf(find("MutableHashTableOfTensorsV2"), "found")).toBeUndefined();
  });

  test("are followed through slices and packs, as far as they are known", () => {
    expect(shapeOf(flattened([32, 28, 28]), "y")).toEqual([32, 784]);
    expect(shapeOf(flattened([-1, 28, 28]), "y")).toEqual([-1, 784]);
  });

  test("are those of a variable where its handle is passed on", () => {
    const nodes = [
      node("v", "VarHandleOp", [], { dtype: type("float32"), shape: shape([3, 5]) }),
      node("passed", "Identity", ["v"], { T: type("resource") }),
      node("read", "ReadVariableOp", ["passed"], { dtype: type("float32") }),
    ];
    expect(shapeOf(nodes, "read")).toEqual([3, 5]);
  });

  test("after an edit are those of the whole graph", () => {
    const before = documentOf(flattened([32, 28, 28]));
    const after = documentOf(flattened([64, 28, 28]));
    const again = examineAgain(after, { ...examineGraph(before, lookup, true), ...before }, lookup, true);
    expect(again).toEqual(examineGraph(after, lookup, true));
    expect(again.shapes.outputs.get("y")).toEqual([[64, 784]]);
  });
});

describe("shapes that do not fit", () => {
  test.each([
    [
      "MatMul",
      [2, 3],
      [4, 5],
      "a (left) is [2, 3], b (right) is [4, 5]: the inner sizes, 3 and 4, must be equal.",
    ],
    ["MatMul", [2, 3, 1], [4, 5], "a (left) must have 2 dimensions, but its shape is [2, 3, 1]."],
    ["BiasAdd", [2, 3], [4], "bias (right) has 4 elements, but value (left) has 3 channels."],
    ["AddV2", [2, 3], [2, 4], "x (left) and y (right): shapes [2, 3] and [2, 4] do not fit together."],
  ])("of %s are told in words with the nodes that have them: %j and %j", (op, a, b, words) => {
    const nodes = [shaped("left", a), shaped("right", b), node("y", op, ["left", "right"], T)];
    expect(shapeOf(nodes, "y")).toBe(`${op} node "y": ${words}`);
  });

  /** Nodes that are called a, b, … and have these shapes. */
  const letters = (shapes: readonly number[][]) =>
    shapes.map((shape, index) => shaped(String.fromCharCode(97 + index), shape));
  const problemOf = (op: string, shapes: readonly number[][], more: Record<string, AttrValue> = {}) => {
    const read = letters(shapes);
    const y = node(
      "y",
      op,
      read.map(({ name }) => name),
      { ...T, ...more },
    );
    return shapeOf([...read, y], "y");
  };

  test("of ops with many inputs name the nodes that have them", () => {
    expect(
      problemOf(
        "AddN",
        [
          [2, 3],
          [2, 3],
          [2, 2],
        ],
        { N: int(3) },
      ),
    ).toBe(
      'AddN node "y": shapes [2, 3] and [2, 2] do not fit together. It reads a [2, 3], c [2, 2] and b [2, 3].',
    );
    expect(problemOf("Select", [[4], [2, 3], [2, 2]])).toBe(
      'Select node "y": shapes [2, 3] and [2, 2] do not fit together. It reads b [2, 3] and c [2, 2].',
    );
    expect(
      problemOf("SelectV2", [
        [2, 2],
        [2, 3],
        [2, 3],
      ]),
    ).toMatch(/It reads a \[2, 2\], b \[2, 3\] and c/);
  });

  test("of very many inputs name one of each shape, and count the others", () => {
    const shapes = [...new Array<number[]>(9).fill([2, 3]), [2, 2]];
    expect(problemOf("AddN", shapes, { N: int(10) })).toBe(
      'AddN node "y": shapes [2, 3] and [2, 2] do not fit together. ' +
        "It reads a [2, 3], j [2, 2], b [2, 3], c [2, 3] and 6 others.",
    );
  });

  test("of a concatenation name the parts", () => {
    const axis = constant("axis", "0", "int32");
    const parts = letters([
      [2, 3],
      [5, 3],
      [2, 4],
    ]);
    const y = node("y", "ConcatV2", ["a", "b", "c", "axis"], { ...T, N: int(3), Tidx: type("int32") });
    expect(shapeOf([...parts, axis, y], "y")).toMatch(/It reads a \[2, 3\], .*c \[2, 4\]/);
  });
});
