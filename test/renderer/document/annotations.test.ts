import { describe, expect, it } from "vitest";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { readDocument, writeDocument } from "../../../renderer/document/document-file.js";
import {
  addAnnotation,
  changeAnnotation,
  deleteAnnotation,
  moveAnnotation,
} from "../../../renderer/document/edits/annotate.js";
import type { Annotation, GraphDocument } from "../../../renderer/document/model.js";
import { DOCUMENT_COLLECTION } from "../../../worker-runtime/graph/private-attrs.js";
import { edited, reasonOf, welcome } from "./graphs.js";

const frame: Omit<Annotation, "id"> = {
  kind: "frame",
  text: "Inputs",
  colour: "blue",
  at: { x: -24, y: -40 },
  width: 400,
  height: 200,
  nodes: ["a", "b"],
};

const framed = (): GraphDocument => edited(welcome(), addAnnotation(welcome(), frame));

function reopened(document: GraphDocument): GraphDocument {
  return readDocument({
    name: "test",
    kind: "meta_graph",
    format: "text",
    metaGraph: writeDocument(document),
  });
}

describe("frames and notes", () => {
  it("are kept in the file, and leave none in a document without any", () => {
    const document = framed();
    expect(reopened(document).annotations).toEqual(document.annotations);
    const without = edited(document, deleteAnnotation(document, "frame 1"));
    expect(reopened(without).annotations).toEqual([]);
    const { collectionDef } = MetaGraphDef.decode(writeDocument(welcome()));
    expect(collectionDef.has(DOCUMENT_COLLECTION)).toBe(false);
  });

  it("of a file that cannot be read are left out", () => {
    const broken = { ...framed(), annotations: [{ ...frame, id: "one", width: -5 }] };
    expect(reopened(broken).annotations).toEqual([]);
  });

  it("move with the nodes and notes in them, as one step", () => {
    const note = { ...frame, kind: "note" as const, at: { x: 0, y: 60 }, width: 96, height: 48 };
    const start = edited(framed(), addAnnotation(framed(), note));
    const result = edited(start, moveAnnotation(start, "frame 1", { x: 16, y: 8 }, ["a"]));
    expect(result.annotations.map(({ at }) => at)).toEqual([
      { x: -8, y: -32 },
      { x: 16, y: 68 },
    ]);
    expect(result.layout.get("a")).toEqual({ x: 16, y: 8 });
    expect(result.layout.get("b")).toEqual(start.layout.get("b"));
  });

  it("stay large enough to be read, and have names of their own", () => {
    const document = framed();
    const small = edited(document, changeAnnotation(document, "frame 1", { width: 1, height: 1 }));
    expect(small.annotations[0]).toMatchObject({ width: 96, height: 48 });
    const second = edited(document, addAnnotation(document, frame));
    expect(second.annotations.map(({ id }) => id)).toEqual(["frame 1", "frame 2"]);
    expect(reasonOf(changeAnnotation(document, "frame 1", { text: "Inputs" }))).toBe("Nothing was changed.");
    expect(reasonOf(deleteAnnotation(document, "frame 9"))).toBe("It is no longer there.");
  });
});
