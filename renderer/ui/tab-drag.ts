/** Dragging a tab to another place in its bar. */
import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";

const TAB = "tab";
const BAR = "bar";

/** The side of a tab at which the dragged one lands. */
export type TabSide = "before" | "after";

interface TabDrag {
  readonly id: string;
  /** Tabs are moved within one bar. */
  readonly bar: string;
  /** Undefined: the dragged tab is not over this one. */
  onOver(side: TabSide | undefined): void;
  onDrop(dragged: string, side: TabSide): void;
}

/** Lets a tab be dragged, and others of its bar be dropped on it. Returns a function that ends that. */
export function dragsTab(element: HTMLElement, { id, bar, onOver, onDrop }: TabDrag): () => void {
  const sideAt = (x: number): TabSide => {
    const { left, width } = element.getBoundingClientRect();
    return x < left + width / 2 ? "before" : "after";
  };
  const draggedId = (data: Record<string | symbol, unknown>): string | undefined =>
    data[BAR] === bar && typeof data[TAB] === "string" ? data[TAB] : undefined;
  return combine(
    draggable({ element, getInitialData: () => ({ [TAB]: id, [BAR]: bar }) }),
    dropTargetForElements({
      element,
      canDrop: ({ source }) => draggedId(source.data) !== undefined,
      onDrag: ({ source, location }) =>
        onOver(draggedId(source.data) === id ? undefined : sideAt(location.current.input.clientX)),
      onDragLeave: () => onOver(undefined),
      onDrop: ({ source, location }) => {
        onOver(undefined);
        const dragged = draggedId(source.data);
        if (dragged !== undefined && dragged !== id) onDrop(dragged, sideAt(location.current.input.clientX));
      },
    }),
  );
}
