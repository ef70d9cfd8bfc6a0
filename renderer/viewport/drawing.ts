/** The drawing of the open document as the canvas shows it now, or of what is selected of it. */
import { taskNameOfDevice } from "../cluster/task-name.js";
import { deviceText } from "../document/edits/place.js";
import { shapeText } from "../document/shapes.js";
import { tensorName } from "../document/tensor-names.js";
import { wiringOf } from "../document/wiring.js";
import { useCluster } from "../stores/cluster-store.js";
import { lookupOp, useGraph } from "../stores/document-store.js";
import { useGraphRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { taskColourVar } from "../theme/task-colour.js";
import { colourOfItem } from "./colouring.js";
import { currentMap } from "./current-map.js";
import { crossingWidth } from "./edge-width.js";
import { type MapEdge, type MapItem, usedOutputs } from "./graph-map.js";
import type { Drawing, ItemTexts } from "./graph-svg.js";
import { isSelected } from "./move-items.js";
import { constText, feedText, fetchOf, microsText, nodeRunOf, previewText } from "./node-text.js";
import { portsOf } from "./ports.js";
import { nodesOfItem } from "./shown-graph.js";

const words = texts.viewport.drawing;

const PLAIN_EDGE = "color-mix(in srgb, var(--fg-2) 70%, var(--bg-0))";
const PLAIN_WIDTH = 1.5;
/** Labels of more edges would cover each other. */
const MOST_LABELS = 100;

/** @param css resolves colours and fonts of the style sheet */
export function drawingNow(css: Drawing["css"], selectedOnly: boolean): Drawing {
  const { document, selection } = useGraph.getState();
  const map = currentMap();
  const isDrawn = (item: MapItem) => !selectedOnly || (item.kind !== "frame" && isSelected(item, selection));
  const items = map.items.flatMap((item, index) => (isDrawn(item) ? [index] : []));
  const ids = new Set(items.flatMap((index) => map.items[index]?.id ?? []));
  const edges = map.edges.flatMap(({ from, to }, index) => (ids.has(from) && ids.has(to) ? [index] : []));
  const labelled = edges.length <= MOST_LABELS;
  return {
    map,
    items,
    edges,
    css,
    textsOf,
    strokeOf: (edge) => ({
      ...strokeOf(edge),
      label: labelled ? labelOf(edge, map.routes.has(edge.id)) : "",
    }),
    title: document.name,
  };
}

function textsOf(item: MapItem): ItemTexts {
  const colour = colourOfItem(item);
  const runs = useGraphRun.getState().latest?.nodes;
  if (item.kind !== "node") {
    const names = nodesOfItem(item);
    const micros = names.reduce((sum, name) => sum + (nodeRunOf(runs, name)?.durationMicros ?? 0), 0);
    return {
      ...{ colour, value: "", unpinned: false, inputs: 0, outputs: 0 },
      place: words.nodes({ count: names.length }),
      time: micros > 0 ? microsText(micros) : "",
    };
  }
  const { node } = item;
  const { document } = useGraph.getState();
  const out = usedOutputs(wiringOf(document.nodes).outgoing.get(node.name));
  const ports = portsOf(node, lookupOp, out);
  const placed = nodeRunOf(runs, node.name);
  const measured = placed && taskNameOfDevice(placed.device);
  return {
    colour,
    place: node.device === "" ? (measured ?? words.auto) : deviceText(node.device),
    value: valueText(item.id),
    time: placed ? microsText(placed.durationMicros) : "",
    unpinned: node.device === "",
    inputs: ports.inputs.length,
    outputs: ports.outputs.length,
  };
}

/** A value that is part of the graph, or was computed by the newest run of it as it is now. */
function valueText(name: string): string {
  const { document, revision } = useGraph.getState();
  const { latest, runRevision } = useGraphRun.getState();
  const node = document.nodes.get(name);
  if (node?.op === "Const") return constText(node);
  const tensor = tensorName(name, 0);
  const fetched = runRevision === revision ? fetchOf(latest?.fetches, tensor) : undefined;
  if (fetched) return previewText(fetched);
  const feed = document.runConfig.feeds[tensor];
  return feed ? feedText(feed) : "";
}

/** In the sender's colour if it crosses tasks. */
function strokeOf(edge: MapEdge): { readonly colour: string; readonly width: number } {
  for (const { from, to } of edge.wires ?? [edge]) {
    const sender = taskOf(from);
    const receiver = taskOf(to);
    if (sender && receiver && sender.id !== receiver.id) {
      return { colour: taskColourVar(sender), width: crossingWidth(undefined) };
    }
  }
  return { colour: PLAIN_EDGE, width: PLAIN_WIDTH };
}

/** The task that a node is pinned to, else the one that it ran on. */
function taskOf(name: string) {
  const pinned = useGraph.getState().document.nodes.get(name)?.device ?? "";
  const ran = nodeRunOf(useGraphRun.getState().latest?.nodes, name)?.device ?? "";
  const device = pinned === "" ? ran : pinned;
  return device === "" ? undefined : useCluster.getState().taskForDevice(device);
}

/** The shape that an edge carries, on edges that are led through the arranged graph. */
function labelOf(edge: MapEdge, isRouted: boolean): string {
  const [first = edge, ...others] = edge.wires ?? [];
  if (!isRouted || others.length > 0 || first.output < 0) return "";
  return shapeText(useGraph.getState().shapes.outputs.get(first.from)?.[first.output]);
}
