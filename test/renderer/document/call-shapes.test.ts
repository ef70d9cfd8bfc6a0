/** Shapes behind nodes that call functions. */
import { describe, expect, it } from "vitest";
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import { setAttr } from "../../../renderer/document/edits/attrs.js";
import { editFunction } from "../../../renderer/document/edits/edit-function.js";
import { extractFunction } from "../../../renderer/document/edits/extract-function.js";
import { examineAgain, examineGraph } from "../../../renderer/document/examine.js";
import { bodyDocument } from "../../../renderer/document/function-body.js";
import { callersOfChanged, libraryOf, withFunctions } from "../../../renderer/document/library.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import { inferShapes } from "../../../renderer/document/shapes.js";
import type { OpLookup } from "../../../renderer/document/signature.js";
import { parseText } from "../../../worker-runtime/graph/text-format.js";
import { constant, documentOf, edited, lookup, node, type } from "./graphs.js";

function lookupIn({ metaGraph }: GraphDocument): OpLookup {
  const library = libraryOf(metaGraph);
  return Object.assign((op: string) => library.get(op)?.signature ?? lookup(op), {
    functionNamed: (name: string) => library.get(name),
  });
}

const shapesOf = (document: GraphDocument, name: string) =>
  inferShapes(document.nodes, lookupIn(document)).outputs.get(name);

const func = (name: string): AttrValue => ({ value: { $case: "func", value: { name, attr: new Map() } } });

function list(value: Partial<Record<"type" | "func" | "shape", unknown[]>>): AttrValue {
  const empty = { s: [], i: [], f: [], b: [], type: [], shape: [], tensor: [], func: [] };
  return { value: { $case: "list", value: { ...empty, ...value } as never } };
}

/** A function of one float argument x. */
function functionOf(name: string, nodes: string, result: string): FunctionDef {
  return parseText<FunctionDef>(
    "tensorflow.FunctionDef",
    `signature { name: "${name}" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
     ${nodes} ret { key: "y" value: "${result}" }`,
  );
}

const floats = `attr { key: "T" value { type: DT_FLOAT } }`;
const packed = (name: string, ...inputs: string[]) =>
  `node_def { name: "${name}" op: "Pack" ${inputs.map((one) => `input: "${one}"`).join(" ")} ${floats}
   attr { key: "N" value { i: ${inputs.length} } } }`;
const calling = (name: string, callee: string, input: string) =>
  `node_def { name: "${name}" op: "PartitionedCall" input: "${input}" attr { key: "f" value { func { name: "${callee}" } } }
   attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } }`;

function documentWith(
  functions: readonly FunctionDef[],
  op: string,
  attr: Record<string, AttrValue>,
): GraphDocument {
  const x = constant("x", "[1, 2, 3]");
  const chosen = { ...constant("chosen", "0", "int32") };
  const hasCondition = /If|Case/.test(op);
  const inputs = hasCondition ? ["chosen", "x"] : ["x"];
  const types = { Tin: list({ type: [1] }), Tout: list({ type: [1] }), T: list({ type: [1] }) };
  const call = node("call", op, inputs, { ...types, Tcond: type("int32"), ...attr });
  const document = documentOf([x, chosen, call]);
  return { ...document, metaGraph: withFunctions(document.metaGraph, functions) };
}

const two = functionOf("two", packed("p", "x", "x"), "p:output:0");
const three = functionOf("three", packed("p", "x", "x", "x"), "p:output:0");
const same = functionOf("same", `node_def { name: "i" op: "Identity" input: "x" ${floats} }`, "i:output:0");

describe("shapes behind calls", () => {
  it("are those of the function's results for these arguments", () => {
    for (const op of ["PartitionedCall", "StatefulPartitionedCall"]) {
      expect(shapesOf(documentWith([two], op, { f: func("two") }), "call")).toEqual([[2, 3]]);
    }
    expect(shapesOf(documentWith([two], "two", {}), "call")).toEqual([[2, 3]]);
  });

  it("are followed through functions that call functions, and sizes that are computed from arguments", () => {
    const document = documentOf([
      constant("sizes", "[2, 3]", "int32"),
      constant("x", "[1, 2, 3, 4, 5, 6]"),
      node("reshaped", "Reshape", ["x", "sizes"], { T: type("float32"), Tshape: type("int32") }),
    ]);
    const once = edited(document, extractFunction(document, lookupIn(document), ["reshaped"]));
    const twice = edited(once, extractFunction(once, lookupIn(once), ["extracted"]));
    expect(shapesOf(twice, "extracted_1")).toEqual([[2, 3]]);
  });

  it("of a condition are what its branches have in common, as far as the node declares nothing", () => {
    const branches = { then_branch: func("two"), else_branch: func("three") };
    expect(shapesOf(documentWith([two, three], "StatelessIf", branches), "call")).toEqual([[-1, 3]]);
    const declared = list({
      shape: [
        {
          dim: [
            { size: 2n, name: "" },
            { size: -1n, name: "" },
          ],
          unknownRank: false,
        },
      ],
    });
    expect(
      shapesOf(documentWith([two, three], "If", { ...branches, output_shapes: declared }), "call"),
    ).toEqual([[2, 3]]);
    const cases = {
      branches: list({ func: ["two", "two", "same"].map((name) => ({ name, attr: new Map() })) }),
    };
    expect(shapesOf(documentWith([two, same], "Case", cases), "call")).toEqual([undefined]);
  });

  it("of a loop are what no round changes", () => {
    const loop = (body: FunctionDef) =>
      shapesOf(
        documentWith([body], "While", { cond: func("none"), body: func(body.signature?.name ?? "") }),
        "call",
      );
    expect(loop(same)).toEqual([[3]]);
    expect(loop(two)).toEqual([undefined]);
    const longer = functionOf(
      "longer",
      `node_def { name: "axis" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 0 } } } }
       node_def { name: "c" op: "ConcatV2" input: "x" input: "x" input: "axis:output:0" ${floats}
         attr { key: "N" value { i: 2 } } attr { key: "Tidx" value { type: DT_INT32 } } }`,
      "c:output:0",
    );
    expect(loop(longer)).toEqual([[-1]]);
  });

  it("are not known of functions that call themselves, or that the library lacks", () => {
    const self = functionOf("self", calling("c", "self", "x"), "c:output:0");
    expect(shapesOf(documentWith([self], "PartitionedCall", { f: func("self") }), "call")).toEqual([
      undefined,
    ]);
    expect(shapesOf(documentWith([self], "PartitionedCall", { f: func("none") }), "call")).toEqual([
      undefined,
    ]);
  });

  it("end where functions call each other again and again", () => {
    // Each calls the next one eight times: all of them together are called 8^30 times.
    const functions = Array.from({ length: 30 }, (_, level) => {
      const names = Array.from({ length: 8 }, (_unused, index) => `c${index}`);
      const nodes = names.map((name, index) =>
        level === 29
          ? `node_def { name: "${name}" op: "Identity" input: "x" ${floats} }`
          : calling(name, `f${level + 1}`, index === 0 ? "x" : `c${index - 1}:output:0`),
      );
      return functionOf(`f${level}`, nodes.join(" "), "c7:output:0");
    });
    const document = documentWith(functions, "PartitionedCall", { f: func("f0") });
    expect([[undefined], [[3]]]).toContainEqual(shapesOf(document, "call"));
  });

  it("follow an edit of the body, in what was examined before", () => {
    const document = documentWith([two, same], "PartitionedCall", { f: func("two") });
    const before = examineGraph(document, lookupIn(document), true);
    const body = bodyDocument(document, "two", lookupIn(document));
    if (!body) throw new Error("no body");
    const result = setAttr(body, lookupIn(document), "p", "axis", { value: { $case: "i", value: 1n } });
    if (!result.ok) throw new Error(result.reason);
    const after = edited(
      document,
      editFunction(document, "two", body, result.transaction, lookupIn(document)),
    );
    const calls = callersOfChanged(after.nodes, document.metaGraph, after.metaGraph);
    expect([...calls]).toEqual(["call"]);
    const again = examineAgain(after, { ...before, nodes: document.nodes }, lookupIn(after), true, calls);
    expect(again.shapes.outputs.get("call")).toEqual([[3, 2]]);
    expect(again).toEqual(examineGraph(after, lookupIn(after), true));
  });
});
