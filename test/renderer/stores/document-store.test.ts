import { beforeEach, describe, expect, it } from "vitest";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { writeDocument } from "../../../renderer/document/document-file.js";
import { opEntries } from "../../../renderer/document/op-entries.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useOps } from "../../../renderer/stores/ops-store.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";
import { constant, documentOf, welcome } from "../document/graphs.js";

const state = () => useDocument.getState();

function load(document = welcome()): void {
  documentActions.load({ name: "g", kind: "meta_graph", format: "text", metaGraph: writeDocument(document) });
}

describe("the document store", () => {
  beforeEach(() => {
    const ops = bundledOpRegistry();
    useOps.setState({ state: "ready", ops, entries: opEntries(ops.names()) });
    load();
  });

  it("offers undo with the words of the last edit, and forgets it with another document", () => {
    documentActions.pin(["x", "y", "z"], "/job:worker/task:1");
    expect(state()).toMatchObject({
      dirty: true,
      canUndo: true,
      undoLabel: "Pin 3 nodes to worker/1",
      canRedo: false,
    });
    documentActions.undo();
    expect(state()).toMatchObject({ dirty: false, canUndo: false, redoLabel: "Pin 3 nodes to worker/1" });
    load();
    expect(state()).toMatchObject({ canUndo: false, canRedo: false, dirty: false });
  });

  it("keeps the revision over moves, fetches and undo, so that values do not become old for nothing", () => {
    const { revision } = state();
    documentActions.moveNodes(new Map([["a", { x: 1, y: 2 }]]));
    documentActions.toggleFetch("x:0");
    expect(state().revision).toBe(revision);
    documentActions.deleteNodes(["y"]);
    const later = state().revision;
    expect(later).not.toBe(revision);
    documentActions.undo();
    expect(state().revision).toBe(revision);
    documentActions.redo();
    expect(state().revision).toBe(later);
    documentActions.setFeed("a:0", { kind: "literal", text: "1" });
    expect(state().revision).not.toBe(later);
  });

  it("says why an edit was refused, until the next one", () => {
    expect(documentActions.rename("z", "y")).toBe(false);
    expect(state().refusal).toBe("Another node is named y.");
    documentActions.rename("z", "sum");
    expect(state().refusal).toBeUndefined();
    expect([...state().selection]).toEqual(["sum"]);
  });

  it("says it once, where the edit was made, or until something else is selected", () => {
    documentActions.rename("z", "y");
    expect(documentActions.takeRefusal()).toBe("Another node is named y.");
    expect(state().refusal).toBeUndefined();
    documentActions.rename("z", "y");
    documentActions.select(["a"]);
    expect(state().refusal).toBeUndefined();
  });

  it("takes deleted nodes out of the selection and reports what is missing", () => {
    documentActions.select(["x", "y"]);
    documentActions.deleteSelection();
    expect(state().selection.size).toBe(0);
    expect(documentActions.runBlockers().map(({ node }) => node)).toEqual(["z", "z"]);
    documentActions.undo();
    expect(documentActions.runBlockers()).toEqual([]);
  });

  it("fetches what was switched on beside what a run gives anyway, and always something", () => {
    documentActions.toggleFetch("x:0");
    expect(documentActions.runInputs(100).fetches).toEqual(["z:0", "x:0"]);
    documentActions.toggleFetch("x:0");
    expect(documentActions.toggleFetch("z:0")).toBe(false);
    expect(state().refusal).toContain("has to fetch or run something");
  });

  it("gives the graph to run without places, and the same nodes again after saving", () => {
    const graph = GraphDef.decode(documentActions.toRunGraph());
    expect(
      graph.node.flatMap(({ attr }) => [...attr.keys()]).some((key) => key.startsWith("_tensordeck")),
    ).toBe(false);
    const before = [...state().document.nodes.values()];
    documentActions.load({
      name: "g",
      kind: "meta_graph",
      format: "text",
      metaGraph: documentActions.toMetaGraph(),
    });
    expect([...state().document.nodes.values()]).toEqual(before);
  });

  it("copies from one document to another", () => {
    documentActions.select(["x"]);
    const text = documentActions.copiedText() ?? "";
    load(documentOf([constant("a", "1")]));
    expect(documentActions.pasteText(text)).toBe(true);
    expect(state().document.nodes.get("x")?.input).toEqual(["a", ""]);
  });
});
