/** Which document a run belongs to. What a run measured is shown in the document that it computes, and in no other. */

import type { FeedValue } from "../../main/api/feeds.js";
import { isOfDocument, type RunDocument, type RunOrigin } from "../../main/api/run-state.js";
import type { RunUpdate } from "../../main/api/runs.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { Digest } from "../document/digest.js";
import { graphToRun } from "../document/document-file.js";
import type { GraphDocument } from "../document/model.js";
import { MANY_STEPS, useDocumentRun, useRun } from "./run-store.js";

/** Tells the document's runs from those of others. */
export function runDocumentOf({ id, name, path }: Pick<GraphDocument, "id" | "name" | "path">): RunDocument {
  return { id, document: name, ...(path === undefined ? {} : { path }) };
}

const origins = new WeakMap<GraphDocument, RunOrigin>();

/** @param graph the document's serialized GraphDef to run, if already available */
export function originOf(document: GraphDocument, graph?: Uint8Array): RunOrigin {
  const known = origins.get(document);
  if (known) return known;
  const digest = new Digest().bytes(graph ?? GraphDef.encode(graphToRun(document)).finish());
  for (const [tensor, value] of Object.entries(document.runConfig.feeds).sort(byName))
    addFeed(digest.text(tensor), value);
  const origin = { ...runDocumentOf(document), digest: digest.hex() };
  origins.set(document, origin);
  return origin;
}

function byName([one]: [string, FeedValue], [other]: [string, FeedValue]): number {
  return one < other ? -1 : 1;
}

function addFeed(digest: Digest, value: FeedValue): void {
  digest.text(value.kind);
  if (value.kind === "literal") {
    digest.text(value.text);
    return;
  }
  if (value.kind === "file") digest.text(value.path);
  else digest.text(value.name).bytes(value.bytes);
  const { kind, column = null, feature = null, batched = false } = value;
  digest.text(JSON.stringify([column, feature, batched, (kind === "content" && value.pixels) || null]));
}

/** Whether the values of a run belong to the current state of a document. Also true after a reload of the window. */
export function computes(run: RunUpdate, document: GraphDocument): boolean {
  const { origin } = run;
  // Another window may have opened it, too. The digest of a large graph takes a while, its name does not.
  const mayBe = isOfDocument(origin, runDocumentOf(document)) || origin?.document === document.name;
  return mayBe && origin?.digest === originOf(document).digest;
}

/** Removes what is of the runs of the previous document. Called when another one was opened, with its revision. */
export function showRunOf(document: GraphDocument, revision: number): void {
  const { newest } = useRun.getState();
  const latest = newest && computes(newest, document) ? newest : undefined;
  useDocumentRun.setState({
    ...{ latest, runRevision: latest && revision },
    manySteps: MANY_STEPS,
  });
}
