import { describe, expect, test } from "vitest";
import { AttrValue, AttrValue_ListValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { attrProblem, nodeProblems } from "../../../worker-runtime/graph/attr-validation.js";
import { toAttrValue } from "../../../worker-runtime/graph/attr-values.js";
import { formatEdge, parseEdge } from "../../../worker-runtime/graph/edge.js";
import { attrsOf } from "../../../worker-runtime/graph/graph.js";
import { inputArgs, outputTypes, typesFit } from "../../../worker-runtime/graph/node-signature.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";
import { inferAttrs } from "../../../worker-runtime/graph/type-inference.js";

const registry = bundledOpRegistry();
const { DT_FLOAT, DT_INT32, DT_STRING, DT_RESOURCE, DT_VARIANT } = DataType;

function node(op: string, attrs: Parameters<typeof attrsOf>[2] = {}) {
  return { attr: attrsOf(registry, op, attrs) };
}

function inputsOf(op: string, attrs: Parameters<typeof attrsOf>[2] = {}): unknown[] {
  return inputArgs(registry.require(op), node(op, attrs)).map((a) => [a.name, a.dtype, a.isRef]);
}

function outputsOf(op: string, attrs: Parameters<typeof attrsOf>[2] = {}): unknown[] {
  return outputTypes(registry.require(op), node(op, attrs)).map((a) => [a.name, a.dtype, a.isRef]);
}

describe("a node's inputs and outputs", () => {
  test("follow from its attributes", () => {
    expect(inputsOf("AddV2", { T: "float32" })).toEqual([
      ["x", DT_FLOAT, false],
      ["y", DT_FLOAT, false],
    ]);
    expect(inputsOf("Pack", { N: 3, T: "int32" })).toEqual(
      [0, 1, 2].map((i) => [`values[${i}]`, DT_INT32, false]),
    );
    expect(inputsOf("ConcatV2", { N: 2, T: "float32" }).at(-1)).toEqual(["axis", DT_INT32, false]);
    expect(outputsOf("QueueDequeueV2", { component_types: ["float32", "string"] })).toEqual([
      ["components[0]", DT_FLOAT, false],
      ["components[1]", DT_STRING, false],
    ]);
    expect(outputsOf("VariableV2", { dtype: "float32", shape: [] })).toEqual([["ref", DT_FLOAT, true]]);
    expect(outputsOf("VarHandleOp", { dtype: "float32", shape: [] })).toEqual([
      ["resource", DT_RESOURCE, false],
    ]);
    expect(outputsOf("Split", { num_split: 2, T: "int32" }).length).toBe(2);
    expect(outputsOf("NoOp")).toEqual([]);
    expect(inputsOf("TensorListStack", { element_dtype: "float32" })[0]).toEqual([
      "input_handle",
      DT_VARIANT,
      false,
    ]);
  });

  test("are open where an attribute is missing; lists have the least length that the op allows", () => {
    expect(inputsOf("AddV2")).toEqual([
      ["x", undefined, false],
      ["y", undefined, false],
    ]);
    expect(inputsOf("Pack").length).toBe(1);
    expect(inputsOf("Print")).toEqual([["input", undefined, false]]);
  });

  test("fit when their types are equal or open; a reference is needed where the op writes", () => {
    const float = { dtype: DT_FLOAT, isRef: false };
    const open = { dtype: undefined, isRef: false };
    expect(typesFit(float, float)).toBe(true);
    expect(typesFit(open, float)).toBe(true);
    expect(typesFit(float, { dtype: DT_INT32, isRef: false })).toBe(false);
    expect(typesFit(float, { dtype: DT_FLOAT, isRef: true })).toBe(false);
    expect(typesFit({ dtype: DT_FLOAT, isRef: true }, float)).toBe(true);
  });
});

describe("attributes that follow from the inputs", () => {
  test("types, lengths, lists of types", () => {
    const pack = inferAttrs(registry.require("Pack"), [[DT_INT32, undefined, DT_INT32]]);
    expect([pack.types.get("T"), pack.numbers.get("N")]).toEqual([DT_INT32, 3]);
    const print = inferAttrs(registry.require("Print"), [[DT_FLOAT], [DT_INT32, DT_STRING]]);
    expect(print.typeLists.get("U")).toEqual([DT_INT32, DT_STRING]);
    expect(inferAttrs(registry.require("AddV2"), [undefined, [DT_FLOAT]]).types.get("T")).toBe(DT_FLOAT);
  });

  test("inputs that differ are an error that names both", () => {
    expect(() => inferAttrs(registry.require("AddV2"), [[DT_FLOAT], [DT_INT32]])).toThrow(
      "Input 'y' of 'AddV2' Op has type int32 that does not match type float32 of argument 'x'",
    );
  });
});

describe("checking attributes", () => {
  const attr = (op: string, name: string) => {
    const found = registry.require(op).attr.find((a) => a.name === name);
    if (!found) throw new Error(`no ${name}`);
    return found;
  };

  test("allowed types and strings, minimum, lengths of lists, kind", () => {
    expect(attrProblem(attr("MatMul", "T"), toAttrValue(attr("MatMul", "T"), "string"))).toMatch(
      /'T' cannot be string; allowed are bfloat16, float16, float32/,
    );
    expect(attrProblem(attr("MatMul", "T"), toAttrValue(attr("MatMul", "T"), "float32"))).toBeUndefined();
    const format = attr("BiasAdd", "data_format");
    expect(attrProblem(format, toAttrValue(format, "NWHC"))).toBe(
      `'data_format' cannot be "NWHC"; allowed are "NHWC", "NCHW"`,
    );
    expect(attrProblem(attr("Pack", "N"), toAttrValue(attr("Pack", "N"), 0))).toBe(
      "'N' is 0 but must be at least 1",
    );
    const types = attr("FIFOQueueV2", "component_types");
    expect(attrProblem(types, toAttrValue(types, []))).toBe(
      "'component_types' has 0 entries but needs at least 1",
    );
    expect(
      attrProblem(attr("Pack", "N"), AttrValue.fromPartial({ value: { $case: "b", value: true } })),
    ).toBe("'N' must be of type int");
    const floats = AttrValue.fromPartial({
      value: { $case: "list", value: AttrValue_ListValue.fromPartial({ f: [1] }) },
    });
    expect(attrProblem(types, floats)).toBe("'component_types' must be of type list(type)");
  });

  test("values of the wrong kind are refused when they are given", () => {
    expect(() => toAttrValue(attr("Pack", "N"), "two")).toThrow(
      "Attribute 'N' must be of type int, but two was given",
    );
    expect(() => toAttrValue(attr("Pack", "T"), "float31")).toThrow("must be of type type");
    expect(() => toAttrValue(attr("VariableV2", "shape"), [2, 0.5])).toThrow("must be of type shape");
  });

  test("a node lists all that is wrong with it", () => {
    const problems = nodeProblems(registry.require("ConcatV2"), { attr: new Map(), input: ["a", "^b"] });
    expect(problems).toEqual([
      "'N' (int) is missing",
      "'T' (type) is missing",
      "inputs values[1], axis not connected",
    ]);
    const fine = { ...node("AddV2", { T: "float32" }), input: ["a", "b:1"] };
    expect(nodeProblems(registry.require("AddV2"), fine)).toEqual([]);
    expect(nodeProblems(registry.require("AddV2"), { ...fine, input: ["a", "b", "c"] })).toEqual([
      "3 inputs are connected but AddV2 has 2",
    ]);
  });
});

test.each([
  ["a", { control: false, node: "a", output: 0 }, "a"],
  ["a:0", { control: false, node: "a", output: 0 }, "a"],
  ["scope/a:12", { control: false, node: "scope/a", output: 12 }, "scope/a:12"],
  ["^a", { control: true, node: "a" }, "^a"],
])("the edge %s", (text, edge, written) => {
  expect(parseEdge(text)).toEqual(edge);
  expect(formatEdge(parseEdge(text))).toBe(written);
});

test.each(["", ":0", "a:", "a:x", "^", "^a:0"])("%j is no edge", (text) => {
  expect(() => parseEdge(text)).toThrow(/names no tensor|no control input/);
});
