// @vitest-environment happy-dom
/** Functions that are open in a document, beside the document itself. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { enteringCommands } from "../../../renderer/commands/function-commands.js";
import { writeDocument } from "../../../renderer/document/document-file.js";
import { extractFunction } from "../../../renderer/document/edits/extract-function.js";
import { libraryOf } from "../../../renderer/document/library.js";
import {
  activateSession,
  activeGraph,
  activeSession,
  closeSession,
  inSession,
  openFunctions,
  openSession,
} from "../../../renderer/stores/document-session.js";
import { documentActions, useDocument, useGraph } from "../../../renderer/stores/document-store.js";
import { functionActions } from "../../../renderer/stores/function-actions.js";
import { leaveFunctions, openFunction, shownFunction } from "../../../renderer/stores/function-bodies.js";
import { hasScopes } from "../../../renderer/stores/graph-view-store.js";
import { useDocumentRun, useGraphRun } from "../../../renderer/stores/run-store.js";
import { useEntering } from "../../../renderer/viewport/entering.js";
import { goBack, goForward, goIntoFunction, selectInGraph } from "../../../renderer/viewport/travel.js";
import { binary, constant, documentOf, edited, lookup, welcome } from "../document/graphs.js";
import { openDocument } from "../support/documents.js";

const names = () => [...useGraph.getState().document.nodes.keys()];
const selected = () => [...useGraph.getState().selection];
const wholeNames = () => [...useDocument.getState().document.nodes.keys()];
const functionNames = () => [...libraryOf(useDocument.getState().document.metaGraph).keys()];
const path = () => openFunctions(activeSession()).length;

beforeEach(() => {
  const document = welcome();
  openDocument(edited(document, extractFunction(document, lookup, ["x", "y"])));
});

describe("a function that is opened", () => {
  it("is shown in place of the graph, whose edits, selection and refusals are its own", () => {
    documentActions.select(["z"]);
    expect(openFunction("extracted")).toBe(true);
    expect(shownFunction()).toBe("extracted");
    expect(names()).toEqual(["a", "b", "x", "y", "x_1", "y_1"]);
    expect(wholeNames()).toEqual(["a", "b", "extracted", "z"]);
    expect(selected()).toEqual([]);
    documentActions.select(["x", "z"]);
    expect(selected()).toEqual(["x"]);
    expect(documentActions.deleteNodes(["a"])).toBe(false);
    expect(useGraph.getState().refusal).toMatch(/argument of extracted/);
    expect(useDocument.getState()).toMatchObject({ refusal: undefined, dirty: false });
    leaveFunctions();
    expect(selected()).toEqual(["z"]);
    expect(openFunction("nowhere")).toBe(false);
    expect(path()).toBe(0);
  });

  it("is edited in the one history of the document, and undone where it was edited", () => {
    openFunction("extracted");
    documentActions.rename("y", "product");
    expect(names()).toContain("product");
    expect(selected()).toEqual(["product"]);
    expect(useDocument.getState()).toMatchObject({ dirty: true, undoLabel: "Rename y to product" });
    leaveFunctions();
    documentActions.pin(["z"], "/job:worker");
    documentActions.undo();
    expect(shownFunction()).toBeUndefined();
    documentActions.undo();
    expect(shownFunction()).toBe("extracted");
    expect(names()).toContain("y");
    expect(useDocument.getState()).toMatchObject({ dirty: false, canUndo: false });
    leaveFunctions();
    documentActions.redo();
    expect(shownFunction()).toBe("extracted");
    expect(names()).toContain("product");
    documentActions.redo();
    expect(shownFunction()).toBeUndefined();
  });

  it("is saved with the document, and runs with it", () => {
    openFunction("extracted");
    documentActions.rename("y", "product");
    const whole = useDocument.getState().document;
    expect(documentActions.toMetaGraph()).toEqual(writeDocument(whole));
    expect(documentActions.runInputs(2).fetches).toEqual(["z:0"]);
    expect(documentActions.runBlockers()).toEqual([]);
    documentActions.setSteps(7);
    expect(useDocument.getState().document.runConfig.steps).toBe(7);
    expect(names()).toContain("product");
  });

  it("makes earlier values those of before the edit, unless only places differ", () => {
    openFunction("extracted");
    const { revision } = useDocument.getState();
    documentActions.moveNodes(new Map([["x", { x: 7, y: 7 }]]));
    expect(useDocument.getState()).toMatchObject({ revision, dirty: true });
    documentActions.rename("y", "product");
    expect(useDocument.getState().revision).not.toBe(revision);
  });

  it("has no values of its own: a run is one of the graph", () => {
    useDocumentRun.setState({ latest: { runId: "r" } as never });
    expect(useGraphRun.getState().latest).toBeDefined();
    openFunction("extracted");
    expect(useGraphRun.getState().latest).toBeUndefined();
    expect(useDocumentRun.getState().latest).toBeDefined();
    useDocumentRun.setState({ latest: undefined });
  });

  it("stays open under another name, and is left with its last call", () => {
    openFunction("extracted");
    functionActions.rename("extracted", "both");
    expect(shownFunction()).toBe("both");
    documentActions.undo();
    expect(shownFunction()).toBe("extracted");
    const session = activeSession();
    inSession(session, () => functionActions.inline("extracted"));
    expect(functionNames()).toEqual([]);
    expect([path(), activeGraph()]).toEqual([0, session]);
  });

  it("stays open in its tab while another is shown, and is gone with another document in its place", () => {
    const session = activeSession();
    openFunction("extracted");
    const other = openSession();
    expect(shownFunction()).toBeUndefined();
    activateSession(session);
    expect(shownFunction()).toBe("extracted");
    openDocument(welcome());
    expect([path(), wholeNames().length]).toEqual([0, 5]);
    closeSession(other);
  });
});

describe("the way through functions", () => {
  it("leads back and forward, with what was selected", () => {
    openFunction("extracted");
    functionActions.extract(["x", "y"]);
    leaveFunctions();
    documentActions.select(["extracted"]);
    goIntoFunction("extracted");
    documentActions.select(["extracted_1"]);
    goIntoFunction("extracted_1");
    expect([shownFunction(), path()]).toEqual(["extracted_1", 2]);
    goBack();
    expect([shownFunction(), selected()]).toEqual(["extracted", ["extracted_1"]]);
    goBack();
    expect([shownFunction(), selected()]).toEqual([undefined, ["extracted"]]);
    goForward();
    goForward();
    expect([shownFunction(), path()]).toEqual(["extracted_1", 2]);
    selectInGraph(["z"]);
    expect([shownFunction(), selected()]).toEqual([undefined, ["z"]]);
    goBack();
    expect(shownFunction()).toBe("extracted_1");
  });

  it("ends at functions that are gone", () => {
    goIntoFunction("extracted");
    leaveFunctions();
    functionActions.inline("extracted");
    goBack();
    goForward();
    expect(shownFunction()).toBeUndefined();
  });
});

/** A function of so many nodes in scopes of 50, and a call of it. */
function largeFunction(count: number): void {
  const nodes = Array.from({ length: count }, (_, index) =>
    binary(`layer_${Math.floor(index / 50)}/n${index}`, "AddV2", index === 0 ? "a" : nameAt(index - 1), "a"),
  );
  const inner = documentOf([constant("a", "1"), ...nodes, binary("end", "Neg", nameAt(count - 1), "a")], {
    layout: new Map(),
  });
  const names = nodes.map(({ name }) => name);
  openDocument(edited(inner, extractFunction(inner, lookup, names)));
}

const nameAt = (index: number) => `layer_${Math.floor(index / 50)}/n${index}`;

describe("a function of thousands of nodes", () => {
  it("is gone through in slices before it is shown, and shown in its scopes", async () => {
    largeFunction(5000);
    const [name = ""] = functionNames();
    goIntoFunction(name);
    // The graph stays until it is ready.
    expect(shownFunction()).toBeUndefined();
    await vi.waitFor(() => expect(shownFunction()).toBe(name), { timeout: 30_000 });
    expect(useGraph.getState().document.nodes.size).toBe(5002);
    expect(hasScopes()).toBe(true);
    expect(useGraph.getState().document.layout.size).toBe(0);
    documentActions.rename(nameAt(7), "layer_0/renamed");
    expect(hasScopes()).toBe(true);
    goBack();
    goForward();
    expect([shownFunction(), names().includes("layer_0/renamed")]).toEqual([name, true]);
  });

  it("says what is found out of it meanwhile, and is not opened when that is cancelled", async () => {
    largeFunction(1500);
    const [name = ""] = functionNames();
    const told: string[] = [];
    const unsubscribe = useEntering.subscribe(({ entered }) => told.push(entered?.stage ?? "ready"));
    goIntoFunction(name);
    expect(useEntering.getState().entered).toEqual({ name, size: 1500, stage: "nodes" });
    enteringCommands.cancel.now().run();
    expect(useEntering.getState().entered).toBeUndefined();
    expect(enteringCommands.cancel.now().reason).toBe("No function is being opened.");
    told.length = 0;
    goIntoFunction(name);
    await vi.waitFor(() => expect(shownFunction()).toBe(name), { timeout: 30_000 });
    unsubscribe();
    // Once: what was cancelled did not go on.
    expect(told).toEqual(["ready", "nodes", "scopes", "shapes", "ready"]);
    expect(path()).toBe(1);
  });

  it("is not opened where the user went on meanwhile", async () => {
    largeFunction(1500);
    const [name = ""] = functionNames();
    goIntoFunction(name);
    openDocument(welcome());
    goIntoFunction(name);
    // Whatever was begun has ended when a later preparation has.
    largeFunction(1500);
    goIntoFunction(name);
    await vi.waitFor(() => expect(shownFunction()).toBe(name), { timeout: 30_000 });
    expect(path()).toBe(1);
  });
});
