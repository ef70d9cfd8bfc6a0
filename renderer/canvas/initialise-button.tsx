import type { ReactElement } from "react";
import { attempt } from "../stores/app-store.js";
import { initialise } from "../stores/document-initialise.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { startRun } from "../stores/run-actions.js";

/** After a run that failed because variables have no value: gives them one and runs again, with one click. */
export function InitialiseButton({ className }: { className: string }): ReactElement | null {
  useDocument((state) => state.document.nodes);
  const { targets, missing } = documentActions.initialisation();
  if (targets.length + missing.length === 0) return null;
  return (
    <button type="button" className={className} onClick={() => attempt(initialiseAndRun)}>
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

async function initialiseAndRun(): Promise<void> {
  const { missing } = documentActions.initialisation();
  if (missing.length > 0 && !documentActions.giveFirstValue(missing)) return;
  if (await initialise(documentActions.initialisation().targets)) await startRun(1);
}
