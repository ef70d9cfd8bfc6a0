/** Dragging nodes onto a task: a row of the cluster panel or a lane. */
import { deviceText } from "../document/edits/place.js";
import { recordPerDocument } from "../stores/document-session.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { endDrag, useDrag } from "../stores/drag-store.js";
import { shownFunction } from "../stores/function-bodies.js";
import { sentIfPinned } from "../stores/sent-bytes.js";
import { texts } from "../texts/texts.js";
import { bytesText } from "../ui/format.js";

const words = texts.parts.pinDrag;

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

/** The bytes that would be sent if the dragged nodes were pinned elsewhere; read once for a drag. */
const sending = recordPerDocument((): { sent: ReturnType<typeof sentIfPinned> | undefined } => ({
  sent: undefined,
}));

/** Follows the pointer; shows what a drop here would do. */
export function trackPinDrag(names: readonly string[], place: PointerPlace): void {
  const { clientX, clientY } = place;
  const row = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-device]");
  const overDevice = row?.dataset.device;
  const dragged = useDrag.getState();
  const isNew = dragged.nodes.length === 0;
  if (isNew) sending().sent = undefined;
  const isSameRow = !isNew && overDevice === dragged.overDevice;
  useDrag.setState({
    nodes: names,
    overTaskId: row?.dataset.taskId,
    overDevice,
    pointer: { x: clientX, y: clientY },
    ...(isSameRow ? {} : { status: overDevice === undefined ? undefined : dropText(names, overDevice) }),
  });
}

/** The nodes that are dragged along with some of them: all that are selected, if these are. */
export function draggedWith(names: readonly string[]): readonly string[] {
  const { selection } = useGraph.getState();
  return names.length > 0 && names.every((name) => selection.has(name)) ? [...selection] : names;
}

function dropText(names: readonly string[], device: string): string {
  const { nodes } = useGraph.getState().document;
  const moving = names.filter((name) => nodes.get(name)?.device !== device);
  const task = device === "" ? words.auto : deviceText(device);
  const [name = "", ...others] = names;
  if (moving.length === 0)
    return others.length === 0 ? words.alreadyPinned({ name, task }) : words.allAlreadyPinned({ task });
  const count = moving.length;
  // Sent bytes are known of the graph itself only.
  if (shownFunction() !== undefined)
    return device === "" ? words.unpinInFunction({ count }) : words.pinInFunction({ count, task });
  const change = { count, sent: sentText(names, device) };
  return device === "" ? words.unpin(change) : words.pin({ ...change, task });
}

/** "Sent between tasks in a step: 98 kB instead of 1.2 MB." */
function sentText(names: readonly string[], device: string): string {
  const record = sending();
  record.sent ??= sentIfPinned(names);
  const { before, after } = record.sent(device);
  const [now, then] = [bytesText(before.bytes), bytesText(after.bytes)];
  return now === then ? words.sentAsNow({ now }) : words.sentInstead({ then, now });
}

/** Drops the nodes. True if they were over a task row and return to their position. */
export function dropOnTask(): boolean {
  const { nodes, overDevice } = useDrag.getState();
  endDrag();
  if (overDevice === undefined) return false;
  documentActions.pin(nodes, overDevice);
  return true;
}

/** Less movement than this, in pixels, is a click. */
const DRAG_THRESHOLD = 4;

/**
 * Lets an element be dragged as nodes onto a task. Escape cancels. Answers how to end that.
 *
 * @param names called when a drag begins
 */
export function dragsNodes(element: HTMLElement, names: () => readonly string[]): () => void {
  let from: PointerPlace | undefined;
  let dragged: readonly string[] | undefined;
  const stop = () => {
    from = undefined;
    dragged = undefined;
    window.removeEventListener("pointermove", onMove);
    window.removeEventListener("pointerup", onUp);
    window.removeEventListener("pointercancel", onCancel);
    window.removeEventListener("keydown", onKey, true);
  };
  const onMove = (event: PointerEvent) => {
    if (!from) return;
    const distance = Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY);
    if (!dragged && distance < DRAG_THRESHOLD) return;
    dragged ??= names();
    trackPinDrag(dragged, event);
  };
  const onUp = () => {
    if (dragged) {
      // The press was a drag and no click.
      element.addEventListener("click", keepFromClicking, { capture: true, once: true });
      setTimeout(() => element.removeEventListener("click", keepFromClicking, { capture: true }));
      dropOnTask();
    }
    stop();
  };
  const onCancel = () => {
    if (dragged) endDrag();
    stop();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !dragged) return;
    event.preventDefault();
    event.stopPropagation();
    onCancel();
  };
  const onDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    from = event;
    window.addEventListener("pointermove", onMove);
    window.addEventListener("pointerup", onUp);
    window.addEventListener("pointercancel", onCancel);
    window.addEventListener("keydown", onKey, true);
  };
  element.addEventListener("pointerdown", onDown);
  return () => {
    onCancel();
    element.removeEventListener("pointerdown", onDown);
  };
}

function keepFromClicking(event: Event): void {
  event.stopPropagation();
  event.preventDefault();
}
