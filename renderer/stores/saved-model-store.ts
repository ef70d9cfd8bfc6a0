/** What the open document is beyond its graph: whose saved values its variables have. */
import { perDocument } from "./document-session.js";

export interface SavedModelStore {
  /** Names what the application holds of the document's file. */
  readonly sourceId: string | undefined;
  /** The user runs the SavedModel without its saved values; until they are wanted again or another document is opened. */
  readonly withoutValues: boolean;
}

export const useSavedModel = perDocument<SavedModelStore>(() => ({
  sourceId: undefined,
  withoutValues: false,
}));
