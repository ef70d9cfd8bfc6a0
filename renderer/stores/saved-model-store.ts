/** The SavedModel of the open document, from which its variables are restored. */
import { perDocument } from "./document-session.js";

export interface SavedModelStore {
  /** Identifies the application's data for the document's file. */
  readonly sourceId: string | undefined;
  /** The user runs the SavedModel without its saved values; until they are wanted again or another document is opened. */
  readonly withoutValues: boolean;
}

export const useSavedModel = perDocument<SavedModelStore>(() => ({
  sourceId: undefined,
  withoutValues: false,
}));
