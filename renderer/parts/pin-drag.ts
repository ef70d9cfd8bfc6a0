/** Dragging nodes out of the canvas onto a task row of the cluster panel. */

import { taskDevice, taskName } from "../cluster/task-name.js";
import { useCluster } from "../stores/cluster-store.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { endDrag, useDrag } from "../stores/drag-store.js";

export interface PointerPlace {
  readonly clientX: number;
  readonly clientY: number;
}

/** The place of a mouse or touch event. */
export function placeOf(event: { readonly nativeEvent?: Event } | Event): PointerPlace {
  const native = "nativeEvent" in event && event.nativeEvent ? event.nativeEvent : (event as Event);
  if (native instanceof MouseEvent) return native;
  const touch =
    typeof TouchEvent !== "undefined" && native instanceof TouchEvent ? native.changedTouches[0] : undefined;
  return { clientX: touch?.clientX ?? 0, clientY: touch?.clientY ?? 0 };
}

/** True while the pointer is over the canvas itself. */
export function overCanvas({ clientX, clientY }: PointerPlace): boolean {
  return document.elementFromPoint(clientX, clientY)?.closest("[data-canvas]") !== null;
}

/** Follows the pointer; shows what a drop here would do. */
export function trackPinDrag(names: readonly string[], place: PointerPlace): void {
  const { clientX, clientY } = place;
  const row = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-task-id]");
  const task = useCluster.getState().tasks.find(({ id }) => id === row?.dataset.taskId);
  const overDevice = row?.dataset.device ?? (task ? taskDevice(task) : undefined);
  useDrag.setState({
    nodes: names,
    overTaskId: row?.dataset.taskId,
    overDevice,
    pointer: { x: clientX, y: clientY },
    status: task && overDevice ? dropText(names, taskName(task), overDevice) : undefined,
  });
}

function dropText(names: readonly string[], task: string, device: string): string {
  const { nodes } = useDocument.getState().document;
  const moving = names.filter((name) => nodes.get(name)?.device !== device).length;
  if (moving === 0)
    return `${names.length === 1 ? (names[0] ?? "") : "All of them"} already pinned to ${task}`;
  const what = moving === 1 ? "1 node" : `${moving} nodes`;
  return `Pin ${what} to ${task}. Esc cancels. One undo step.`;
}

/** Drops the nodes. True if they were over a task row and return to their position. */
export function dropOnTask(): boolean {
  const { nodes, overDevice } = useDrag.getState();
  endDrag();
  if (overDevice === undefined) return false;
  documentActions.pin(nodes, overDevice);
  return true;
}
