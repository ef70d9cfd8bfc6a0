/** Unsaved edits that a crash left behind. */
import { create } from "zustand";
import type { Draft } from "../../main/api/drafts.js";

export interface DraftsStore {
  /** Drafts that no window works on, the newest first. */
  readonly drafts: readonly Draft[];
}

export const useDrafts = create<DraftsStore>()(() => ({ drafts: [] }));
