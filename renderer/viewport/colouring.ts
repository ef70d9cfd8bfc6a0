/** Colours of nodes by something other than their task: by op, by time or by bytes. */
import { create } from "zustand";
import type { NodeRun } from "../../main/api/runs.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { wiringOf } from "../document/wiring.js";
import { useCluster } from "../stores/cluster-store.js";
import { useGraph } from "../stores/document-store.js";
import { areSame } from "../stores/keep-equal.js";
import { useGraphRun } from "../stores/run-store.js";
import { tensorBytes } from "../stores/sent-bytes.js";
import { texts } from "../texts/texts.js";
import { taskColourVar } from "../theme/task-colour.js";
import { bytesText } from "../ui/format.js";
import type { MapItem } from "./graph-map.js";
import { microsText, nodeRunOf } from "./node-text.js";
import { deviceOfItem, nodesOfItem } from "./shown-graph.js";

export type Colouring = "task" | "op" | "time" | "bytes";

/** State of the window: it holds for every document, and is no edit. */
export const useColouring = create<{ readonly by: Colouring }>()(() => ({ by: "task" }));

export interface LegendEntry {
  /** A CSS colour; may name a variable of the style sheet, as all colours here. */
  readonly colour: string;
  readonly text: string;
}

/** How nodes are coloured in the present state of the document and of its newest run. */
export interface ColourScale {
  /** The colour of several nodes together, as in a closed scope; undefined if nothing is known of them. */
  colourOf(names: Iterable<string>): string | undefined;
  readonly legend: readonly LegendEntry[];
}

const UNKNOWN = "var(--fg-2)";
/** Ops with a colour of their own; the colours are those of tasks. */
const OP_COLOURS = 7;
const OTHER_OPS = "var(--t8)";

let newest: { readonly of: readonly unknown[]; readonly scale: ColourScale } | undefined;

/** Undefined while nodes are coloured by task. */
export function colourScale(): ColourScale | undefined {
  const { by } = useColouring.getState();
  if (by === "task") return undefined;
  const { document, shapes } = useGraph.getState();
  const runs = useGraphRun.getState().latest?.nodes;
  const of = [by, document.nodes, by === "bytes" ? shapes : undefined, by === "op" ? undefined : runs];
  if (newest && areSame(of, newest.of)) return newest.scale;
  const scale =
    by === "op"
      ? scaleOfOps(document.nodes)
      : by === "time"
        ? scaleOfTimes(runs)
        : scaleOfBytes(document.nodes);
  newest = { of, scale };
  return scale;
}

function scaleOfOps(nodes: ReadonlyMap<string, NodeDef>): ColourScale {
  const counts = countOps(nodes.values());
  const shown = counts.slice(0, OP_COLOURS);
  const colours = new Map(shown.map(([op], index) => [op, `var(--t${index + 1})`]));
  const others = counts.length - shown.length;
  return {
    colourOf: (names) => {
      const [most] = countOps([...names].flatMap((name) => nodes.get(name) ?? []))[0] ?? [];
      return most === undefined ? undefined : (colours.get(most) ?? OTHER_OPS);
    },
    legend: [
      ...shown.map(([op, count]) => ({ colour: colours.get(op) ?? OTHER_OPS, text: `${op} ${count}` })),
      ...(others > 0
        ? [{ colour: OTHER_OPS, text: texts.viewport.colouring.otherOps({ count: others }) }]
        : []),
    ],
  };
}

/** Most frequent first, then by name. */
function countOps(nodes: Iterable<NodeDef>): [op: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { op } of nodes) counts.set(op, (counts.get(op) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
}

function scaleOfTimes(runs: readonly NodeRun[] | undefined): ColourScale {
  const values = (runs ?? []).map(({ durationMicros }) => durationMicros);
  return logarithmic(values, (name) => nodeRunOf(runs, name)?.durationMicros, "var(--hp)", microsText);
}

function scaleOfBytes(nodes: ReadonlyMap<string, NodeDef>): ColourScale {
  const bytesOf = tensorBytes();
  const { outgoing } = wiringOf(nodes);
  const bytes = new Map<string, number>();
  for (const node of nodes.values()) {
    const outputs = new Set((outgoing.get(node.name) ?? []).map(({ output }) => output));
    let sum = 0;
    for (const output of outputs) if (output >= 0) sum += bytesOf(node, output);
    if (sum > 0) bytes.set(node.name, sum);
  }
  return logarithmic([...bytes.values()], (name) => bytes.get(name), "var(--hn)", bytesText);
}

/** Parts of the scale that the legend shows. */
const LEGEND_STEPS = 4;
/** The weakest colour in percent. */
const LEAST_STRENGTH = 12;

function logarithmic(
  values: readonly number[],
  amountOf: (name: string) => number | undefined,
  colour: string,
  text: (value: number) => string,
): ColourScale {
  const positive = values.filter((value) => value > 0);
  const least = positive.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const most = positive.reduce((one, other) => Math.max(one, other), 0);
  const span = Math.log(most / least) || 1;
  const at = (share: number) => {
    const strength = LEAST_STRENGTH + (100 - LEAST_STRENGTH) * Math.min(1, Math.max(0, share));
    return `color-mix(in srgb, ${colour} ${Math.round(strength)}%, var(--bg-2))`;
  };
  return {
    colourOf: (names) => {
      let sum: number | undefined;
      for (const name of names) {
        const value = amountOf(name);
        if (value !== undefined) sum = (sum ?? 0) + value;
      }
      return sum === undefined ? undefined : at(sum > 0 ? Math.log(sum / least) / span : 0);
    },
    legend:
      positive.length === 0
        ? []
        : Array.from({ length: LEGEND_STEPS }, (_, step) => {
            const share = step / (LEGEND_STEPS - 1);
            return { colour: at(share), text: text(least * Math.exp(span * share)) };
          }),
  };
}

/** The colour of an item of the drawing: of its task, or as chosen. */
export function colourOfItem(item: MapItem): string {
  const scale = colourScale();
  if (scale) return scale.colourOf(nodesOfItem(item)) ?? UNKNOWN;
  const device = deviceOfItem(item);
  return taskColourVar(device === "" ? undefined : useCluster.getState().taskForDevice(device));
}

/**
 * The colour of nodes for a component, which is rendered again when it changes; undefined while nodes are coloured by
 * task.
 */
export function useColourOf(names: Iterable<string>): string | undefined {
  const colour = () => {
    const scale = colourScale();
    return scale && (scale.colourOf(names) ?? UNKNOWN);
  };
  // The same value from each store: any of them may change it.
  useGraph(colour);
  useGraphRun(colour);
  return useColouring(colour);
}

/** The scale for a component; undefined while nodes are coloured by task. */
export function useColourScale(): ColourScale | undefined {
  useGraph(colourScale);
  useGraphRun(colourScale);
  return useColouring(colourScale);
}
