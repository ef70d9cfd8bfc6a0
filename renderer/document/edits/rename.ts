import type { TrainingPlan } from "../../../main/api/training.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import {
  colocationGroup,
  colocationGroups,
  nodeOfGroup,
} from "../../../worker-runtime/graph/colocation-groups.js";
import { texts } from "../../texts/texts.js";
import type { GraphDocument, RunConfig } from "../model.js";
import type { NodeChange, Operation } from "../operations.js";
import { isNodeName, parseInput, parseTensorName, renameInput } from "../tensor-names.js";
import { withColocationGroups } from "./colocate.js";
import { renameInMetaGraph } from "./rename-meta-graph.js";
import { changeEachConfig } from "./run-configs.js";
import { type EditResult, edit, nodesText, refused } from "./types.js";

const words = texts.document.edits.rename;

/** Renames a node and every reference to it: inputs, colocation, feeds and fetches, collections and signatures. */
export function rename(document: GraphDocument, from: string, to: string): EditResult {
  if (!document.nodes.has(from)) return refused(texts.document.edits.common.noNode({ node: from }));
  if (from === to) return refused(texts.document.edits.common.sameName);
  return renameAll(document, new Map([[from, to]]), words.label({ from, to }));
}

/**
 * Moves nodes to a name scope, as one step: what they have in common of their present path is replaced by it.
 *
 * @param scope "encoder/layer_1"; empty: no scope
 */
export function moveToScope(document: GraphDocument, nodes: readonly string[], scope: string): EditResult {
  const present = nodes.filter((name) => document.nodes.has(name));
  if (present.length === 0) return refused(texts.document.edits.common.nothingSelected);
  const common = commonScope(present);
  const wanted = scope.replace(/\/+$/, "");
  if (wanted === common) return refused(words.sameScope);
  const start = common === "" ? 0 : common.length + 1;
  const names = new Map(
    present.map((name) => [name, wanted === "" ? name.slice(start) : `${wanted}/${name.slice(start)}`]),
  );
  const moved = nodesText(present);
  const label =
    wanted === ""
      ? words.moveOut({ nodes: moved, count: present.length })
      : words.moveTo({ nodes: moved, scope: wanted });
  return renameAll(document, names, label);
}

/** The innermost name scope around all of these nodes; empty: none. */
export function commonScope(names: readonly string[]): string {
  const [first = [], ...others] = names.map((name) => name.split("/").slice(0, -1));
  let length = first.length;
  for (const path of others) {
    while (length > 0 && first.slice(0, length).some((part, index) => part !== path[index])) length--;
  }
  return first.slice(0, length).join("/");
}

/** Renames nodes, as one step. @param names to, by from */
export function renameAll(
  document: GraphDocument,
  names: ReadonlyMap<string, string>,
  label: string,
): EditResult {
  for (const to of names.values()) {
    if (document.nodes.has(to)) return refused(words.taken({ name: to }));
    if (!isNodeName(to)) {
      return refused(words.wrongName);
    }
  }
  const changes: NodeChange[] = [];
  for (const before of document.nodes.values()) {
    let after = withInputs(before, names);
    after = renameColocations(after, names);
    const to = names.get(before.name);
    if (to !== undefined) after = { ...after, name: to };
    if (after !== before) changes.push({ before, after, index: 0 });
  }
  const operations: Operation[] = [{ type: "nodes", changes }];
  const moved = [...names].flatMap(([from, to]) => {
    const position = document.layout.get(from);
    return position ? [{ from, to, position }] : [];
  });
  if (moved.length > 0) {
    const moves = [
      ...moved.map(({ from, position }) => ({ node: from, from: position })),
      ...moved.map(({ to, position }) => ({ node: to, to: position })),
    ];
    operations.push({ type: "layout", moves });
  }
  operations.push(...renamedInAnnotations(document, names));
  operations.push(...changeEachConfig(document, (config) => renameInRunConfig(config, names)));
  let { metaGraph } = document;
  for (const [from, to] of names) metaGraph = renameInMetaGraph(metaGraph, from, to);
  if (metaGraph !== document.metaGraph) {
    operations.push({ type: "meta-graph", before: document.metaGraph, after: metaGraph });
  }
  return edit({ label, operations, select: [...names.values()] });
}

function renamedInAnnotations(
  { annotations }: GraphDocument,
  names: ReadonlyMap<string, string>,
): readonly Operation[] {
  if (!annotations.some(({ nodes }) => nodes?.some((name) => names.has(name)))) return [];
  const after = annotations.map((one) =>
    one.nodes ? { ...one, nodes: one.nodes.map((name) => names.get(name) ?? name) } : one,
  );
  return [{ type: "annotations", before: annotations, after }];
}

function withInputs(node: NodeDef, names: ReadonlyMap<string, string>): NodeDef {
  const input = node.input.map((text) => {
    const reference = parseInput(text);
    const to = reference.kind === "missing" ? undefined : names.get(reference.node);
    return reference.kind === "missing" || to === undefined ? text : renameInput(text, reference.node, to);
  });
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

function renameInRunConfig(config: RunConfig, renamed: ReadonlyMap<string, string>): RunConfig {
  let isChanged = false;
  /** Renames a node or one of its tensors. */
  const name = (text: string) => {
    const { node } = parseTensorName(text);
    const to = renamed.get(node);
    if (to === undefined) return text;
    isChanged = true;
    return `${to}${text.slice(node.length)}`;
  };
  const { checkpoints, training } = config;
  const best = checkpoints?.best;
  const after: RunConfig = {
    ...config,
    feeds: Object.fromEntries(Object.entries(config.feeds).map(([tensor, feed]) => [name(tensor), feed])),
    fetches: config.fetches.map(name),
    targets: config.targets.map(name),
    stops: config.stops.map((stop) => ({ ...stop, tensor: name(stop.tensor) })),
    ...(best ? { checkpoints: { ...checkpoints, best: { ...best, tensor: name(best.tensor) } } } : {}),
    ...(training ? { training: renameInPlan(training, name) } : {}),
  };
  return isChanged ? after : config;
}

/** @param name the new name of a node or tensor */
function renameInPlan(plan: TrainingPlan, name: (text: string) => string): TrainingPlan {
  const { ready, examples, asynchronous, synchronous } = plan;
  return {
    ...plan,
    loss: name(plan.loss),
    train: name(plan.train),
    init: name(plan.init),
    ready: { checks: name(ready.checks), initializers: ready.initializers.map(name) },
    globalStep: name(plan.globalStep),
    ...(examples === undefined ? {} : { examples: name(examples) }),
    ...(asynchronous
      ? { asynchronous: { before: name(asynchronous.before), after: name(asynchronous.after) } }
      : {}),
    ...(synchronous
      ? {
          synchronous: {
            give: name(synchronous.give),
            required: name(synchronous.required),
            counts: synchronous.counts.map(name),
            takes: synchronous.takes.map(name),
            begin: name(synchronous.begin),
          },
        }
      : {}),
  };
}
