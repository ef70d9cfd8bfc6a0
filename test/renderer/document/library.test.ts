/** The functions of a document's library: listed, renamed, deleted. */
import { describe, expect, it } from "vitest";
import { GradientDef } from "../../../protos/generated/tensorflow/function.js";
import { extractFunction } from "../../../renderer/document/edits/extract-function.js";
import { deleteUnusedFunctions, renameFunction } from "../../../renderer/document/edits/library.js";
import { deleteNodes } from "../../../renderer/document/edits/remove.js";
import { callsOf, functionUses, libraryOf, mainCall, nameOf } from "../../../renderer/document/library.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import { apply, invert } from "../../../renderer/document/operations.js";
import type { OpLookup } from "../../../renderer/document/signature.js";
import { edited, lookup, node, reasonOf, welcome } from "./graphs.js";

function lookupIn({ metaGraph }: GraphDocument): OpLookup {
  const library = libraryOf(metaGraph);
  return (op) => library.get(op)?.signature ?? lookup(op);
}

const func = (name: string) => ({ value: { $case: "func" as const, value: { name, attr: new Map() } } });

/** inner, which outer calls, which the graph calls; and two conditions with them in other places. */
function nested(): GraphDocument {
  let document = welcome();
  document = edited(document, extractFunction(document, lookup, ["x", "y"]));
  document = edited(document, renameFunction(document, lookupIn(document), "extracted", "inner"));
  document = edited(document, extractFunction(document, lookupIn(document), ["extracted"]));
  document = edited(document, renameFunction(document, lookupIn(document), "extracted_1", "outer"));
  const branches = {
    value: {
      $case: "list" as const,
      value: {
        s: [],
        i: [],
        f: [],
        b: [],
        type: [],
        shape: [],
        tensor: [],
        func: [{ name: "inner", attr: new Map([["g", func("inner")]]) }],
      },
    },
  };
  const more = [
    node("if", "If", [], { then_branch: func("inner"), else_branch: func("outer") }),
    node("case", "Case", [], { branches }),
    node("direct", "inner", ["a", "b"]),
  ];
  const graphDef = document.metaGraph.graphDef;
  const library = graphDef?.library;
  return {
    ...document,
    nodes: new Map([...document.nodes, ...more.map((one) => [one.name, one] as const)]),
    metaGraph: {
      ...document.metaGraph,
      graphDef: graphDef && {
        ...graphDef,
        library: library && {
          ...library,
          gradient: [GradientDef.fromPartial({ functionName: "outer", gradientFunc: "inner" })],
        },
      },
    },
  };
}

const usesOf = (document: GraphDocument) =>
  functionUses(document).map(({ definition, calls, isUsed }) => [nameOf(definition), calls, isUsed]);

describe("the functions of a document", () => {
  it("are listed with their calls", () => {
    expect(usesOf(nested())).toEqual([
      ["inner", 4, true],
      ["outer", 2, true],
    ]);
  });

  it("are those that a node names, by its op or by its attributes", () => {
    const document = nested();
    const calls = (name: string) => {
      const caller = document.nodes.get(name);
      return caller ? callsOf(caller, document) : [];
    };
    expect(calls("direct")).toEqual([{ as: "", name: "inner" }]);
    expect(calls("case")).toEqual([{ as: "branches[0]", name: "inner" }]);
    expect(calls("a")).toEqual([]);
    expect(mainCall(calls("if"))).toEqual({ as: "then_branch", name: "inner" });
  });
});

describe("renaming a function", () => {
  it("changes all that name it, and nothing else", () => {
    const document = nested();
    const result = renameFunction(document, lookupIn(document), "inner", "pair");
    const after = edited(document, result);
    expect(usesOf(after)).toEqual([
      ["pair", 4, true],
      ["outer", 2, true],
    ]);
    expect(after.nodes.get("direct")?.op).toBe("pair");
    expect(after.nodes.get("case")?.attr.get("branches")?.value).toMatchObject({
      value: { func: [{ name: "pair", attr: new Map([["g", func("pair")]]) }] },
    });
    expect(after.metaGraph.graphDef?.library?.gradient).toMatchObject([
      { functionName: "outer", gradientFunc: "pair" },
    ]);
    expect(after.nodes.get("a")).toBe(document.nodes.get("a"));
    if (!result.ok) throw new Error(result.reason);
    const back = apply(after, invert(result.transaction.operations));
    expect(back.metaGraph).toBe(document.metaGraph);
    expect([...back.nodes]).toEqual([...document.nodes]);
  });

  it("is refused for a name that is taken, or none", () => {
    const document = nested();
    const why = (to: string) => reasonOf(renameFunction(document, lookupIn(document), "inner", to));
    expect(why("outer")).toBe("An op or another function is named outer.");
    expect(why("MatMul")).toBe("An op or another function is named MatMul.");
    expect(why("1st")).toMatch(/^The name of a function begins/);
    expect(why("inner")).toBe("The name is the same.");
    expect(reasonOf(renameFunction(document, lookupIn(document), "gone", "x"))).toMatch(/no function gone/);
  });
});

describe("deleting unused functions", () => {
  it("takes those that no node leads to, with their gradients", () => {
    const document = nested();
    expect(reasonOf(deleteUnusedFunctions(document))).toBe("Every function is called.");
    const withoutOuter = edited(document, deleteNodes(document, ["extracted_1", "if"]));
    const one = edited(withoutOuter, deleteUnusedFunctions(withoutOuter));
    expect(usesOf(one)).toEqual([["inner", 2, true]]);
    expect(one.metaGraph.graphDef?.library?.gradient).toEqual([]);
    // Called by another one that is not called itself.
    const none = edited(withoutOuter, deleteNodes(withoutOuter, ["case", "direct"]));
    expect(usesOf(none)).toEqual([
      ["inner", 1, false],
      ["outer", 0, false],
    ]);
    expect(usesOf(edited(none, deleteUnusedFunctions(none)))).toEqual([]);
  });
});
