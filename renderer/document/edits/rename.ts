import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import {
  colocationGroup,
  colocationGroups,
  nodeOfGroup,
} from "../../../worker-runtime/graph/colocation-groups.js";
import type { GraphDocument, RunConfig } from "../model.js";
import type { NodeChange, Operation } from "../operations.js";
import { isNodeName, parseTensorName, renameInput, tensorName } from "../tensor-names.js";
import { withColocationGroups } from "./colocate.js";
import { renameInMetaGraph } from "./rename-meta-graph.js";
import { changeEachConfig } from "./run-configs.js";
import { type EditResult, edit, refused } from "./types.js";

/** Renames a node and every reference to it: inputs, colocation, feeds and fetches, collections and signatures. */
export function rename(document: GraphDocument, from: string, to: string): EditResult {
  const node = document.nodes.get(from);
  const position = document.layout.get(from);
  if (!node) return refused(`There is no node named ${from}.`);
  if (from === to) return refused("The name is the same.");
  if (document.nodes.has(to)) return refused(`Another node is named ${to}.`);
  if (!isNodeName(to)) {
    return refused(
      "A name begins with a letter, digit or dot and goes on with letters, digits and any of _ . - / \\ >.",
    );
  }
  const changes: NodeChange[] = [];
  const names = new Map([[from, to]]);
  for (const before of document.nodes.values()) {
    let after = withInputs(before, from, to);
    after = renameColocations(after, names);
    if (before === node) after = { ...after, name: to };
    if (after !== before) changes.push({ before, after, index: 0 });
  }
  const operations: Operation[] = [{ type: "nodes", changes }];
  if (position) {
    operations.push({
      type: "layout",
      moves: [
        { node: from, from: position },
        { node: to, to: position },
      ],
    });
  }
  operations.push(...changeEachConfig(document, (config) => renameInRunConfig(config, from, to)));
  const metaGraph = renameInMetaGraph(document.metaGraph, from, to);
  if (metaGraph !== document.metaGraph) {
    operations.push({ type: "meta-graph", before: document.metaGraph, after: metaGraph });
  }
  return edit({ label: `Rename ${from} to ${to}`, operations, select: [to] });
}

function withInputs(node: NodeDef, from: string, to: string): NodeDef {
  const input = node.input.map((text) => renameInput(text, from, to));
  return input.some((text, index) => text !== node.input[index]) ? { ...node, input } : node;
}

/** The node with "loc:@a" in its `_class` attribute turned into "loc:@b", if the names map a to b. */
export function renameColocations(node: NodeDef, names: ReadonlyMap<string, string>): NodeDef {
  const groups = colocationGroups(node.attr);
  const renamed = groups.map((group) => {
    const to = names.get(nodeOfGroup(group) ?? "");
    return to === undefined ? group : colocationGroup(to);
  });
  if (renamed.every((group, index) => group === groups[index])) return node;
  return withColocationGroups(node, renamed);
}

function renameInRunConfig(config: RunConfig, from: string, to: string): RunConfig {
  const tensor = (name: string) => {
    const { node, output } = parseTensorName(name);
    return node === from ? tensorName(to, output) : name;
  };
  const stops = config.stops.map((stop) => stop.tensor);
  const names = [...Object.keys(config.feeds), ...config.fetches, ...stops];
  if (!config.targets.includes(from) && names.every((name) => tensor(name) === name)) return config;
  return {
    ...config,
    feeds: Object.fromEntries(Object.entries(config.feeds).map(([name, feed]) => [tensor(name), feed])),
    fetches: config.fetches.map(tensor),
    targets: config.targets.map((name) => (name === from ? to : name)),
    stops: config.stops.map((stop) => ({ ...stop, tensor: tensor(stop.tensor) })),
  };
}
