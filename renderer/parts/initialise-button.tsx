import type { ReactElement } from "react";
import { initialiseAndRunAgain } from "../actions/initialise-actions.js";
import { restoreRequest } from "../actions/restore-actions.js";
import { attempt } from "../stores/app-store.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { useSavedModel } from "../stores/saved-model-store.js";

/** After a run that failed because variables have no value: gives them one and runs again, with one click. */
export function InitialiseButton({ className }: { className: string }): ReactElement | null {
  useDocument((state) => state.document.nodes);
  const run = useDocumentRun((state) => state.latest);
  const withoutValues = useSavedModel((state) => state.withoutValues);
  // A SavedModel has its own values; others are only for whoever said to leave those out.
  if (restoreRequest().restore && !withoutValues) return null;
  const { targets, missing } = documentActions.initialisation();
  if (run === undefined || targets.length + missing.length === 0) return null;
  return (
    <button type="button" className={className} onClick={() => attempt(() => initialiseAndRunAgain(run))}>
      {labelOf(targets, missing)}, then run again
    </button>
  );
}

function labelOf(targets: readonly string[], missing: readonly string[]): string {
  const [variable] = missing;
  if (variable !== undefined) {
    return missing.length === 1 ? `Start ${variable} at zero` : `Start ${missing.length} variables at zero`;
  }
  return targets.length === 1 ? `Run ${targets[0] ?? ""}` : `Run ${targets.length} initializers`;
}
