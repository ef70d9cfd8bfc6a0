/** The locations of nodes: the device they are pinned to, and their position on the canvas. */
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { parseDeviceName, shortTaskText, taskOfDevice } from "../../../worker-runtime/cluster/device-name.js";
import { texts } from "../../texts/texts.js";
import type { GraphDocument, Point } from "../model.js";
import { type Move, replaceNodes } from "../operations.js";
import { type EditResult, edit, nodesText, refused } from "./types.js";

const words = texts.document.edits.place;

/** "/job:worker/task:1" as the user interface shows it: "worker/1"; any other device unchanged. */
export function deviceText(device: string): string {
  const task = taskOfDevice(device);
  if (task === undefined) return device;
  const { type, index } = parseDeviceName(device);
  return type === undefined ? shortTaskText(task) : `${shortTaskText(task)} ${type}:${index ?? "*"}`;
}

/** Pins nodes to a device; "" leaves the choice to TensorFlow. */
export function pin(document: GraphDocument, names: readonly string[], device: string): EditResult {
  const nodes = names.flatMap((name) => document.nodes.get(name) ?? []);
  if (nodes.length === 0) return refused(texts.document.edits.common.nothingSelected);
  const moved = nodes.filter((node) => node.device !== device);
  if (moved.length === 0) return refused(words.alreadyPinned);
  const what = { nodes: nodesText(moved.map(({ name }) => name)) };
  return edit({
    label: device === "" ? words.unpin(what) : words.pin({ ...what, device: deviceText(device) }),
    operations: replaceNodes(moved.map((node) => [node, { ...node, device }] as const)),
  });
}

/** Pins each node to a device of its own, as one step of undo. Nodes that are there already are left out. */
export function pinEach(
  document: GraphDocument,
  devices: ReadonlyMap<string, string>,
  label: (nodes: string) => string,
): EditResult {
  const moved = [...devices].flatMap(([name, device]) => {
    const node = document.nodes.get(name);
    return node && node.device !== device ? [[node, { ...node, device }] as const] : [];
  });
  if (moved.length === 0) return refused(words.allAlreadyPinned);
  return edit({
    label: label(nodesText(moved.map(([{ name }]) => name))),
    operations: replaceNodes(moved),
  });
}

/** Gives nodes the pins and the colocation that they have in another state of the graph. */
export function placedAs(
  document: GraphDocument,
  nodes: ReadonlyMap<string, NodeDef>,
  label: string,
): EditResult {
  const moved = [...document.nodes.values()].flatMap((node) => {
    const placed = nodes.get(node.name);
    return placed && placed !== node ? [[node, placed] as const] : [];
  });
  if (moved.length === 0) return refused(words.allAlreadyPinned);
  return edit({ label, operations: replaceNodes(moved) });
}

/**
 * Moves nodes on the canvas.
 * @param step what the undo step is called; without it, moves of the same nodes that follow each other are one step.
 */
export function moveNodes(
  document: GraphDocument,
  positions: ReadonlyMap<string, Point>,
  step?: string,
): EditResult {
  const moves: Move[] = [];
  for (const [node, to] of positions) {
    const from = document.layout.get(node);
    if (!document.nodes.has(node) || (from && from.x === to.x && from.y === to.y)) continue;
    moves.push({ node, ...(from ? { from } : {}), to });
  }
  if (moves.length === 0) return refused(words.notMoved);
  const names = moves.map(({ node }) => node);
  const operations = [{ type: "layout" as const, moves }];
  if (step !== undefined) return edit({ label: step, operations });
  const mergeKey = `move ${names.toSorted().join(" ")}`;
  return edit({ label: words.move({ nodes: nodesText(names) }), operations, mergeKey });
}
