/** Frames behind the nodes, and notes among them. */
import { ViewportPortal } from "@xyflow/react";
import { type CSSProperties, type KeyboardEvent, type ReactElement, useState } from "react";
import { annotationCommands, paint } from "../commands/annotation-commands.js";
import { menuOf } from "../commands/menu-entry.js";
import { isArranged } from "../document/arrangement.js";
import { ANNOTATION_COLOURS, type Annotation, type Point } from "../document/model.js";
import { annotationActions } from "../stores/annotation-actions.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { IconButton } from "../ui/icon-button.js";
import { Menu, type MenuEntry } from "../ui/menu.js";
import { drawnRect, nodesWithin } from "../viewport/annotation-places.js";
import type { Rect } from "../viewport/rect.js";
import { useCanvas } from "../viewport/view-store.js";
import { COLOURS } from "./annotation-colours.js";
import styles from "./annotation-layer.module.css";
import { AnnotationText } from "./annotation-text.js";
import { useGraphDrag } from "./use-graph-drag.js";

const words = texts.canvas.annotationLayer;

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
  const annotations = useGraph((state) => state.document.annotations);
  const arranged = useGraph((state) => isArranged(state.document));
  // The nodes beside which they are where the window arranges the graph.
  useGraph((state) => state.document.layout);
  useGraphView((state) => state.shown);
  useGraphView((state) => state.moved);
  if (annotations.length === 0) return null;
  return (
    <ViewportPortal>
      {annotations.map((one) => {
        const rect = drawnRect(one);
        return rect ? (
          <AnnotationBox key={one.id} annotation={one} rect={rect} fixed={arranged} onMove={onMove} />
        ) : null;
      })}
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
  return menuOf(annotation, [[edit, { kind: "submenu", label: words.colour, entries: colours }], [remove]]);
}

interface BoxProps extends LayerProps {
  readonly annotation: Annotation;
  readonly rect: Rect;
  /** It stands at its nodes, and is not moved by itself. */
  readonly fixed: boolean;
}

function AnnotationBox({ annotation, rect, fixed, onMove }: BoxProps): ReactElement {
  const { id, kind, text, colour, width, height } = annotation;
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
  const name = text.trim() === "" ? words[kind].unnamed : words[kind].named({ text });
  const onKeyDown = (event: KeyboardEvent) => {
    const by = ARROWS[event.key];
    if (by && fixed) return;
    if (by) annotationActions.move(id, by, nodesWithin(annotation));
    else if (event.key === "Enter" || event.key === "F2") annotationCommands.edit.on(annotation).run();
    else if (event.key === "Delete" || event.key === "Backspace")
      annotationCommands.delete.on(annotation).run();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const style = {
    left: rect.left - origin.x + offset.x,
    top: rect.top - origin.y + offset.y,
    width: rect.right - rect.left + grown.x,
    height: rect.bottom - rect.top + grown.y,
    "--c": COLOURS[colour].value,
  } as CSSProperties;
  return (
    <section
      className={classNames("nopan", styles.annotation, kind === "frame" ? styles.frame : styles.note)}
      style={style}
      aria-label={name}
    >
      <div className={classNames(styles.head, fixed && styles.fixed)} {...(fixed ? {} : drag)}>
        {edited ? (
          <AnnotationText annotation={annotation} />
        ) : (
          <button
            type="button"
            className={styles.title}
            title={fixed ? text : undefined}
            onKeyDown={onKeyDown}
            onDoubleClick={() => annotationCommands.edit.on(annotation).run()}
          >
            {text.trim() === "" ? <i>{words[kind].empty}</i> : text}
          </button>
        )}
        <Menu
          trigger={<IconButton icon="more" label={words.actions({ name })} small />}
          entries={() => menuEntries(annotation)}
          label={name}
        />
      </div>
      {fixed ? null : <div className={styles.corner} aria-hidden="true" {...resize} />}
    </section>
  );
}
