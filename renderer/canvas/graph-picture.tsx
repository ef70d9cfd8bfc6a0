/** The part of the graph that is drawn as one picture below the DOM elements. */
import { useStore } from "@xyflow/react";
import { type ReactElement, useLayoutEffect, useMemo, useRef } from "react";
import type { Point } from "../document/model.js";
import { useGraph } from "../stores/document-store.js";
import { useGraphKernels } from "../stores/kernel-store.js";
import { shownTheme, useSettings } from "../stores/settings-store.js";
import { coloursOf } from "../ui/css-colours.js";
import { colourOfItem, useColourScale } from "../viewport/colouring.js";
import { isSelected } from "../viewport/move-items.js";
import { nodesOfItem } from "../viewport/shown-graph.js";
import { useCanvas } from "../viewport/view-store.js";
import { edgeStrokes, hasProblem } from "./flow-edges.js";
import styles from "./graph-picture.module.css";
import { drawPicture, type EdgeGroup, type Picture } from "./picture.js";
import { useEdgeContext } from "./use-flow.js";
import type { Scene } from "./use-scene.js";

interface GraphPictureProps {
  readonly scene: Scene;
  /** How far the selected nodes are dragged from their positions. */
  readonly moved: Point | undefined;
}

export function GraphPicture({ scene, moved }: GraphPictureProps): ReactElement | null {
  return scene.nodesInPicture || scene.pictureEdges.length > 0 ? <Drawn scene={scene} moved={moved} /> : null;
}

function Drawn({ scene, moved }: GraphPictureProps): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null);
  const transform = useStore((state) => state.transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const origin = useCanvas((state) => state.origin);
  const theme = useSettings(shownTheme);
  const picture = usePicture(scene, moved);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the DOM, and differ by theme
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context) return;
    const density = window.devicePixelRatio;
    if (element.width !== Math.round(width * density)) element.width = Math.round(width * density);
    if (element.height !== Math.round(height * density)) element.height = Math.round(height * density);
    context.setTransform(density, 0, 0, density, 0, 0);
    const [x, y, zoom] = transform;
    drawPicture(context, picture, { origin, offset: { x, y }, zoom, width, height }, coloursOf(element));
  }, [picture, transform, width, height, origin, theme]);

  return <canvas ref={canvas} className={styles.picture} />;
}

function usePicture({ map, nodes, nodesInPicture, pictureEdges }: Scene, moved: Point | undefined): Picture {
  const context = useEdgeContext();
  const selection = useGraph((state) => state.selection);
  const problems = useGraph((state) => state.problems);
  const missing = useGraphKernels((state) => state.missing.nodes);
  const pointed = useCanvas((state) => state.pointedEdge);
  const scale = useColourScale();

  const groups = useMemo((): EdgeGroup[] => {
    const strokes = edgeStrokes(context);
    const byKey = new Map<string, { colour: string; width: number; edges: number[] }>();
    const above: EdgeGroup[] = [];
    for (const index of pictureEdges) {
      const wire = map.edges[index];
      if (!wire) continue;
      const { colour: task, width } = strokes(wire);
      if (wire.id === pointed || context.selected.has(wire.id)) {
        above.push({ colour: SELECTED, width: width + 0.5, edges: [index] });
        continue;
      }
      const colour = hasProblem(wire, context.problems) ? "var(--err)" : (task ?? PLAIN);
      const thickness = wire.output < 0 ? CONTROL_WIDTH : task ? width : PLAIN_WIDTH;
      const key = `${colour} ${thickness}`;
      const group = byKey.get(key) ?? { colour, width: thickness, edges: [] };
      byKey.set(key, group);
      group.edges.push(index);
    }
    // Edges between tasks are drawn over those within one.
    const plainFirst = [...byKey.values()].sort((one, other) => one.width - other.width);
    return [...plainFirst, ...above];
  }, [map, pictureEdges, context, pointed]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read from the tasks and the scale
  return useMemo((): Picture => {
    return {
      map,
      groups,
      nodes: nodesInPicture ? nodes : [],
      look: (index) => {
        const item = map.items[index];
        const selected = item !== undefined && isSelected(item, selection);
        const has = (marked: { readonly size: number; has(name: string): boolean }) =>
          marked.size > 0 && item !== undefined && nodesOfItem(item).some((name) => marked.has(name));
        return {
          colour: item ? colourOfItem(item) : PLAIN,
          selected,
          state: has(problems) ? "bad" : has(missing) ? "warned" : "",
          moved: selected ? moved : undefined,
        };
      },
    };
  }, [map, groups, nodes, nodesInPicture, context, selection, problems, missing, moved, scale]);
}

/** Fainter than for a few edges, so that many edges do not hide the nodes. */
const PLAIN = "color-mix(in srgb, var(--fg-2) 45%, var(--bg-0))";
const SELECTED = "var(--fg-0)";
const PLAIN_WIDTH = 1;
/** Control edges differ from data edges by being thinner, as dashes would not be visible among many edges. */
const CONTROL_WIDTH = 0.5;
