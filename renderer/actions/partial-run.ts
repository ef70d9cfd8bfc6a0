/** Runs of a part of the open document. */
import { ProblemError } from "../../main/api/wire.js";
import { boundaryOf, runnablesOf } from "../document/partial-run.js";
import { parseTensorName } from "../document/tensor-names.js";
import { documentActions, lookupOp, useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { countText, listText } from "../ui/format.js";
import { startPart } from "./run-actions.js";

/** Tensors that a message names. */
const MOST_NAMED = 4;

/** Runs what nodes need, and fetches what they give. */
export async function runTo(names: readonly string[]): Promise<void> {
  const { document } = useDocument.getState();
  const { feeds } = documentActions.runInputs();
  await startPart({ feeds, ...runnablesOf(document, lookupOp, names) }, `to ${nodesName(names)}`);
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
    const named = missing.length > MOST_NAMED ? countText(missing.length, "tensor") : listText(missing);
    const verb = missing.length === 1 ? "has" : "have";
    throw new ProblemError({
      code: "FAILED_PRECONDITION",
      message: `${named} ${verb} no value of an earlier run.`,
      remedy: "Run the graph to there first.",
      node: parseTensorName(first).node,
    });
  }
  const { feeds } = documentActions.runInputs();
  const part = { feeds, ...runnablesOf(document, lookupOp, names) };
  const values = latest && reused.length > 0 ? { reused: { runId: latest.runId, names: [...reused] } } : {};
  await startPart({ ...part, ...values }, `${nodesName(names)} alone`);
}

function nodesName(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? "") : countText(names.length, "node");
}
