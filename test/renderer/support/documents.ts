/** Documents and runs in the window's stores, for tests of components. */
import type { RunUpdate } from "../../../main/api/runs.js";
import { writeDocument } from "../../../renderer/document/document-file.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import { opEntries } from "../../../renderer/document/op-entries.js";
import { documentActions, useDocument } from "../../../renderer/stores/document-store.js";
import { useOps } from "../../../renderer/stores/ops-store.js";
import { originOf } from "../../../renderer/stores/run-origin.js";
import { useDocumentRun, useRun } from "../../../renderer/stores/run-store.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";

/** Loads TensorFlow's op list. */
export function readOps(): void {
  const ops = bundledOpRegistry();
  useOps.setState({ state: "ready", ops, entries: opEntries(ops.names()), source: "TensorFlow 2.21" });
}

/** Opens a document, with TensorFlow's op list. */
export function openDocument(document: GraphDocument): void {
  readOps();
  const { id, name, kind, format } = document;
  documentActions.load({ id, name, kind, format, metaGraph: writeDocument(document) });
}

/** A finished run of one step of the open document. */
export function runOf(more: Partial<RunUpdate> = {}): RunUpdate {
  return {
    runId: "r1",
    origin: originOf(useDocument.getState().document),
    state: "done",
    step: 1,
    steps: 1,
    trace: false,
    elapsedMillis: 2,
    currentMillis: 0,
    stepMillis: 2,
    fetches: [],
    nodes: [],
    transfers: [],
    ...more,
  };
}

/** Shows a run as the newest one of the open document in its current state. */
export function showRun(run: RunUpdate): void {
  useRun.setState({ newest: run });
  useDocumentRun.setState({ latest: run, runRevision: useDocument.getState().revision });
}
