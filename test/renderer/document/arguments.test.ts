/** Arguments and results of a function that are added, removed, renamed and moved: every call follows, or says why not. */
import { describe, expect, it } from "vitest";
import { type AttrValue, AttrValue_ListValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import {
  type MetaGraphDef,
  SignatureDef,
  TensorInfo,
} from "../../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { readDocument, writeDocument } from "../../../renderer/document/document-file.js";
import { addArgument, addResult, moveOnBorder } from "../../../renderer/document/edits/arguments.js";
import { setAttr } from "../../../renderer/document/edits/attrs.js";
import { connect } from "../../../renderer/document/edits/connect.js";
import { editFunction } from "../../../renderer/document/edits/edit-function.js";
import { deleteNodes } from "../../../renderer/document/edits/remove.js";
import { rename } from "../../../renderer/document/edits/rename.js";
import type { EditResult } from "../../../renderer/document/edits/types.js";
import { bodyDocument } from "../../../renderer/document/function-body.js";
import { commit, type History, redo, startHistory, undo } from "../../../renderer/document/history.js";
import { libraryOf, withFunctions } from "../../../renderer/document/library.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import { findProblems } from "../../../renderer/document/problems.js";
import { NO_SHAPES } from "../../../renderer/document/shapes.js";
import type { OpLookup } from "../../../renderer/document/signature.js";
import { parseText } from "../../../worker-runtime/graph/text-format.js";
import fc from "../../support/seeded-check.js";
import { binary, constant, documentOf, edited, lookup, node, reasonOf, type } from "./graphs.js";
import { type Step, step } from "./random-edits.js";

const { DT_FLOAT, DT_INT32, DT_BOOL } = DataType;
const AT = { x: 40, y: 80 };

function lookupIn({ metaGraph }: GraphDocument): OpLookup {
  const library = libraryOf(metaGraph);
  return Object.assign((op: string) => library.get(op)?.signature ?? lookup(op), {
    functionNamed: (name: string) => library.get(name),
  });
}

function types(...list: DataType[]): AttrValue {
  return { value: { $case: "list", value: AttrValue_ListValue.fromPartial({ type: list }) } };
}

const func = (name: string): AttrValue => ({ value: { $case: "func", value: { name, attr: new Map() } } });

function call(name: string, callee: string, input: string[], takes: DataType[], gives: DataType[]): NodeDef {
  return node(name, "PartitionedCall", input, {
    Tin: types(...takes),
    Tout: types(...gives),
    f: func(callee),
  });
}

function withLibrary(document: GraphDocument, ...definitions: string[]): GraphDocument {
  const functions = definitions.map((text) => parseText<FunctionDef>("tensorflow.FunctionDef", text));
  return { ...document, metaGraph: withFunctions(document.metaGraph, functions) };
}

/** sum and difference of x and y, which nothing but its calls knows. */
const PAIR = `
  signature { name: "pair"
    input_arg { name: "x" type: DT_FLOAT } input_arg { name: "y" type: DT_FLOAT } input_arg { name: "z" type: DT_INT32 }
    output_arg { name: "sum" type: DT_FLOAT } output_arg { name: "less" type: DT_FLOAT } }
  node_def { name: "add" op: "AddV2" input: "x" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
  node_def { name: "sub" op: "Sub" input: "x" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
  ret { key: "sum" value: "add:z:0" } ret { key: "less" value: "sub:z:0" }
  arg_attr { key: 2 value { attr { key: "_user_specified_name" value { s: "z" } } } }
  resource_arg_unique_id { key: 1 value: 7 }
  attr { key: "_input_shapes" value { list { shape { dim { size: 1 } } shape { dim { size: 2 } } shape { dim { size: 3 } } } } }
`;

/** Calls pair by its name, and gives what it gives. */
const OUTER = `
  signature { name: "outer" input_arg { name: "a" type: DT_FLOAT } input_arg { name: "n" type: DT_INT32 }
    output_arg { name: "out" type: DT_FLOAT } }
  node_def { name: "own" op: "pair" input: "a" input: "a" input: "n" }
  ret { key: "out" value: "own:less:0" }
`;

function pairs(): GraphDocument {
  const document = documentOf([
    constant("a", "1"),
    constant("b", "2"),
    constant("n", "3", "int32"),
    call("call", "pair", ["a", "b", "n", "^a"], [DT_FLOAT, DT_FLOAT, DT_INT32], [DT_FLOAT, DT_FLOAT]),
    node("named", "pair", ["a", "b", "n"]),
    call("outside", "outer", ["a", "n"], [DT_FLOAT, DT_INT32], [DT_FLOAT]),
    binary("less", "Neg", "call:1", "call:1"),
    binary("all", "AddV2", "named:1", "outside"),
  ]);
  const nodes = new Map(document.nodes).set("less", node("less", "Neg", ["call:1"], { T: type("float32") }));
  return withLibrary({ ...document, nodes }, PAIR, OUTER);
}

type Make = (body: GraphDocument, ops: OpLookup) => EditResult;

function inBody(document: GraphDocument, name: string, make: Make): EditResult {
  const ops = lookupIn(document);
  const body = bodyDocument(document, name, ops);
  if (!body) throw new Error(`no function ${name}`);
  const result = make(body, ops);
  return result.ok ? editFunction(document, name, body, result.transaction, ops) : result;
}

const bodyEdited = (document: GraphDocument, name: string, make: Make) =>
  edited(document, inBody(document, name, make));
const inputs = (document: GraphDocument, name: string) => document.nodes.get(name)?.input;
const listOf = (document: GraphDocument, name: string, key: string) => {
  const value = document.nodes.get(name)?.attr.get(key)?.value;
  return value?.$case === "list" ? value.value.type : undefined;
};
const definition = (document: GraphDocument, name: string) => libraryOf(document.metaGraph).get(name);
const argsOf = (document: GraphDocument, name: string) =>
  definition(document, name)?.signature?.inputArg.map((arg) => arg.name);
const resultsOf = (document: GraphDocument, name: string) =>
  definition(document, name)?.signature?.outputArg.map((arg) => arg.name);
const problems = (document: GraphDocument) => findProblems(document, lookupIn(document), NO_SHAPES, true);

/** A file's signature that gives call:1. */
function signatures(): MetaGraphDef["signatureDef"] {
  return new Map([
    [
      "serve",
      SignatureDef.fromPartial({
        outputs: new Map([["out", TensorInfo.fromPartial({ encoding: { $case: "name", value: "call:1" } })]]),
      }),
    ],
  ]);
}

describe("an argument of a function", () => {
  it("is added to it, and to its calls, which say that nothing is connected to it", () => {
    const document = bodyEdited(pairs(), "pair", (body) => addArgument(body, DT_BOOL, AT));
    expect(argsOf(document, "pair")).toEqual(["x", "y", "z", "argument"]);
    expect(inputs(document, "call")).toEqual(["a", "b", "n", "", "^a"]);
    expect(listOf(document, "call", "Tin")).toEqual([DT_FLOAT, DT_FLOAT, DT_INT32, DT_BOOL]);
    expect(inputs(document, "named")).toEqual(["a", "b", "n", ""]);
    expect(definition(document, "outer")?.nodeDef[0]?.input).toEqual(["a", "a", "n", ""]);
    expect(problems(document).get("call")?.[0]?.message).toMatch(/^Nothing is connected to input/);
    expect(bodyDocument(document, "pair", lookupIn(document))?.layout.get("argument")).toEqual(AT);
  });

  it("is taken away from all calls if nothing reads it", () => {
    const document = bodyEdited(pairs(), "pair", (body) => deleteNodes(body, ["z"]));
    expect(inputs(document, "call")).toEqual(["a", "b", "^a"]);
    expect(listOf(document, "call", "Tin")).toEqual([DT_FLOAT, DT_FLOAT]);
    expect(inputs(document, "named")).toEqual(["a", "b"]);
    expect(definition(document, "pair")?.argAttr.size).toBe(0);
    expect(problems(document).size).toBe(0);
  });

  it("stays where the body reads it, in words", () => {
    expect(reasonOf(inBody(pairs(), "pair", (body) => deleteNodes(body, ["y"])))).toMatch(
      /^y is an argument of pair that add reads\. Connect something else to add first/,
    );
    const document = bodyEdited(pairs(), "pair", (body, ops) =>
      connect(body, ops, { node: "x", output: 0 }, { node: "add", input: 1 }),
    );
    const gone = inBody(document, "pair", (body) => deleteNodes(body, ["y", "sub"]));
    expect(argsOf(edited(document, gone), "pair")).toEqual(["x", "z"]);
  });

  it("is moved with what each call hands to it, and with all that the function notes by its position", () => {
    const document = bodyEdited(pairs(), "pair", (body) => moveOnBorder(body, "z", -1));
    expect(argsOf(document, "pair")).toEqual(["x", "z", "y"]);
    expect(inputs(document, "call")).toEqual(["a", "n", "b", "^a"]);
    expect(listOf(document, "call", "Tin")).toEqual([DT_FLOAT, DT_INT32, DT_FLOAT]);
    expect(definition(document, "outer")?.nodeDef[0]?.input).toEqual(["a", "n", "a"]);
    const changed = definition(document, "pair");
    expect([...(changed?.argAttr.keys() ?? [])]).toEqual([1]);
    expect([...(changed?.resourceArgUniqueId ?? [])]).toEqual([[2, 7]]);
    const shapes = changed?.attr.get("_input_shapes")?.value;
    expect(shapes?.$case === "list" && shapes.value.shape.map(({ dim }) => Number(dim[0]?.size))).toEqual([
      1, 3, 2,
    ]);
    expect(problems(document).size).toBe(0);
    expect(reasonOf(inBody(pairs(), "pair", (body) => moveOnBorder(body, "x", -1)))).toMatch(/first already/);
    expect(reasonOf(inBody(pairs(), "pair", (body) => moveOnBorder(body, "add", 1)))).toMatch(/neither/);
  });

  it("gets another type, which the calls expect then", () => {
    const document = bodyEdited(pairs(), "pair", (body, ops) => setAttr(body, ops, "z", "T", type("bool")));
    expect(listOf(document, "call", "Tin")).toEqual([DT_FLOAT, DT_FLOAT, DT_BOOL]);
    expect(problems(document).get("call")?.[0]?.message).toMatch(/takes bool, but n gives int32/);
  });
});

describe("a result of a function", () => {
  it("is added, and given by all calls", () => {
    const document = bodyEdited(pairs(), "pair", (body, ops) =>
      addResult(body, ops, { node: "z", output: 0 }, AT),
    );
    expect(resultsOf(document, "pair")).toEqual(["sum", "less", "z_result"]);
    expect(definition(document, "pair")?.ret.get("z_result")).toBe("z");
    expect(listOf(document, "call", "Tout")).toEqual([DT_FLOAT, DT_FLOAT, DT_INT32]);
    expect(problems(document).size).toBe(0);
  });

  it("is taken away where nothing reads it, and what reads later ones goes on reading them", () => {
    const document = bodyEdited(pairs(), "pair", (body) => deleteNodes(body, ["sum"]));
    expect(resultsOf(document, "pair")).toEqual(["less"]);
    expect(inputs(document, "less")).toEqual(["call"]);
    expect(inputs(document, "all")).toEqual(["named", "outside"]);
    expect(definition(document, "outer")?.ret.get("out")).toBe("own:less:0");
    expect(problems(document).size).toBe(0);
  });

  it("stays where a node, a function, a run or a signature uses it, in words", () => {
    const start = pairs();
    const remove: Make = (body) => deleteNodes(body, ["less"]);
    expect(reasonOf(inBody(start, "pair", remove))).toMatch(/in outer|outer returns it from own/);
    const alone = edited(start, deleteNodes(start, ["outside", "all"]));
    const single = withLibrary(alone, PAIR);
    expect(reasonOf(inBody(single, "pair", remove))).toMatch(
      /^less of pair cannot be taken away: less reads it from call/,
    );
    const unread = edited(single, deleteNodes(single, ["less"]));
    expect(inBody(unread, "pair", remove).ok).toBe(true);
    const fetched = { ...unread, runConfig: { ...unread.runConfig, fetches: ["call:1"] } };
    expect(reasonOf(inBody(fetched, "pair", remove))).toMatch(/run configuration .* asks call for it/);
    const metaGraph = { ...unread.metaGraph, signatureDef: signatures() };
    expect(reasonOf(inBody({ ...unread, metaGraph }, "pair", remove))).toMatch(/names it as call:1/);
  });

  it("is moved with its readers, in the file and in runs too", () => {
    const start = pairs();
    const asked = { ...start, runConfig: { ...start.runConfig, fetches: ["call:0", "less:0"] } };
    const metaGraph = { ...asked.metaGraph, signatureDef: signatures() };
    const document = bodyEdited({ ...asked, metaGraph }, "pair", (body) => moveOnBorder(body, "sum", 1));
    expect(resultsOf(document, "pair")).toEqual(["less", "sum"]);
    expect(inputs(document, "less")).toEqual(["call"]);
    expect(inputs(document, "all")).toEqual(["named", "outside"]);
    expect(document.runConfig.fetches).toEqual(["call:1", "less:0"]);
    expect(document.metaGraph.signatureDef.get("serve")?.outputs.get("out")?.encoding).toEqual({
      $case: "name",
      value: "call:0",
    });
  });

  it("is renamed with the bodies that name it", () => {
    const document = bodyEdited(pairs(), "pair", (body) => rename(body, "less", "rest"));
    expect(definition(document, "outer")?.ret.get("out")).toBe("own:rest:0");
    expect(document.nodes).toEqual(pairs().nodes);
  });
});

const BRANCH = (name: string, op: string) => `
  signature { name: "${name}" input_arg { name: "p" type: DT_FLOAT } input_arg { name: "q" type: DT_FLOAT }
    output_arg { name: "r" type: DT_FLOAT } }
  node_def { name: "made" op: "${op}" input: "p" attr { key: "T" value { type: DT_FLOAT } } }
  ret { key: "r" value: "made:y:0" }
`;

function branches(): GraphDocument {
  return withLibrary(
    documentOf([
      constant("a", "1"),
      constant("yes", "true", "bool"),
      node("if", "StatelessIf", ["yes", "a", "a"], {
        ...{ Tcond: type("bool"), Tin: types(DT_FLOAT, DT_FLOAT), Tout: types(DT_FLOAT) },
        ...{ then_branch: func("one"), else_branch: func("other") },
      }),
    ]),
    BRANCH("one", "Neg"),
    BRANCH("other", "Exp"),
  );
}

const LOOP_BODY = `
  signature { name: "round" input_arg { name: "i" type: DT_INT32 } input_arg { name: "v" type: DT_FLOAT }
    output_arg { name: "next" type: DT_INT32 } output_arg { name: "w" type: DT_FLOAT } }
  node_def { name: "more" op: "AddV2" input: "i" input: "i" attr { key: "T" value { type: DT_INT32 } } }
  ret { key: "next" value: "more:z:0" } ret { key: "w" value: "v" }
`;
const LOOP_COND = `
  signature { name: "goes" input_arg { name: "i" type: DT_INT32 } input_arg { name: "v" type: DT_FLOAT }
    output_arg { name: "on" type: DT_BOOL } }
  node_def { name: "less" op: "Less" input: "i" input: "i" attr { key: "T" value { type: DT_INT32 } } }
  ret { key: "on" value: "less:z:0" }
`;

function loop(): GraphDocument {
  return withLibrary(
    documentOf([
      constant("n", "1", "int32"),
      constant("a", "1"),
      node("while", "StatelessWhile", ["n", "a"], {
        T: types(DT_INT32, DT_FLOAT),
        ...{ cond: func("goes"), body: func("round") },
      }),
      node("out", "Identity", ["while"], { T: type("int32") }),
    ]),
    LOOP_BODY,
    LOOP_COND,
  );
}

describe("functions that belong together", () => {
  it("are the branches of an If: both take and give the same", () => {
    const added = bodyEdited(branches(), "one", (body) => addArgument(body, DT_INT32, AT));
    expect([argsOf(added, "one"), argsOf(added, "other")]).toEqual([
      ["p", "q", "argument"],
      ["p", "q", "argument"],
    ]);
    expect(inputs(added, "if")).toEqual(["yes", "a", "a", ""]);
    const gone = bodyEdited(branches(), "other", (body) => deleteNodes(body, ["q"]));
    expect([argsOf(gone, "one"), inputs(gone, "if")]).toEqual([["p"], ["yes", "a"]]);
    expect(problems(gone).size).toBe(0);
    const given = bodyEdited(branches(), "one", (body, ops) =>
      addResult(body, ops, { node: "p", output: 0 }, AT),
    );
    expect(resultsOf(given, "other")).toEqual(["r", "p_result"]);
    // The other branch's value for it is to be chosen there.
    const body = bodyDocument(given, "other", lookupIn(given));
    expect(body && problems(body).get("p_result")?.[0]?.message).toMatch(/^Nothing is connected/);
  });

  it("are not changed where the other branch reads what goes", () => {
    const document = bodyEdited(branches(), "one", (body, ops) =>
      connect(body, ops, { node: "q", output: 0 }, { node: "made", input: 0 }),
    );
    expect(reasonOf(inBody(document, "other", (body) => deleteNodes(body, ["q"])))).toMatch(
      /^if hands the same to one, whose argument q is read by made/,
    );
  });

  it("are body and condition of a While: a new variable is handed on", () => {
    const document = bodyEdited(loop(), "round", (body) => addArgument(body, DT_BOOL, AT));
    expect(argsOf(document, "goes")).toEqual(["i", "v", "argument"]);
    expect(argsOf(document, "round")).toEqual(["i", "v", "argument"]);
    expect([...(definition(document, "round")?.ret ?? [])].at(-1)).toEqual(["argument", "argument"]);
    expect(inputs(document, "while")).toEqual(["n", "a", ""]);
    expect(listOf(document, "while", "T")).toEqual([DT_INT32, DT_FLOAT, DT_BOOL]);
    const fromCondition = bodyEdited(loop(), "goes", (body) => moveOnBorder(body, "v", -1));
    expect([argsOf(fromCondition, "round"), resultsOf(fromCondition, "round")]).toEqual([
      ["v", "i"],
      ["w", "next"],
    ]);
    expect(inputs(fromCondition, "while")).toEqual(["a", "n"]);
    expect(inputs(fromCondition, "out")).toEqual(["while:1"]);
    expect(problems(fromCondition).size).toBe(0);
  });

  it("lose a variable together, unless something uses it", () => {
    const document = bodyEdited(loop(), "round", (body) => deleteNodes(body, ["v", "w"]));
    expect([argsOf(document, "goes"), inputs(document, "while")]).toEqual([["i"], ["n"]]);
    expect(reasonOf(inBody(loop(), "round", (body) => deleteNodes(body, ["next"])))).toMatch(
      /whose argument i is read by (more|less)/,
    );
    expect(reasonOf(inBody(loop(), "goes", (body) => deleteNodes(body, ["on"])))).toMatch(/has one result/);
  });
});

it("a function of tf.data keeps the arguments that its dataset hands over", () => {
  const document = withLibrary(
    documentOf([
      constant("a", "1"),
      constant("b", "1"),
      constant("n", "3", "int32"),
      node("data", "TensorDataset", ["a"], { Toutput_types: types(DT_FLOAT), output_shapes: types() }),
      node("map", "MapDataset", ["data", "b", "n"], {
        ...{ f: func("pair"), Targuments: types(DT_FLOAT, DT_INT32) },
        ...{ output_types: types(DT_FLOAT, DT_FLOAT), output_shapes: types() },
      }),
    ]),
    PAIR,
  );
  const moved = bodyEdited(document, "pair", (body) => moveOnBorder(body, "z", -1));
  expect(inputs(moved, "map")).toEqual(["data", "n", "b"]);
  expect(listOf(moved, "map", "Targuments")).toEqual([DT_INT32, DT_FLOAT]);
  expect(reasonOf(inBody(moved, "pair", (body) => moveOnBorder(body, "z", -1)))).toMatch(
    /decides the first argument of pair/,
  );
  expect(reasonOf(inBody(document, "pair", (body) => deleteNodes(body, ["less"])))).toMatch(
    /decides what pair gives/,
  );
});

/** Any edit of a body, also of its arguments and results. */
const bodyStep: fc.Arbitrary<Step> = fc.oneof(
  step,
  fc.record({ kind: fc.nat(3), pick: fc.nat(20) }).map(
    ({ kind, pick }): Step =>
      (body) => {
        const names = [...body.nodes.keys()];
        const name = names[pick % Math.max(1, names.length)] ?? "";
        if (kind === 0) return addArgument(body, pick % 2 ? DT_FLOAT : DT_INT32, AT);
        if (kind === 1) return addResult(body, lookup, { node: name, output: 0 }, AT);
        if (kind === 2) return moveOnBorder(body, name, pick % 2 ? 1 : -1);
        return deleteNodes(body, [name]);
      },
  ),
);

describe("any sequence of edits of arguments and results", () => {
  it("is undone to where it began, done again to where it led, and saved without loss", () => {
    let borders = 0;
    fc.assert(
      fc.property(
        fc.constantFrom("pair", "one", "round", "goes"),
        fc.array(bodyStep, { maxLength: 20 }),
        (name, steps) => {
          const start = name === "pair" ? pairs() : name === "one" ? branches() : loop();
          let history: History = startHistory(start);
          for (const one of steps) {
            const done = inBody(history.document, name, one);
            if (!done.ok) continue;
            const before = history.document;
            history = commit(history, done.transaction);
            if (history.document.nodes !== before.nodes) borders++;
          }
          const { document } = history;
          const written = writeDocument(document);
          const opened = readDocument({
            name: "g",
            kind: "meta_graph",
            format: "binary",
            metaGraph: written,
          });
          expect(writeDocument(opened)).toEqual(written);
          // Every call has an input for each argument, of its type.
          for (const one of document.nodes.values()) {
            for (const problem of problems(document).get(one.name) ?? [])
              expect(problem.short).not.toBe("too many inputs");
          }
          while (history.past.length > 0) history = undo(history);
          expect(history.document.metaGraph).toEqual(start.metaGraph);
          expect([...history.document.nodes]).toEqual([...start.nodes]);
          expect(history.document.runConfig).toEqual(start.runConfig);
          while (history.future.length > 0) history = redo(history);
          expect(writeDocument(history.document)).toEqual(written);
        },
      ),
      { numRuns: 150 },
    );
    expect(borders).toBeGreaterThan(50);
  });
});
