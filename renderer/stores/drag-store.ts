/**
 * A drag in progress: nodes of the document over the cluster panel, or an op from the ops panel over the canvas. It
 * ends when another document is shown.
 */
import { onSessionChange, openSessions, perDocument } from "./document-session.js";

export interface DragStore {
  /** Nodes that are being dragged; empty when none are. */
  readonly nodes: readonly string[];
  /** The task row under the pointer. */
  readonly overTaskId: string | undefined;
  /** Device of that row, "/job:worker/task:0". */
  readonly overDevice: string | undefined;
  /** Name of the op that is dragged out of the ops panel. */
  readonly op: string | undefined;
  /** For the status bar: what a drop would do. */
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

export const useDrag = perDocument<DragStore>(() => still);

export function endDrag(): void {
  useDrag.setState(still);
}

onSessionChange(() => {
  for (const session of openSessions()) useDrag.of(session).setState(still);
});
