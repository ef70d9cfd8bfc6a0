import { expect, test } from "vitest";
import { FunctionDef, FunctionDefLibrary } from "../../protos/generated/tensorflow/function.js";
import { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { equalFunctions, equalLibraries, equalNodes } from "../../worker-runtime/equal-definitions.js";
import { typeAttr } from "../../worker-runtime/graph/attr-values.js";
import { add, constant, node } from "./engines/portable/master/node-makers.js";

const T = typeAttr("float32");

/** The same message as a client that keeps its maps in another order sends it. */
function withReversedMaps<M extends object>(message: M): M {
  const reversed = (value: unknown): unknown => {
    if (value instanceof Map) {
      return new Map([...value].reverse().map(([key, entry]) => [key, reversed(entry)]));
    }
    if (Array.isArray(value)) return value.map(reversed);
    if (value instanceof Uint8Array || typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, reversed(entry)]));
  };
  return reversed(message) as M;
}

const product = node("product", "MatMul", ["x", "k:output:0", "^one", "^two"], {
  T,
  transpose_a: { value: { $case: "b", value: true } },
});

function functionOf(...nodes: NodeDef[]): FunctionDef {
  return FunctionDef.fromPartial({
    signature: { name: "f", inputArg: [{ name: "x" }], outputArg: [{ name: "y" }] },
    nodeDef: nodes,
    ret: new Map([["y", "product:z:0"]]),
    attr: new Map([
      ["_noinline", T],
      ["api", T],
    ]),
  });
}

test("nodes are equal in any order of their attributes and control inputs, and differ by any other part", () => {
  const other = withReversedMaps(product);
  expect(NodeDef.encode(other).finish()).not.toEqual(NodeDef.encode(product).finish());
  expect(equalNodes(product, other)).toBe(true);
  expect(equalNodes(product, { ...product, input: ["x", "k:output:0", "^two", "^one"] })).toBe(true);
  expect(equalNodes(product, { ...product, input: ["k:output:0", "x", "^one", "^two"] })).toBe(false);
  expect(equalNodes(product, { ...product, device: "/cpu:0" })).toBe(false);
  expect(equalNodes(product, { ...product, attr: new Map([["T", T]]) })).toBe(false);
  expect(equalNodes(constant("k", 1), constant("k", 2))).toBe(false);
});

test("functions are equal in any order of maps and nodes, whatever internal attributes nodes have", () => {
  const k = constant("k", 1);
  const definition = functionOf(k, product);
  expect(equalFunctions(definition, withReversedMaps(definition))).toBe(true);
  expect(equalFunctions(definition, functionOf(product, k))).toBe(true);
  const marked = { ...k, attr: new Map([...k.attr, ["_internal", T]]) };
  expect(equalFunctions(definition, functionOf(marked, product))).toBe(true);
  expect(equalFunctions(definition, functionOf(constant("k", 2), product))).toBe(false);
  expect(equalFunctions(definition, functionOf(k, product, add("further", "k", "k")))).toBe(false);
  expect(equalFunctions(definition, { ...definition, ret: new Map([["y", "k:output:0"]]) })).toBe(false);
  expect(equalFunctions(definition, { ...definition, attr: new Map([["api", T]]) })).toBe(false);
});

test("libraries are equal in any order of their functions", () => {
  const [f, g] = [
    functionOf(product),
    { ...functionOf(product), signature: { ...functionOf().signature, name: "g" } },
  ];
  const library = (...definitions: object[]) => FunctionDefLibrary.fromPartial({ function: definitions });
  expect(equalLibraries(library(f, g), library(withReversedMaps(g), f))).toBe(true);
  expect(equalLibraries(library(f, g), library(f))).toBe(false);
  expect(equalLibraries(undefined, library())).toBe(true);
  const gradient = [{ functionName: "f", gradientFunc: "g" }];
  expect(equalLibraries(library(f), FunctionDefLibrary.fromPartial({ function: [f], gradient }))).toBe(false);
});
