/** A small view of the whole graph, with the visible part marked. */
import { useStore } from "@xyflow/react";
import { type PointerEvent, type ReactElement, useEffect, useMemo, useRef } from "react";
import type { Annotation, Point } from "../document/model.js";
import { useCluster } from "../stores/cluster-store.js";
import { useGraph } from "../stores/document-store.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { shownTheme, useSettings } from "../stores/settings-store.js";
import { texts } from "../texts/texts.js";
import { coloursOf } from "../ui/css-colours.js";
import { drawnRect } from "../viewport/annotation-places.js";
import { colourOfItem, useColourScale } from "../viewport/colouring.js";
import { currentMap } from "../viewport/current-map.js";
import { type GraphMap, nodeRect } from "../viewport/graph-map.js";
import { useMinimapShown } from "../viewport/minimap-shown.js";
import type { Rect } from "../viewport/rect.js";
import { currentView, moveView, visibleArea } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";
import { COLOURS } from "./annotation-colours.js";
import styles from "./minimap.module.css";

const words = texts.canvas.minimap;

const WIDTH = 148;
const HEIGHT = 84;
const PADDING = 6;

export function Minimap(): ReactElement | null {
  return useMinimapShown() ? <WholeGraph /> : null;
}

/** How the graph fits into the map: a point p is drawn at (p - corner) · scale. */
interface Fit {
  readonly corner: Point;
  readonly scale: number;
}

function fitOf({ bounds }: GraphMap): Fit {
  if (!bounds) return { corner: { x: 0, y: 0 }, scale: 1 };
  const { left, top, right, bottom } = bounds;
  const scale = Math.min(WIDTH / (right - left), HEIGHT / (bottom - top));
  const corner = {
    x: (left + right - WIDTH / scale) / 2,
    y: (top + bottom - HEIGHT / scale) / 2,
  };
  return { corner, scale };
}

function WholeGraph(): ReactElement {
  const nodes = useGraph((state) => state.document.nodes);
  const layout = useGraph((state) => state.document.layout);
  const shown = useGraphView((state) => state.shown);
  const moved = useGraphView((state) => state.moved);
  const tasks = useCluster((state) => state.identities);
  const theme = useSettings(shownTheme);
  const scale = useColourScale();
  const annotations = useGraph((state) => state.document.annotations);
  const canvas = useRef<HTMLCanvasElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map is of these
  const map = useMemo(() => currentMap(), [nodes, layout, shown, moved]);
  const fit = useMemo(() => fitOf(map), [map]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours follow the theme and the tasks
  useEffect(() => {
    // With the next frame, which computes styles in any case: colours read now would have them computed once more.
    const frame = requestAnimationFrame(() => {
      const element = canvas.current;
      const context = element?.getContext("2d");
      if (!element || !context) return;
      const css = coloursOf(element);
      drawMap(context, map, fit, css);
      drawAnnotations(context, annotations, fit, css);
    });
    return () => cancelAnimationFrame(frame);
  }, [map, fit, theme, tasks, scale, annotations]);

  const moveTo = ({ currentTarget, clientX, clientY, buttons }: PointerEvent<HTMLElement>) => {
    if (buttons !== 1) return;
    const frame = currentTarget.getBoundingClientRect();
    const at = {
      x: fit.corner.x + (clientX - frame.left - PADDING) / fit.scale,
      y: fit.corner.y + (clientY - frame.top - PADDING) / fit.scale,
    };
    const { width, height } = currentTarget.closest("[data-canvas]")?.getBoundingClientRect() ?? frame;
    const { zoom } = currentView();
    moveView({ x: width / 2 - at.x * zoom, y: height / 2 - at.y * zoom, zoom }, 0);
  };
  return (
    <div
      className={styles.minimap}
      role="img"
      aria-label={words.minimap}
      data-minimap=""
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        moveTo(event);
      }}
      onPointerMove={moveTo}
      onWheel={({ deltaY }) => {
        const { flow } = useCanvas.getState();
        void (deltaY > 0 ? flow?.zoomOut() : flow?.zoomIn());
      }}
    >
      <canvas ref={canvas} width={WIDTH * 2} height={HEIGHT * 2} style={{ width: WIDTH, height: HEIGHT }} />
      <ViewFrame fit={fit} />
    </div>
  );
}

/** The part that is in view. */
function ViewFrame({ fit: { corner, scale } }: { readonly fit: Fit }): ReactElement {
  const [x, y, zoom] = useStore((state) => state.transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const origin = useCanvas((state) => state.origin);
  const seen: Rect = visibleArea({ x: x - origin.x * zoom, y: y - origin.y * zoom, zoom }, { width, height });
  const style = {
    left: PADDING + (seen.left - corner.x) * scale,
    top: PADDING + (seen.top - corner.y) * scale,
    width: (seen.right - seen.left) * scale,
    height: (seen.bottom - seen.top) * scale,
  };
  return <div className={styles.view} style={style} />;
}

function drawMap(
  context: CanvasRenderingContext2D,
  map: GraphMap,
  { corner, scale }: Fit,
  css: (colour: string) => string,
): void {
  context.setTransform(2, 0, 0, 2, 0, 0);
  context.clearRect(0, 0, WIDTH, HEIGHT);
  map.items.forEach((item, index) => {
    const { left, top, right, bottom } = nodeRect(map, index);
    const at = [(left - corner.x) * scale, (top - corner.y) * scale] as const;
    const size = [Math.max(0.5, (right - left) * scale), Math.max(0.5, (bottom - top) * scale)] as const;
    if (item.kind === "frame") {
      context.strokeStyle = css("var(--line-2)");
      context.lineWidth = 0.5;
      context.strokeRect(...at, ...size);
      return;
    }
    context.fillStyle = css(colourOfItem(item));
    context.fillRect(...at, ...size);
  });
}

/** Frames as outlines, notes as areas, in their colours. */
function drawAnnotations(
  context: CanvasRenderingContext2D,
  annotations: readonly Annotation[],
  { corner, scale }: Fit,
  css: (colour: string) => string,
): void {
  context.lineWidth = 1;
  for (const annotation of annotations) {
    const rect = drawnRect(annotation);
    if (!rect) continue;
    const at = [(rect.left - corner.x) * scale, (rect.top - corner.y) * scale] as const;
    const size = [(rect.right - rect.left) * scale, (rect.bottom - rect.top) * scale] as const;
    const colour = css(COLOURS[annotation.colour].value);
    context.strokeStyle = colour;
    context.fillStyle = colour;
    if (annotation.kind === "frame") context.strokeRect(...at, ...size);
    else context.fillRect(...at, ...size);
  }
}
