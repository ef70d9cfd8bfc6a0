/** The body of a function as a graph of its own: lossless both ways, and edited like a graph. */
import { describe, expect, it } from "vitest";
import { type AttrValue, AttrValue_ListValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { readDocument, writeDocument } from "../../../renderer/document/document-file.js";
import { addNode } from "../../../renderer/document/edits/add.js";
import { addAnnotation } from "../../../renderer/document/edits/annotate.js";
import { connect } from "../../../renderer/document/edits/connect.js";
import { editFunction, whyNotEdit } from "../../../renderer/document/edits/edit-function.js";
import { extractFunction } from "../../../renderer/document/edits/extract-function.js";
import { inlineFunction } from "../../../renderer/document/edits/inline-function.js";
import { moveNodes, pin } from "../../../renderer/document/edits/place.js";
import { deleteNodes } from "../../../renderer/document/edits/remove.js";
import { rename } from "../../../renderer/document/edits/rename.js";
import { toggleFetch } from "../../../renderer/document/edits/run-settings.js";
import type { EditResult } from "../../../renderer/document/edits/types.js";
import { bodyDocument } from "../../../renderer/document/function-body.js";
import { commit, type History, startHistory, undo } from "../../../renderer/document/history.js";
import { functionsOf, libraryOf, withFunctions } from "../../../renderer/document/library.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import type { OpLookup } from "../../../renderer/document/signature.js";
import { formatText, parseText } from "../../../worker-runtime/graph/text-format.js";
import fc from "../../support/seeded-check.js";
import { binary, constant, documentOf, edited, lookup, node, reasonOf, type } from "./graphs.js";
import { step } from "./random-edits.js";

function lookupIn({ metaGraph }: GraphDocument): OpLookup {
  const library = libraryOf(metaGraph);
  return (op) => library.get(op)?.signature ?? lookup(op);
}

/** As Python writes functions: two outputs, a shorthand, a control result, attributes of an argument. */
const DEFINITION = `
  signature {
    name: "halves"
    input_arg { name: "x" type: DT_FLOAT description: "what is halved" }
    input_arg { name: "handle" type: DT_RESOURCE }
    output_arg { name: "first" type: DT_FLOAT }
    output_arg { name: "sum" type: DT_FLOAT }
    is_stateful: true
    control_output: "count"
  }
  node_def { name: "axis" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
    attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 0 } } } }
  node_def { name: "split" op: "Split" input: "axis:output" input: "x" device: "/cpu:0"
    attr { key: "T" value { type: DT_FLOAT } } attr { key: "num_split" value { i: 2 } } }
  node_def { name: "sum" op: "AddV2" input: "split:output:1" input: "split:output:0" input: "^count"
    attr { key: "T" value { type: DT_FLOAT } } }
  node_def { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
  node_def { name: "count" op: "AssignAddVariableOp" input: "handle" input: "one:output:0" input: "^x"
    attr { key: "dtype" value { type: DT_FLOAT } } }
  ret { key: "first" value: "split:output" }
  ret { key: "sum" value: "sum:z:0" }
  control_ret { key: "count" value: "count" }
  arg_attr { key: 0 value { attr { key: "_user_specified_name" value { s: "x" } } } }
  resource_arg_unique_id { key: 1 value: 7 }
  attr { key: "_noinline" value { b: true } }
`;

function types(...dtypes: ("float32" | "resource")[]): AttrValue {
  const list = dtypes.map((dtype) => (dtype === "float32" ? DataType.DT_FLOAT : DataType.DT_RESOURCE));
  return { value: { $case: "list", value: AttrValue_ListValue.fromPartial({ type: list }) } };
}

/** A document with the function, and a node that calls it. */
function halves(text = DEFINITION): GraphDocument {
  const document = documentOf([
    constant("a", "[1, 2]"),
    node("v", "VarHandleOp", [], { dtype: type("float32") }),
    node("call", "StatefulPartitionedCall", ["a", "v"], {
      Tin: types("float32", "resource"),
      Tout: types("float32", "float32"),
      f: { value: { $case: "func", value: { name: "halves", attr: new Map() } } },
    }),
    binary("out", "Mul", "call", "call:1"),
  ]);
  const definition = parseText<FunctionDef>("tensorflow.FunctionDef", text);
  return { ...document, metaGraph: withFunctions(document.metaGraph, [definition]) };
}

function bodyOf(document: GraphDocument, name = "halves", before?: GraphDocument): GraphDocument {
  const body = bodyDocument(document, name, lookupIn(document), before);
  if (!body) throw new Error(`no function ${name}`);
  return body;
}

/** The edit of the document that an edit of a body is. */
function inBody(
  document: GraphDocument,
  make: (body: GraphDocument, lookup: OpLookup) => EditResult,
  name = "halves",
): EditResult {
  const body = bodyOf(document, name);
  const result = make(body, lookupIn(document));
  return result.ok ? editFunction(document, name, body, result.transaction, lookupIn(document)) : result;
}

const definitionOf = (document: GraphDocument, name = "halves") => libraryOf(document.metaGraph).get(name);
const inputsOf = (document: GraphDocument, name: string) => document.nodes.get(name)?.input;
const nodeOf = (document: GraphDocument, name: string) =>
  definitionOf(document)?.nodeDef.find((one) => one.name === name);

describe("the body of a function", () => {
  it("is a graph with the arguments first and the results last", () => {
    const body = bodyOf(halves());
    expect([...body.nodes.values()].map(({ name, op }) => `${name} ${op}`)).toEqual([
      "x _Arg",
      "handle _Arg",
      "axis Const",
      "split Split",
      "sum AddV2",
      "one Const",
      "count AssignAddVariableOp",
      "first _Retval",
      // A node of the body has the name of the result.
      "sum_1 _Retval",
    ]);
    expect(inputsOf(body, "split")).toEqual(["axis", "x"]);
    expect(inputsOf(body, "sum")).toEqual(["split:1", "split", "^count"]);
    expect(inputsOf(body, "count")).toEqual(["handle", "one", "^x"]);
    expect(inputsOf(body, "first")).toEqual(["split"]);
    expect(inputsOf(body, "sum_1")).toEqual(["sum"]);
    expect(body.layout.size).toBe(9);
    expect(body.nodes.get("x")?.attr.get("_user_specified_name")).toBeDefined();
  });

  it("knows the functions of the library, of its own one the signature only", () => {
    const [own] = functionsOf(bodyOf(halves()).metaGraph);
    expect(own).toMatchObject({ signature: { name: "halves" }, nodeDef: [] });
  });

  it("stays the same objects where an edit elsewhere changed nothing of it", () => {
    const document = halves();
    const before = bodyOf(document);
    const after = bodyOf(edited(document, pin(document, ["a"], "/job:worker")), "halves", before);
    expect(after.nodes).toBe(before.nodes);
    expect(after.metaGraph).toBe(before.metaGraph);
    expect(after.layout).toBe(before.layout);
  });
});

describe("an edit of a body", () => {
  it("changes what was edited, and leaves everything else as the file has it", () => {
    const document = halves();
    const after = edited(
      document,
      inBody(document, (body) => pin(body, ["sum"], "/job:worker")),
    );
    const [was, is] = [definitionOf(document), definitionOf(after)];
    expect(nodeOf(after, "sum")?.device).toBe("/job:worker");
    expect(nodeOf(after, "sum")?.input).toEqual(["split:output:1", "split:output:0", "^count"]);
    // Written without a number in the file.
    expect(nodeOf(after, "split")?.input).toEqual(["axis:output", "x"]);
    expect(is?.signature).toBe(was?.signature);
    expect(is?.ret).toBe(was?.ret);
    expect(is?.controlRet).toBe(was?.controlRet);
    expect(is?.argAttr).toBe(was?.argAttr);
    expect(is?.resourceArgUniqueId).toBe(was?.resourceArgUniqueId);
    expect(is?.attr.get("_noinline")).toBe(was?.attr.get("_noinline"));
    expect(after.nodes).toBe(document.nodes);
  });

  it("connects a result to another tensor, written as functions write it", () => {
    const document = halves();
    const after = edited(
      document,
      inBody(document, (body, ops) =>
        connect(body, ops, { node: "split", output: 1 }, { node: "first", input: 0 }),
      ),
    );
    expect(Object.fromEntries(definitionOf(after)?.ret ?? [])).toEqual({
      first: "split:output:1",
      sum: "sum:z:0",
    });
  });

  it("renames nodes, arguments and results, with everything that refers to them", () => {
    let document = halves();
    for (const [from, to] of [
      ["x", "whole"],
      ["count", "counted"],
      ["first", "left"],
      ["split", "parts"],
    ] as const) {
      document = edited(
        document,
        inBody(document, (body) => rename(body, from, to)),
      );
    }
    const definition = definitionOf(document);
    expect(definition?.signature?.inputArg[0]).toMatchObject({
      name: "whole",
      description: "what is halved",
    });
    expect(definition?.signature?.outputArg.map(({ name }) => name)).toEqual(["left", "sum"]);
    expect(Object.fromEntries(definition?.ret ?? [])).toEqual({ left: "parts:output:0", sum: "sum:z:0" });
    expect(Object.fromEntries(definition?.controlRet ?? [])).toEqual({ count: "counted" });
    expect(nodeOf(document, "counted")?.input).toEqual(["handle", "one:output:0", "^whole"]);
    expect(nodeOf(document, "parts")?.input).toEqual(["axis:output:0", "whole"]);
  });

  it("keeps places of nodes, arguments and results, and notes", () => {
    const document = halves();
    const moved = new Map([
      ["sum", { x: 5, y: 6 }],
      ["x", { x: -7, y: 8 }],
      ["sum_1", { x: 9, y: 10.5 }],
    ]);
    const placed = edited(
      document,
      inBody(document, (body) => moveNodes(body, moved)),
    );
    const noted = edited(
      placed,
      inBody(placed, (body) =>
        addAnnotation(body, {
          ...{ kind: "note", text: "halved here", colour: "blue" },
          ...{ at: { x: 1, y: 2 }, width: 200, height: 80 },
        }),
      ),
    );
    const opened = readDocument({
      ...{ name: "g", kind: "meta_graph", format: "binary" },
      metaGraph: writeDocument(noted),
    });
    const body = bodyOf(opened);
    for (const [name, place] of moved) expect(body.layout.get(name)).toEqual(place);
    expect(body.annotations).toMatchObject([{ text: "halved here", at: { x: 1, y: 2 } }]);
  });

  it("makes a function stateful with its calls, when a node with state comes into it", () => {
    let document = documentOf([
      constant("a", "1"),
      binary("x", "AddV2", "a", "a"),
      binary("y", "Mul", "x", "x"),
    ]);
    document = edited(document, extractFunction(document, lookupIn(document), ["x", "y"]));
    document = edited(document, extractFunction(document, lookupIn(document), ["extracted"]));
    expect(document.nodes.get("extracted_1")?.op).toBe("PartitionedCall");
    const after = edited(
      document,
      inBody(document, (body, ops) => addNode(body, ops, "RandomUniform", { x: 0, y: 0 }), "extracted"),
    );
    const inner = definitionOf(after, "extracted");
    expect(inner?.signature).toMatchObject({ isStateful: true });
    expect([...(inner?.controlRet.values() ?? [])]).toEqual(inner?.signature?.controlOutput);
    expect(inner?.signature?.controlOutput).toHaveLength(1);
    expect(definitionOf(after, "extracted_1")).toMatchObject({
      signature: { isStateful: true },
      nodeDef: [{ op: "StatefulPartitionedCall" }],
    });
    expect(after.nodes.get("extracted_1")?.op).toBe("StatefulPartitionedCall");
  });

  it("extracts and inlines functions within it", () => {
    const document = halves();
    const called = edited(
      document,
      inBody(document, (body, ops) => extractFunction(body, ops, ["sum"])),
    );
    expect([...libraryOf(called.metaGraph).keys()]).toEqual(["halves", "extracted"]);
    expect(nodeOf(called, "extracted")).toMatchObject({
      op: "PartitionedCall",
      input: ["split:output:1", "split:output:0", "^count"],
    });
    expect(definitionOf(called)?.ret.get("sum")).toBe("extracted:output:0");
    const back = edited(
      called,
      inBody(called, (body, ops) => inlineFunction(body, ops, "extracted")),
    );
    expect([...libraryOf(back.metaGraph).keys()]).toEqual(["halves"]);
    // The result has the name of the node that went.
    expect(definitionOf(back)?.ret.get("sum")).toBe("extracted/sum:z:0");
  });
});

describe("what a body cannot be made", () => {
  const why = (make: (body: GraphDocument, ops: OpLookup) => EditResult) => reasonOf(inBody(halves(), make));

  it("is one whose arguments or results something still reads", () => {
    expect(why((body) => deleteNodes(body, ["x"]))).toMatch(/^x is an argument of halves that split reads/);
    expect(why((body) => deleteNodes(body, ["first", "sum"]))).toMatch(
      /^first of halves cannot be taken away: out reads it from call/,
    );
    expect(why((body) => pin(body, ["x"], "/job:worker"))).toMatch(/where its caller has it/);
    expect(why((body) => rename(body, "x", "in/x"))).toMatch(/letters, digits and _/);
  });

  it("is one that a run asks something of", () => {
    const none = { fetches: [], targets: [], origin: "user" } as const;
    expect(why((body) => toggleFetch(body, "sum:0", none))).toMatch(/^A run fetches/);
  });

  it("is one whose types depend on the caller", () => {
    const generic = DEFINITION.replace('name: "x" type: DT_FLOAT', 'name: "x" type_attr: "T"').replace(
      "is_stateful: true",
      'is_stateful: true attr { name: "T" type: "type" }',
    );
    const document = halves(generic);
    const definition = definitionOf(document);
    expect(definition && whyNotEdit(definition)).toMatch(/each caller decides/);
    expect([...bodyOf(document).nodes.keys()]).toContain("x");
    expect(reasonOf(inBody(document, (body) => pin(body, ["sum"], "/job:worker")))).toMatch(/not edited/);
  });
});

const texts = ({ nodes }: GraphDocument) =>
  [...nodes.values()].map((one) => formatText("tensorflow.NodeDef", one));

describe("any sequence of edits in a body", () => {
  it("is undone to where it began, is saved without loss, and leaves a body that is what the file has", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const start = halves();
        let history: History = startHistory(start);
        let body = bodyOf(start);
        for (const one of steps) {
          const { document } = history;
          const result = one(body);
          if (!result.ok) continue;
          const done = editFunction(document, "halves", body, result.transaction, lookupIn(document));
          if (!done.ok) continue;
          history = commit(history, done.transaction);
          const before = body;
          body = bodyOf(history.document, "halves", before);
          // The function that is shown after the edit is the edited one.
          const raw = edited(before, result);
          const plain = (nodes: GraphDocument["nodes"]) =>
            [...nodes.values()]
              .filter(({ op }) => op !== "_Retval")
              .map(({ name, op, input, device }) => ({ name, op, input, device }))
              // Arguments come first, wherever the edit put them.
              .sort((one, other) => Number(other.op === "_Arg") - Number(one.op === "_Arg"));
          expect(plain(body.nodes)).toEqual(plain(raw.nodes));
        }
        const written = writeDocument(history.document);
        const file = { name: "g", kind: "meta_graph", format: "binary" } as const;
        const opened = readDocument({ ...file, metaGraph: written });
        expect(writeDocument(opened)).toEqual(written);
        const fresh = bodyOf(opened);
        expect(texts(fresh)).toEqual(texts(body));
        expect(fresh.annotations).toEqual(body.annotations);
        while (history.past.length > 0) history = undo(history);
        expect(history.document.metaGraph).toBe(start.metaGraph);
        expect([...history.document.nodes]).toEqual([...start.nodes]);
      }),
      { numRuns: 150 },
    );
  });
});
