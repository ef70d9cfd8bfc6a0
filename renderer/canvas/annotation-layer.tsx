/** Frames behind the nodes, and notes among them. */
import { ViewportPortal } from "@xyflow/react";
import { type CSSProperties, type KeyboardEvent, type ReactElement, useState } from "react";
import { annotationCommands, paint } from "../commands/annotation-commands.js";
import { menuOf } from "../commands/menu-entry.js";
import { isArranged } from "../document/arrangement.js";
import { ANNOTATION_COLOURS, type Annotation, type AnnotationColour, type Point } from "../document/model.js";
import { annotationActions } from "../stores/annotation-actions.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { classNames } from "../ui/class-names.js";
import { IconButton } from "../ui/icon-button.js";
import { Menu, type MenuEntry } from "../ui/menu.js";
import { nodesWithin } from "../viewport/annotation-places.js";
import { useCanvas } from "../viewport/view-store.js";
import styles from "./annotation-layer.module.css";
import { AnnotationText } from "./annotation-text.js";
import { useGraphDrag } from "./use-graph-drag.js";

const COLOURS: Readonly<Record<AnnotationColour, { readonly label: string; readonly value: string }>> = {
  none: { label: "None", value: "var(--line-3)" },
  blue: { label: "Blue", value: "var(--t1)" },
  yellow: { label: "Yellow", value: "var(--t2)" },
  green: { label: "Green", value: "var(--t3)" },
  pink: { label: "Pink", value: "var(--t4)" },
  orange: { label: "Orange", value: "var(--t6)" },
  violet: { label: "Violet", value: "var(--t7)" },
};

const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -8, y: 0 },
  ArrowRight: { x: 8, y: 0 },
  ArrowUp: { x: 0, y: -8 },
  ArrowDown: { x: 0, y: 8 },
};

interface LayerProps {
  /** Tells how far the selected nodes are dragged with a frame; undefined once they are let go. */
  onMove(moved: Point | undefined): void;
}

export function AnnotationLayer({ onMove }: LayerProps): ReactElement | null {
  const annotations = useDocument((state) => state.document.annotations);
  // Where the window arranges the graph, places in it mean nothing.
  const arranged = useDocument((state) => isArranged(state.document));
  if (arranged || annotations.length === 0) return null;
  return (
    <ViewportPortal>
      {annotations.map((one) => (
        <AnnotationBox key={one.id} annotation={one} onMove={onMove} />
      ))}
    </ViewportPortal>
  );
}

function menuEntries(annotation: Annotation): MenuEntry[] {
  const colours = ANNOTATION_COLOURS.map(
    (colour): MenuEntry => ({
      kind: "item",
      label: COLOURS[colour].label,
      checked: annotation.colour === colour,
      run: () => paint(annotation, colour),
    }),
  );
  const { edit, delete: remove } = annotationCommands;
  return menuOf(annotation, [[edit, { kind: "submenu", label: "Colour", entries: colours }], [remove]]);
}

function AnnotationBox({
  annotation,
  onMove,
}: { readonly annotation: Annotation } & LayerProps): ReactElement {
  const { id, kind, text, colour, at, width, height } = annotation;
  const origin = useCanvas((state) => state.origin);
  const edited = useCanvas((state) => state.editedAnnotation === id);
  const [offset, setOffset] = useState<Point>({ x: 0, y: 0 });
  const [grown, setGrown] = useState<Point>({ x: 0, y: 0 });
  const still = { x: 0, y: 0 };
  const drag = useGraphDrag({
    onStart: () => kind === "frame" && documentActions.select(nodesWithin(annotation)),
    onMove: (moved) => {
      setOffset(moved);
      if (kind === "frame") onMove(moved);
    },
    onEnd: (moved) => {
      setOffset(still);
      onMove(undefined);
      if (moved) annotationActions.move(id, moved, nodesWithin(annotation));
    },
  });
  const resize = useGraphDrag({
    onMove: setGrown,
    onEnd: (moved) => {
      setGrown(still);
      if (moved) annotationActions.change(id, { width: width + moved.x, height: height + moved.y });
    },
  });
  const name = text.trim() === "" ? `Unnamed ${kind}` : `${kind === "frame" ? "Frame" : "Note"} ${text}`;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = ARROWS[event.key];
    if (by) annotationActions.move(id, by, nodesWithin(annotation));
    else if (event.key === "Enter" || event.key === "F2") annotationCommands.edit.on(annotation).run();
    else if (event.key === "Delete" || event.key === "Backspace")
      annotationCommands.delete.on(annotation).run();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const style = {
    left: at.x - origin.x + offset.x,
    top: at.y - origin.y + offset.y,
    width: width + grown.x,
    height: height + grown.y,
    "--c": COLOURS[colour].value,
  } as CSSProperties;
  return (
    <section
      className={classNames("nopan", styles.annotation, kind === "frame" ? styles.frame : styles.note)}
      style={style}
      aria-label={name}
    >
      <div className={styles.head} {...drag}>
        {edited ? (
          <AnnotationText annotation={annotation} />
        ) : (
          <button
            type="button"
            className={styles.title}
            onKeyDown={onKeyDown}
            onDoubleClick={() => annotationCommands.edit.on(annotation).run()}
          >
            {text.trim() === "" ? <i>{kind === "frame" ? "Untitled" : "Empty note"}</i> : text}
          </button>
        )}
        <Menu
          trigger={<IconButton icon="more" label={`Actions of ${name}`} small />}
          entries={() => menuEntries(annotation)}
          label={name}
        />
      </div>
      <div className={styles.corner} aria-hidden="true" {...resize} />
    </section>
  );
}
