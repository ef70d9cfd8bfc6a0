/** Whether and how the open document's variables are restored. */
import type { RunRequest } from "../../main/api/runs.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useSavedModel } from "../stores/saved-model-store.js";

/** A run's settings for saved values; undefined for a document without any. */
export function restoreRequest(): Pick<RunRequest, "restore"> {
  const { sourceId, withoutValues } = useSavedModel.getState();
  if (useDocument.getState().document.kind !== "saved_model" || sourceId === undefined) return {};
  return { restore: { sourceId, notes: documentActions.toNotes(), wanted: !withoutValues } };
}

/** Makes runs of this document leave out the saved values; their results are marked. */
export function runWithoutValues(): void {
  useSavedModel.setState({ withoutValues: true });
}

/** Makes the next run restore the saved values. */
export function runWithValues(): void {
  useSavedModel.setState({ withoutValues: false });
}
