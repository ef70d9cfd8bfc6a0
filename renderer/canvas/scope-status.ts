/** A closed scope's summary of its contents: tasks, problems, parameters, time. */
import { useMemo } from "react";
import type { NodeRun } from "../../main/api/runs.js";
import type { Sliced } from "../../worker-runtime/graph/slices.js";
import { taskName } from "../cluster/task-name.js";
import { hierarchyFor } from "../document/arrangement.js";
import { deviceText } from "../document/edits/place.js";
import type { GraphDocument } from "../document/model.js";
import type { Scope } from "../document/scope-tree.js";
import {
  type Hierarchy,
  nodesInScope,
  parameterShape,
  slicedNodesInScope,
} from "../document/visible-graph.js";
import { useSliced } from "../parts/use-sliced.js";
import { useCluster } from "../stores/cluster-store.js";
import { useGraph } from "../stores/document-store.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { useGraphKernels } from "../stores/kernel-store.js";
import { movingTo, placementPreview, shownDevice, usePlacementPreview } from "../stores/placement-preview.js";
import { useGraphRun } from "../stores/run-store.js";
import { taskColourVar } from "../theme/task-colour.js";
import { nodeRunOf } from "../viewport/node-text.js";

/** A part of the nodes of a scope that is pinned to one task. */
export interface TaskShare {
  /** CSS colour of the task; of nodes that are not pinned that of "auto". */
  readonly colour: string;
  /** From 0 to 1; all shares together are 1. */
  readonly share: number;
  /** "worker/0", "auto". */
  readonly name: string;
}

export interface ScopeStatus {
  /** Number of all nodes inside, folded ones too. */
  readonly nodes: number;
  /** Their names; empty until they are found. */
  readonly names: ReadonlySet<string>;
  /** Elements of all constants and variables inside, as far as their shapes are known. */
  readonly parameters: number;
  /** The largest share first. */
  readonly tasks: readonly TaskShare[];
  /** Nodes that cannot run, and nodes that their task has no kernel for. */
  readonly problems: number;
  readonly warnings: number;
  /** The time in the newest traced step, in microseconds; undefined without one. */
  readonly micros: number | undefined;
  /** How many of them a suggested placement would move; 0 unless that is shown. */
  readonly moving: number;
}

/** @param of the hierarchy of the scope; defaults to that of what the canvas shows */
export function useScopeStatus(scope: Scope, of?: Hierarchy): ScopeStatus {
  const nodes = useGraph((state) => state.document.nodes);
  const weights = useGraphView((state) => state.openness.weights);
  const problems = useGraph((state) => state.problems);
  const missing = useGraphKernels((state) => state.missing.nodes);
  const runs = useGraphRun((state) => state.latest?.nodes);
  const identities = useCluster((state) => state.identities);
  const preview = usePlacementPreview();
  const hierarchy = of ?? hierarchyFor(nodes, weights);
  const contents = useSliced({
    size: nodes.size,
    work: () => slicedContents(scope, hierarchy, nodes, { problems, missing }),
    // Tasks are read through their store.
    of: [scope, hierarchy, nodes, identities, problems, missing, preview],
    subject: scope.id,
  });
  return useMemo(() => {
    if (contents === undefined) return { ...UNKNOWN, nodes: scope.size };
    const { names } = contents;
    return {
      ...contents,
      nodes: names.size,
      micros: runs && microsOf(names, runs),
      moving: preview ? [...names].filter((name) => movingTo(name, preview) !== undefined).length : 0,
    };
  }, [scope, contents, runs, preview]);
}

/** The summary of a scope whose contents were not looked at yet. */
const UNKNOWN: Omit<ScopeStatus, "nodes"> = {
  names: new Set(),
  parameters: 0,
  tasks: [],
  problems: 0,
  warnings: 0,
  micros: undefined,
  moving: 0,
};

/** Nodes of which something is to be said. */
type Marked = ReadonlyMap<string, unknown>;

/** How many nodes of a scope have something, which most often few nodes of a graph have. */
function countIn(names: ReadonlySet<string>, marked: Marked): number {
  const [fewer, more] = marked.size < names.size ? [marked, names] : [names, marked];
  let count = 0;
  for (const name of fewer.keys()) if (more.has(name)) count++;
  return count;
}

type Contents = Pick<ScopeStatus, "names" | "tasks" | "parameters" | "problems" | "warnings">;

function* slicedContents(
  scope: Scope,
  hierarchy: Hierarchy,
  nodes: GraphDocument["nodes"],
  { problems, missing }: { readonly problems: Marked; readonly missing: Marked },
): Sliced<Contents> {
  const names = new Set(yield* slicedNodesInScope(scope, hierarchy));
  yield;
  const tasks = taskShares(scope, hierarchy, nodes);
  yield;
  const parameters = parameterCount(scope, hierarchy, nodes);
  yield;
  return { names, tasks, parameters, problems: countIn(names, problems), warnings: countIn(names, missing) };
}

/** The tasks that the nodes of a scope are pinned to, or would be by a placement that is shown, the largest share first. */
export function taskShares(
  scope: Scope,
  hierarchy: Hierarchy,
  nodes: GraphDocument["nodes"],
): readonly TaskShare[] {
  const { taskForDevice } = useCluster.getState();
  const preview = placementPreview();
  const names = nodesInScope(scope, hierarchy);
  const counts = new Map<string, number>();
  for (const name of names) {
    const node = nodes.get(name);
    const device = node ? shownDevice(node, preview) : "";
    counts.set(device, (counts.get(device) ?? 0) + 1);
  }
  const byTask = new Map<string, { colour: string; count: number }>();
  for (const [device, count] of counts) {
    const task = device === "" ? undefined : taskForDevice(device);
    const name = task ? taskName(task) : device === "" ? "auto" : deviceText(device);
    const known = byTask.get(name);
    byTask.set(name, { colour: taskColourVar(task), count: (known?.count ?? 0) + count });
  }
  return [...byTask]
    .map(([name, { colour, count }]) => ({ name, colour, share: count / names.length }))
    .sort((one, other) => other.share - one.share);
}

function parameterCount(scope: Scope, hierarchy: Hierarchy, nodes: GraphDocument["nodes"]): number {
  const seen = new Set<string>();
  let count = 0;
  for (const name of nodesInScope(scope, hierarchy)) {
    for (const { name: parameter } of hierarchy.weights.parameters.get(name) ?? []) {
      if (seen.has(parameter)) continue;
      seen.add(parameter);
      count += elementCount(parameterShape(nodes.get(parameter)));
    }
  }
  return count;
}

/** Elements of a tensor of a shape such as "[3,3,16,32]"; 0 for one that is not known whole. */
export function elementCount(shape: string): number {
  if (!/^\[[\d,]*\]$/.test(shape)) return 0;
  const sizes = shape.slice(1, -1).split(",").filter(Boolean).map(Number);
  return sizes.reduce((product, size) => product * size, 1);
}

function microsOf(names: ReadonlySet<string>, runs: readonly NodeRun[]): number | undefined {
  let total: number | undefined;
  for (const name of names) {
    const micros = nodeRunOf(runs, name)?.durationMicros;
    if (micros !== undefined) total = (total ?? 0) + micros;
  }
  return total;
}
