/** Runs of a part of the open document. */
import { ProblemError } from "../../main/api/wire.js";
import { nodesText } from "../document/edits/types.js";
import { boundaryOf, runnablesOf } from "../document/partial-run.js";
import { parseTensorName } from "../document/tensor-names.js";
import { documentActions, lookupOp, useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { listText } from "../ui/format.js";
import { startPart } from "./run-actions.js";

const words = texts.actions.partialRun;

/** Tensors that a message names. */
const MOST_NAMED = 4;

/** Runs what nodes need, and fetches what they give. */
export async function runTo(names: readonly string[]): Promise<void> {
  const { document } = useDocument.getState();
  const { feeds } = documentActions.runInputs();
  await startPart(
    { feeds, ...runnablesOf(document, lookupOp, names) },
    words.to({ nodes: nodesText(names) }),
  );
}

/**
 * Runs nodes alone: what they read from others is fed with the values of the document's newest run.
 *
 * @throws ProblemError FAILED_PRECONDITION when some of these were not fetched
 */
export async function runAlone(names: readonly string[]): Promise<void> {
  const { document } = useDocument.getState();
  const { latest } = useDocumentRun.getState();
  const fetched = new Set(latest?.fetches.map(({ name }) => name));
  const { reused, missing } = boundaryOf(document, lookupOp, names, (tensor) => fetched.has(tensor));
  const [first] = missing;
  if (first !== undefined) {
    const count = missing.length;
    const tensors = count > MOST_NAMED ? words.tensors({ count }) : listText(missing);
    throw new ProblemError({
      code: "FAILED_PRECONDITION",
      message: words.noValues({ tensors, count }),
      remedy: words.remedy,
      node: parseTensorName(first).node,
    });
  }
  const { feeds } = documentActions.runInputs();
  const part = { feeds, ...runnablesOf(document, lookupOp, names) };
  const values = latest && reused.length > 0 ? { reused: { runId: latest.runId, names: [...reused] } } : {};
  await startPart({ ...part, ...values }, words.alone({ nodes: nodesText(names) }));
}
