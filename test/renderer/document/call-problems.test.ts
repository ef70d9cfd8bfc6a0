/** Problems of calls: of what they hand over and expect, and those within the bodies that they call. */
import { describe, expect, it } from "vitest";
import { type AttrValue, AttrValue_ListValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { examineAgain, examineGraph } from "../../../renderer/document/examine.js";
import { callersOfChanged, libraryOf, withFunctions } from "../../../renderer/document/library.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import type { OpLookup } from "../../../renderer/document/signature.js";
import { parseText } from "../../../worker-runtime/graph/text-format.js";
import { constant, documentOf, lookup, node, type } from "./graphs.js";

const { DT_FLOAT, DT_INT32, DT_BOOL } = DataType;

function types(...list: DataType[]): AttrValue {
  return { value: { $case: "list", value: AttrValue_ListValue.fromPartial({ type: list }) } };
}

const func = (name: string): AttrValue => ({ value: { $case: "func", value: { name, attr: new Map() } } });

function callOf(
  name: string,
  callee: string,
  input: string[],
  takes: DataType[],
  gives: DataType[],
): NodeDef {
  return node(name, "PartitionedCall", input, {
    Tin: types(...takes),
    Tout: types(...gives),
    f: func(callee),
  });
}

const body = (name: string, op: string, more = "") => `
  signature { name: "${name}" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
  node_def { name: "made" op: "${op}" input: "x" attr { key: "T" value { type: DT_FLOAT } } ${more} }
  ret { key: "y" value: "made:y:0" }`;

/** Calls the function inner. */
const OUTER = `
  signature { name: "outer" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
  node_def { name: "call" op: "PartitionedCall" input: "x"
    attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } }
    attr { key: "f" value { func { name: "inner" } } } }
  ret { key: "y" value: "call:output:0" }`;

function withLibrary(document: GraphDocument, ...definitions: string[]): GraphDocument {
  const functions = definitions.map((text) => parseText<FunctionDef>("tensorflow.FunctionDef", text));
  return { ...document, metaGraph: withFunctions(document.metaGraph, functions) };
}

function lookupIn({ metaGraph }: GraphDocument): OpLookup {
  const library = libraryOf(metaGraph);
  return Object.assign((op: string) => library.get(op)?.signature ?? lookup(op), {
    functionNamed: (name: string) => library.get(name),
  });
}

const findings = (document: GraphDocument, opsKnown = true) =>
  examineGraph(document, lookupIn(document), opsKnown);
const at = (document: GraphDocument, name: string) => findings(document).problems.get(name);

const graph = documentOf([constant("a", "1"), callOf("run", "outer", ["a"], [DT_FLOAT], [DT_FLOAT])]);

describe("a problem in the body of a function", () => {
  it("shows at every call that leads to it, with the way to its node", () => {
    const document = withLibrary(graph, OUTER, body("inner", "NoSuchOp"));
    expect(at(document, "run")).toEqual([
      {
        code: "NOT_FOUND",
        node: "run",
        short: "problem in outer",
        message: expect.stringMatching(/^A node of outer, which run calls, cannot run\..* NoSuchOp/),
        remedy: "Go to made in inner.",
        within: { function: "inner", node: "made" },
      },
    ]);
    expect(at(withLibrary(graph, OUTER, body("inner", "Neg")), "run")).toBeUndefined();
    // Where the op list is not there yet, nothing is said of ops.
    expect(findings(document, false).problems.size).toBe(0);
  });

  it("goes with the edit that mends it, and comes with one that makes it", () => {
    const broken = withLibrary(graph, OUTER, body("inner", "NoSuchOp"));
    const [outer] = [libraryOf(broken.metaGraph).get("outer")];
    const inner = parseText<FunctionDef>("tensorflow.FunctionDef", body("inner", "Neg"));
    const mended = { ...broken, metaGraph: withFunctions(broken.metaGraph, outer ? [outer, inner] : []) };
    const step = (before: GraphDocument, after: GraphDocument) =>
      examineAgain(
        after,
        { nodes: before.nodes, ...findings(before) },
        lookupIn(after),
        true,
        callersOfChanged(after.nodes, before.metaGraph, after.metaGraph),
      ).problems;
    expect(step(broken, mended).size).toBe(0);
    expect([...step(mended, broken).keys()]).toEqual(["run"]);
  });

  it("ends the search in functions that call themselves", () => {
    const self = OUTER.replace('name: "inner"', 'name: "outer"');
    expect(at(withLibrary(graph, self), "run")).toBeUndefined();
  });
});

describe("a call that does not fit its function", () => {
  const document = (call: NodeDef) =>
    withLibrary(documentOf([constant("a", "1"), constant("n", "1", "int32"), call]), body("inner", "Neg"));

  it("says what it hands over, and what the function takes", () => {
    const many = callOf("run", "inner", ["a", "a"], [DT_FLOAT, DT_FLOAT], [DT_FLOAT]);
    expect(at(document(many), "run")?.[0]).toMatchObject({
      short: "inner does not fit",
      message: "run hands 2 tensors to inner, which takes 1 argument.",
    });
    const none = callOf("run", "inner", ["a"], [DT_FLOAT], []);
    expect(at(document(none), "run")?.[0]?.message).toBe(
      "run expects nothing of inner, which gives 1 result.",
    );
    const other = callOf("run", "inner", ["n"], [DT_INT32], [DT_FLOAT]);
    expect(at(document(other), "run")?.[0]?.message).toBe(
      "run hands int32 to inner, whose argument x is float32.",
    );
    const bool = callOf("run", "inner", ["a"], [DT_FLOAT], [DT_BOOL]);
    expect(at(document(bool), "run")?.[0]?.message).toBe(
      "run expects bool of inner, whose result y is float32.",
    );
    expect(at(document(callOf("run", "inner", ["a"], [DT_FLOAT], [DT_FLOAT])), "run")).toBeUndefined();
  });

  it("is a branch or a loop, too", () => {
    const whenTrue = node("run", "StatelessIf", ["a", "n"], {
      ...{ Tcond: type("float32"), Tin: types(DT_INT32), Tout: types(DT_FLOAT) },
      ...{ then_branch: func("inner"), else_branch: func("inner") },
    });
    expect(at(document(whenTrue), "run")?.[0]?.message).toMatch(/^run hands int32 to inner/);
    const loop = node("run", "StatelessWhile", ["a"], {
      T: types(DT_FLOAT),
      ...{ cond: func("inner"), body: func("inner") },
    });
    expect(at(document(loop), "run")).toBeUndefined();
  });
});
