import { describe, expect, it } from "vitest";
import { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { OpDef } from "../../../protos/generated/tensorflow/op_def.js";
import { clipOfText, clipText } from "../../../renderer/document/clip-text.js";
import { paste } from "../../../renderer/document/edits/paste.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import { constant, documentOf, edited, node, welcome } from "./graphs.js";

/** A function of no arguments whose body is one call. */
function functionNamed(name: string, calls: string): FunctionDef {
  const signature = OpDef.fromPartial({ name });
  return { ...FunctionDef.fromPartial({}), signature, nodeDef: [node("call", calls)] };
}

function withFunctions(document: GraphDocument, functions: readonly FunctionDef[]): GraphDocument {
  const graphDef = GraphDef.fromPartial({ library: { function: [...functions] } });
  return { ...document, metaGraph: { ...document.metaGraph, graphDef } };
}

describe("nodes as text", () => {
  it("come back with their places and the edges among them", () => {
    const document = welcome();
    const text = clipText(document, new Set(["a", "x"])) ?? "";
    const clip = clipOfText(text);
    const again = edited(documentOf([]), paste(documentOf([]), clip, clip.origin, "paste"));
    expect(clipText(again, new Set(["a", "x"]))).toBe(text.replace('input: "b"', 'input: ""'));
    const a = document.layout.get("a") ?? { x: 0, y: 0 };
    const x = document.layout.get("x") ?? { x: 0, y: 0 };
    expect(clip.origin).toEqual({ x: Math.min(a.x, x.x), y: Math.min(a.y, x.y) });
    const pasted = edited(document, paste(document, clip, { x: 1000, y: 1000 }, "paste"));
    expect(pasted.nodes.get("x_1")?.input).toEqual(["a_1", "b"]);
    expect(pasted.layout.get("x_1")).toEqual({
      x: 1000 + x.x - clip.origin.x,
      y: 1000 + x.y - clip.origin.y,
    });
  });

  it("bring the functions that they call, also through each other, and no others", () => {
    const source = withFunctions(documentOf([node("call", "outer"), constant("c", "1")]), [
      functionNamed("outer", "inner"),
      functionNamed("inner", "NoOp"),
      functionNamed("unused", "NoOp"),
    ]);
    const clip = clipOfText(clipText(source, new Set(["call"])) ?? "");
    expect(clip.functions.map(({ signature }) => signature?.name)).toEqual(["outer", "inner"]);
    const target = documentOf([constant("c", "1")]);
    const pasted = edited(target, paste(target, clip, { x: 0, y: 0 }, "paste"));
    const library = pasted.metaGraph.graphDef?.library?.function ?? [];
    expect(library.map(({ signature }) => signature?.name)).toEqual(["outer", "inner"]);

    const other = withFunctions(target, [functionNamed("inner", "Const")]);
    expect(paste(other, clip, { x: 0, y: 0 }, "paste")).toMatchObject({
      ok: false,
      reason: expect.stringContaining("another function named inner"),
    });
  });

  it("are laid out where the text says no places, and may be a whole MetaGraphDef", () => {
    const clip = clipOfText('graph_def { node { name: "p" op: "NoOp" } node { name: "q" op: "NoOp" } }');
    expect([...clip.offsets.keys()]).toEqual(["p", "q"]);
    expect(clip.offsets.get("p")).not.toEqual(clip.offsets.get("q"));
  });

  it("say clearly that a text is something else, and where nodes cannot be read", () => {
    expect(() => clipOfText("")).toThrow("The clipboard holds no nodes.");
    expect(() => clipOfText("eggs, milk")).toThrow("The clipboard holds no nodes.");
    expect(() => clipOfText("versions { producer: 1 }")).toThrow("The clipboard holds no nodes.");
    expect(() => clipOfText('node { name: "a" opp: "NoOp" }')).toThrow(/cannot be read: .*opp/s);
    expect(() => clipOfText('node { name: "a" op: "NoOp" } node { name: "a" op: "NoOp" }')).toThrow(
      "two nodes named a",
    );
  });
});
