/** The commands that add frames and notes, and those of a frame or a note. */
import { MAX_NODES } from "../document/annotations.js";
import type { Annotation, AnnotationColour } from "../document/model.js";
import { annotationActions } from "../stores/annotation-actions.js";
import { useGraph } from "../stores/document-store.js";
import { isGraphArranged } from "../stores/graph-view-store.js";
import { texts } from "../texts/texts.js";
import { frameAroundSelection, freeArea } from "../viewport/annotation-places.js";
import { toGraph, viewCentre } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";
import { defineCommands, type Enabled, when } from "./command.js";
import { annotationTarget, graphTarget, nodesTarget } from "./target-kinds.js";

const words = texts.commands.annotation;

const NOTE = { width: 192, height: 96 };

/** The nodes that something new is made for. */
function selectedNodes(): readonly string[] {
  return [...useGraph.getState().selection].slice(0, MAX_NODES);
}

/** The one that was added last is typed into at once. */
function editNewest(): void {
  useCanvas.setState({ editedAnnotation: useGraph.getState().document.annotations.at(-1)?.id });
}

export const frameCommands = defineCommands(nodesTarget, {
  add: {
    id: "graph.frame",
    group: "Graph",
    label: words.frame.add.label,
    keywords: words.frame.add.keywords,
    shortcut: "G",
    onCanvas: true,
    run: () => {
      const area = frameAroundSelection();
      const nodes = selectedNodes();
      if (area && annotationActions.add({ kind: "frame", text: "", colour: "none", nodes, ...area }))
        editNewest();
    },
  },
});

export const noteCommands = defineCommands(graphTarget, {
  add: {
    id: "graph.note",
    group: "Graph",
    label: words.note.add.label,
    keywords: words.note.add.keywords,
    shortcut: "N",
    onCanvas: true,
    isEnabled: ({ selection }): Enabled =>
      when(!isGraphArranged() || selection.size > 0, words.note.add.reason),
    run: () => {
      const screen = useCanvas.getState().contextMenu?.screen;
      const { x, y } = screen ? toGraph(screen) : viewCentre();
      const wanted = { x: Math.round(x / 8) * 8, y: Math.round(y / 8) * 8 };
      const at = screen ? wanted : freeArea(wanted, NOTE);
      const nodes = selectedNodes();
      if (annotationActions.add({ kind: "note", text: "", colour: "yellow", nodes, at, ...NOTE }))
        editNewest();
    },
  },
});

export const annotationCommands = defineCommands(annotationTarget, {
  edit: {
    id: "graph.editAnnotation",
    group: "Graph",
    label: words.edit.label,
    run: ({ id }) => useCanvas.setState({ editedAnnotation: id }),
  },
  delete: {
    id: "graph.deleteAnnotation",
    group: "Graph",
    label: words.delete.label,
    named: (name) => words.delete.named({ name }),
    icon: "trash",
    danger: true,
    run: ({ id }) => void annotationActions.delete(id),
  },
});

/** Gives a frame or a note a colour. */
export function paint({ id }: Annotation, colour: AnnotationColour): void {
  annotationActions.change(id, { colour });
}
