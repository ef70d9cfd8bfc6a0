import { useDocument } from "./document-store.js";
import { useDocumentRun } from "./run-store.js";

/** True when what the document's newest run measured is of before the last edit. */
export function useBeforeEdit(): boolean {
  const revision = useDocument((state) => state.revision);
  return useDocumentRun((state) => state.latest !== undefined && state.runRevision !== revision);
}
