import { useDocument } from "./document-store.js";
import { useDocumentRun } from "./run-store.js";

/** True when the results of the document's newest run are from before the last edit. */
export function useBeforeEdit(): boolean {
  const revision = useDocument((state) => state.revision);
  return useDocumentRun((state) => state.latest !== undefined && state.runRevision !== revision);
}
