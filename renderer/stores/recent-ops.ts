/** Ops of which nodes were added since the window was opened. */
import { create } from "zustand";

const MAX_RECENT = 8;

export interface RecentOpsStore {
  /** Newest first. */
  readonly ops: readonly string[];
}

export const useRecentOps = create<RecentOpsStore>()(() => ({ ops: [] }));

/** Remembers that a node of the op was added. */
export function noteUse(op: string): void {
  useRecentOps.setState(({ ops }) => ({
    ops: [op, ...ops.filter((one) => one !== op)].slice(0, MAX_RECENT),
  }));
}
