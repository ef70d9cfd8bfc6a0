/** Nodes become a function, and a function becomes nodes. */
import { describe, expect, it } from "vitest";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { colocate } from "../../../renderer/document/edits/colocate.js";
import { extractFunction } from "../../../renderer/document/edits/extract-function.js";
import { inlineFunction } from "../../../renderer/document/edits/inline-function.js";
import { setFeed, toggleTarget } from "../../../renderer/document/edits/run-settings.js";
import type { EditResult } from "../../../renderer/document/edits/types.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import { apply, invert } from "../../../renderer/document/operations.js";
import type { OpLookup } from "../../../renderer/document/signature.js";
import {
  binary,
  constant,
  documentOf,
  edited,
  lookup,
  node,
  placeholder,
  reasonOf,
  type,
  welcome,
} from "./graphs.js";

/** Ops, and the functions of a document. */
function lookupIn(document: GraphDocument): OpLookup {
  const functions = document.metaGraph.graphDef?.library?.function ?? [];
  return (op) => functions.find(({ signature }) => signature?.name === op)?.signature ?? lookup(op);
}

const extract = (document: GraphDocument, ...names: string[]) =>
  extractFunction(document, lookupIn(document), names);
const inline = (document: GraphDocument, name: string) => inlineFunction(document, lookupIn(document), name);
const library = (document: GraphDocument) => document.metaGraph.graphDef?.library?.function ?? [];
const inputsOf = (document: GraphDocument, name: string) => document.nodes.get(name)?.input;
const why = (document: GraphDocument, ...names: string[]) => reasonOf(extract(document, ...names));

/** A resource variable that is read, and increased. */
function counter(...more: NodeDef[]): GraphDocument {
  return documentOf([
    node("v", "VarHandleOp", [], {
      dtype: type("float32"),
      shape: { value: { $case: "shape", value: { dim: [], unknownRank: false } } },
    }),
    constant("one", "1"),
    node("add", "AssignAddVariableOp", ["v", "one"], { dtype: type("float32") }),
    node("read", "ReadVariableOp", ["v", "^add"], { dtype: type("float32") }),
    binary("twice", "AddV2", "read", "read"),
    ...more,
  ]);
}

describe("extracting nodes to a function", () => {
  it("gives it what they read as arguments and what others read as results, and calls it in their place", () => {
    const document = edited(welcome(), extract(welcome(), "x", "y"));
    expect([...document.nodes.keys()]).toEqual(["a", "b", "extracted", "z"]);
    const call = document.nodes.get("extracted");
    expect(call).toMatchObject({ op: "PartitionedCall", input: ["a", "b"] });
    expect(inputsOf(document, "z")).toEqual(["extracted", "extracted:1"]);
    const [definition] = library(document);
    expect(definition?.signature).toMatchObject({ name: "extracted", isStateful: false });
    expect(definition?.signature?.inputArg.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(definition?.nodeDef.map(({ name, input }) => [name, ...input])).toEqual([
      ["x", "a", "b"],
      ["y", "a", "b"],
    ]);
    expect(Object.fromEntries(definition?.ret ?? [])).toEqual({ x_1: "x:z:0", y_1: "y:z:0" });
    expect(document.layout.get("extracted")).toEqual({ x: 440, y: 0 });
  });

  it("is one step that can be undone", () => {
    const before = welcome();
    const result = extract(before, "x", "y");
    if (!result.ok) throw new Error(result.reason);
    const { operations } = result.transaction;
    const after = apply(apply(before, operations), invert(operations));
    expect([...after.nodes]).toEqual([...before.nodes]);
    expect(after).toMatchObject({ layout: before.layout, metaGraph: before.metaGraph });
  });

  it("puts the call where it covers no other node", () => {
    const before = welcome();
    const columns = { a: { x: 0, y: 0 }, b: { x: 0, y: 120 }, x: { x: 220, y: 0 }, y: { x: 220, y: 120 } };
    const placed = { ...before, layout: new Map([...before.layout, ...Object.entries(columns)]) };
    // The first place of its nodes would be that of a.
    const call = edited(placed, extract(placed, "b", "x", "y")).layout.get("extracted");
    expect(call?.x).toBe(0);
    expect(call?.y).toBeGreaterThan(50);
  });

  it("is undone by inlining, with names and places", () => {
    const before = welcome();
    const called = edited(before, extract(before, "x", "y", "z"));
    const after = edited(called, inline(called, "extracted"));
    expect([...after.nodes]).toEqual([...before.nodes]);
    expect(after.layout).toEqual(before.layout);
    expect(library(after)).toEqual([]);
  });

  it("calls it as stateful where a node of it has state, with the variable as an argument", () => {
    const document = edited(counter(), extract(counter(), "one", "add", "read"));
    const call = document.nodes.get("extracted");
    expect(call).toMatchObject({ op: "StatefulPartitionedCall", input: ["v"] });
    const [definition] = library(document);
    expect(definition?.signature).toMatchObject({ isStateful: true, controlOutput: ["add", "read"] });
    expect(definition?.nodeDef.find(({ name }) => name === "read")?.input).toEqual(["v", "^add"]);
  });

  it("takes what runs ask for, and what waits, to the call", () => {
    const waiting = node("done", "NoOp", ["^add", "^read"]);
    const plain = counter(waiting);
    const asked = edited(plain, toggleTarget(plain, "add", { fetches: [], targets: [] } as never));
    const document = edited(asked, extract(asked, "one", "add"));
    expect(document.runConfig.targets).toEqual(["extracted"]);
    expect(inputsOf(document, "done")).toEqual(["^extracted", "^read"]);
    const back = edited(document, inline(document, "extracted"));
    expect(back.runConfig.targets).toEqual(["add"]);
    expect(inputsOf(back, "done")).toEqual(["^add", "^read"]);
  });

  it("names it after the scope of the nodes, unless that is taken", () => {
    const graph = documentOf([
      constant("net/a", "1"),
      binary("net/dense/x", "AddV2", "net/a", "net/a"),
      binary("net/dense/y", "Mul", "net/dense/x", "net/a"),
      binary("net/out", "Mul", "net/dense/y", "net/a"),
    ]);
    const once = edited(graph, extract(graph, "net/dense/x", "net/dense/y"));
    expect(inputsOf(once, "net/out")).toEqual(["net/dense", "net/a"]);
    expect(library(once)[0]?.signature?.inputArg[0]?.name).toBe("net_a");
    const nested = edited(once, extract(once, "net/dense", "net/out"));
    expect(library(nested).map(({ signature }) => signature?.name)).toEqual(["dense", "net"]);
    expect(nested.nodes.get("net")?.op).toBe("PartitionedCall");
    // The inner function is still called from the outer one.
    const opened = edited(nested, inline(nested, "net"));
    expect(library(opened).map(({ signature }) => signature?.name)).toEqual(["dense"]);
  });
});

describe("what cannot be extracted", () => {
  it("is a placeholder, a fed tensor, or a variable", () => {
    const graph = documentOf([
      placeholder("p"),
      binary("x", "AddV2", "p", "p"),
      binary("y", "Mul", "x", "x"),
    ]);
    expect(why(graph, "p", "x")).toMatch(/^p is fed from outside/);
    const fed = edited(graph, setFeed(graph, "x:0", { kind: "literal", text: "1" }));
    expect(why(fed, "x", "y")).toMatch(/^A run feeds x/);
    expect(why(counter(), "v", "read")).toMatch(/^v holds state/);
  });

  it("is a reference, inside or across the border", () => {
    const graph = documentOf([
      node("v", "VariableV2", [], {
        dtype: type("float32"),
        shape: { value: { $case: "shape", value: { dim: [], unknownRank: false } } },
      }),
      constant("one", "1"),
      node("set", "Assign", ["v", "one"], { T: type("float32") }),
      binary("twice", "AddV2", "v", "v"),
      binary("four", "AddV2", "twice", "twice"),
    ]);
    expect(why(graph, "v", "twice")).toMatch(/^v holds state/);
    expect(why(graph, "set", "one")).toMatch(/^set gives a reference/);
    expect(why(graph, "twice", "four")).toMatch(/^twice reads v by reference/);
    expect(extract(graph, "four").ok).toBe(true);
  });

  it("is half of what is colocated, or what is interrupted", () => {
    const graph = welcome();
    const together = edited(graph, colocate(graph, ["y"], "x"));
    expect(why(together, "x", "z")).toMatch(/^y is to be on the device of x/);
    expect(why(graph, "a", "z")).toMatch(/^. reads from the selection, and z reads from it/);
  });

  it("is half of a condition or of a loop, but not all of it", () => {
    const bool = constant("p", "true", "bool");
    const graph = documentOf([
      bool,
      constant("c", "1"),
      node("s", "Switch", ["c", "p"], { T: type("float32") }),
      node("n", "Neg", ["s:1"], { T: type("float32") }),
      node("m", "Merge", ["s", "n"], { T: type("float32"), N: { value: { $case: "i", value: 2n } } }),
      binary("x", "AddV2", "m", "m"),
    ]);
    expect(why(graph, "n", "x")).toMatch(
      /^The selection cuts the condition that begins at s: n is in it, and/,
    );
    expect(extract(graph, "s", "n", "m", "x").ok).toBe(true);
    const frame = {
      T: type("float32"),
      frame_name: { value: { $case: "s", value: new TextEncoder().encode("f") } },
    } as const;
    const loop = documentOf([
      constant("c", "1"),
      node("in", "Enter", ["c"], frame),
      node("n", "Neg", ["in"], { T: type("float32") }),
      node("out", "Exit", ["n"], { T: type("float32") }),
      binary("x", "AddV2", "out", "out"),
    ]);
    expect(why(loop, "n")).toMatch(/^The selection cuts the loop that begins at in/);
    expect(extract(loop, "in", "n", "out", "x").ok).toBe(true);
  });

  it("is what would be done without being asked for", () => {
    const graph = counter(binary("other", "Mul", "one", "one"));
    expect(why(graph, "one", "add", "other")).toMatch(/add would be run for other, too/);
  });

  it("is what is not finished or not known", () => {
    const graph = documentOf([binary("x", "AddV2", "", ""), node("u", "NoSuchOp", [])]);
    expect(why(graph, "x")).toBe("An input of x is not connected. Connect it first.");
    expect(why(graph, "u")).toMatch(/NoSuchOp, is not known/);
    expect(why(graph)).toBe("Nothing is selected.");
  });
});

describe("inlining a function", () => {
  const twice = () => {
    const once = edited(welcome(), extract(welcome(), "x", "y"));
    const copy = once.nodes.get("extracted");
    if (!copy) throw new Error("There is no call.");
    return edited(once, {
      ok: true,
      transaction: {
        label: "Call it again",
        operations: [
          {
            type: "nodes",
            changes: [
              {
                after: { ...copy, name: "again", input: ["z", "b", "^a"], device: "/job:worker/task:1" },
                index: 9,
              },
              { after: node("after", "NoOp", ["^again"]), index: 9 },
            ],
          },
        ],
      },
    } satisfies EditResult);
  };

  it("gives each call nodes of its own, on its device, which wait for what it waited for", () => {
    const one = edited(twice(), inline(twice(), "extracted"));
    expect(library(one)).toHaveLength(1);
    const both = edited(one, inline(one, "again"));
    expect(library(both)).toEqual([]);
    expect(both.nodes.get("again/x")).toMatchObject({
      input: ["z", "b", "^a"],
      device: "/job:worker/task:1",
    });
    expect(inputsOf(both, "after")).toEqual(["^again/x", "^again/y"]);
  });

  it("is refused where it would change what is done, or where there is no function", () => {
    expect(reasonOf(inline(welcome(), "x"))).toBe("x calls no function of this graph.");
    const called = edited(counter(), extract(counter(), "one", "add", "read"));
    const definition = library(called)[0];
    definition?.nodeDef.push(node("other", "Neg", ["one:output:0"], { T: type("float32") }));
    definition?.ret.set(definition.signature?.outputArg[0]?.name ?? "", "other:y:0");
    expect(reasonOf(inline(called, "extracted"))).toMatch(/The function does add whenever it is called/);
  });
});
