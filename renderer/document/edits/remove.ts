import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { texts } from "../../texts/texts.js";
import { type GraphDocument, MISSING_INPUT, type RunConfig } from "../model.js";
import type { NodeChange, Operation } from "../operations.js";
import { type OpLookup, signatureOf } from "../signature.js";
import { parseInput, parseTensorName } from "../tensor-names.js";
import { wiringOf } from "../wiring.js";
import { changeEachConfig } from "./run-configs.js";
import { type EditResult, edit, nodesText, refused } from "./types.js";

const words = texts.document.edits.remove;

/** Takes nodes away. Data inputs that read them become missing, control inputs and run settings go with them. */
export function deleteNodes(document: GraphDocument, names: readonly string[]): EditResult {
  return removeNodes(document, names, words.delete, withoutProducers);
}

/** As `deleteNodes`, but what read a node then reads what the node read, if that has the same dtype. */
export function bypassNodes(document: GraphDocument, lookup: OpLookup, names: readonly string[]): EditResult {
  return removeNodes(document, names, words.deleteAndReconnect, (node, gone) => {
    const input = node.input.map((text) => passedOn(text, document.nodes, lookup, gone));
    return withoutProducers({ ...node, input }, gone);
  });
}

/**
 * The tensor that reaches an output of a removed node through its first input of the same dtype; the text itself if nothing
 * does.
 */
function passedOn(
  text: string,
  nodes: GraphDocument["nodes"],
  lookup: OpLookup,
  gone: ReadonlySet<string>,
): string {
  const seen = new Set<string>();
  let reached = text;
  for (;;) {
    const reference = parseInput(reached);
    if (reference.kind !== "data" || !gone.has(reference.node)) return reached;
    const node = nodes.get(reference.node);
    const signature = node && signatureOf(node, lookup);
    const dtype = signature?.outputs[reference.output]?.dtype;
    const slot = signature?.inputs.find((one) => one.dtype === dtype && !one.isRef);
    const next = slot && node?.input[slot.index];
    if (next === undefined || seen.has(reference.node)) return text;
    seen.add(reference.node);
    reached = next;
  }
}

function removeNodes(
  document: GraphDocument,
  names: readonly string[],
  label: (values: { nodes: string }) => string,
  detached: (reader: NodeDef, gone: ReadonlySet<string>) => NodeDef,
): EditResult {
  const gone = new Set(names.filter((name) => document.nodes.has(name)));
  if (gone.size === 0) return refused(texts.document.edits.common.nothingSelected);
  const changes: NodeChange[] = [];
  const touched = new Set<string>();
  const wiring = wiringOf(document.nodes);
  let index = 0;
  for (const node of document.nodes.values()) {
    if (gone.has(node.name)) {
      changes.push({ before: node, index });
      for (const { to } of wiring.outgoing.get(node.name) ?? []) if (!gone.has(to)) touched.add(to);
    }
    index++;
    if (changes.length === gone.size) break;
  }
  for (const name of touched) {
    const before = document.nodes.get(name);
    if (before) changes.push({ before, after: detached(before, gone), index: 0 });
  }
  const operations: Operation[] = [{ type: "nodes", changes }];
  const moves = [...gone].flatMap((node) => {
    const from = document.layout.get(node);
    return from ? [{ node, from }] : [];
  });
  if (moves.length > 0) operations.push({ type: "layout", moves });
  operations.push(...changeEachConfig(document, (config) => withoutNodes(config, gone)));
  return edit({ label: label({ nodes: nodesText([...gone]) }), operations, select: [] });
}

function withoutProducers(node: NodeDef, gone: ReadonlySet<string>): NodeDef {
  const input = node.input.flatMap((text) => {
    const reference = parseInput(text);
    if (reference.kind === "missing" || !gone.has(reference.node)) return [text];
    return reference.kind === "control" ? [] : [MISSING_INPUT];
  });
  return { ...node, input };
}

function withoutNodes(config: RunConfig, gone: ReadonlySet<string>): RunConfig {
  const stays = (tensor: string) => !gone.has(parseTensorName(tensor).node);
  const feeds = Object.fromEntries(Object.entries(config.feeds).filter(([tensor]) => stays(tensor)));
  const fetches = config.fetches.filter(stays);
  const targets = config.targets.filter((name) => !gone.has(name));
  const stops = config.stops.filter(({ tensor }) => stays(tensor));
  const same =
    stops.length === config.stops.length &&
    Object.keys(feeds).length === Object.keys(config.feeds).length &&
    fetches.length === config.fetches.length &&
    targets.length === config.targets.length;
  return same ? config : { ...config, feeds, fetches, targets, stops };
}
