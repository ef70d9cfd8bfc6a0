import { perDocument } from "./document-session.js";

export interface TensorTabsStore {
  /** Tensors of the document that are open as tabs of the dock, in the order they were opened. */
  readonly names: readonly string[];
}

export const useTensorTabs = perDocument<TensorTabsStore>(() => ({ names: [] }));
