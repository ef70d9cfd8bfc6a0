/** A drag that goes on: nodes over the cluster panel, or an op from the ops panel over the canvas. */
import { create } from "zustand";

export interface DragStore {
  /** Nodes that are being dragged; empty when none are. */
  readonly nodes: readonly string[];
  /** The task row under the pointer. */
  readonly overTaskId: string | undefined;
  /** Device of that row, "/job:worker/task:0". */
  readonly overDevice: string | undefined;
  /** Name of the op that is dragged out of the ops panel. */
  readonly op: string | undefined;
  /** For the status bar: what letting go would do. */
  readonly status: string | undefined;
  /** Pointer in client coordinates. */
  readonly pointer: { readonly x: number; readonly y: number } | undefined;
}

const still: DragStore = {
  nodes: [],
  overTaskId: undefined,
  overDevice: undefined,
  op: undefined,
  status: undefined,
  pointer: undefined,
};

export const useDrag = create<DragStore>()(() => still);

export function endDrag(): void {
  useDrag.setState(still);
}
