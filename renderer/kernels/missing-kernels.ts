/** Nodes that the task they will run on has no kernel for: said while a graph is drawn, not when its first run fails. */
import type { Problem } from "../../main/api/problem.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce, paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import type { GraphDocument } from "../document/model.js";
import type { NodeProblem } from "../document/problems.js";
import { type OpLookup, signatureOf } from "../document/signature.js";
import { tensorName } from "../document/tensor-names.js";
import { texts } from "../texts/texts.js";
import { listText } from "../ui/format.js";
import type { KernelCatalogue } from "./kernel-catalogue.js";
import type { KernelNeeds } from "./kernel-needs.js";
import { type NodePlace, NodePlaces } from "./node-places.js";
import type { ClusterEngines, TaskEngine } from "./task-engines.js";

const words = texts.kernels.missingKernels;

/** The kernels that one task lacks for a graph. */
export interface MissingOnTask {
  readonly task: TaskEngine;
  /** The nodes concerned, in the graph's order. */
  readonly nodes: readonly string[];
  /** The nodes that can move to another task: not users of a variable here, nor callers of nodes pinned here. */
  readonly movable: readonly string[];
  readonly problem: Problem;
}

export interface MissingKernels {
  /** One for each node concerned. */
  readonly nodes: ReadonlyMap<string, NodeProblem>;
  readonly tasks: readonly MissingOnTask[];
}

export const NOTHING_MISSING: MissingKernels = { nodes: new Map(), tasks: [] };

/** The input of the check. */
export interface MissingKernelsInput {
  readonly document: Pick<GraphDocument, "nodes" | "runConfig">;
  readonly lookup: OpLookup;
  readonly needs: KernelNeeds;
  readonly catalogue: KernelCatalogue;
  readonly engines: ClusterEngines;
}

/** Ops and nodes that a message names before it only counts. */
const MOST_OPS = 4;
const MOST_NODES = 5;

/** The kernel that a node lacks on one task. */
interface Finding {
  readonly node: string;
  readonly place: NodePlace;
  /** "Svd", "MatMul of complex64", "Svd (in f)". */
  readonly missing: Set<string>;
  readonly isMovable: boolean;
}

export function findMissingKernels(input: MissingKernelsInput): MissingKernels {
  return atOnce(slicedMissingKernels(input));
}

/** As `findMissingKernels`, in slices. */
export function* slicedMissingKernels(input: MissingKernelsInput): Sliced<MissingKernels> {
  const { document, lookup, needs, catalogue, engines } = input;
  const places = new NodePlaces(document.nodes, lookup, engines);
  yield;
  const fed = new Set(Object.keys(document.runConfig.feeds));
  const byTask = new Map<string, Finding[]>();
  yield* paused(document.nodes.values(), (node) => {
    const place = places.of(node);
    for (const need of needs.of(node)) {
      // In a function's body, only nodes that name a task of their own leave their caller's.
      const at = need.calledBy === undefined ? place : (places.ofDevice(need.device) ?? place);
      const what = at.task.engine === "portable" ? catalogue.missing(need, at.task.deviceTypes) : undefined;
      if (what === undefined || isFed(node, lookup, fed)) continue;
      const findings = byTask.get(at.task.name) ?? [];
      byTask.set(at.task.name, findings);
      let finding = findings.at(-1);
      if (finding?.node !== node.name) {
        const isMovable = at === place && places.isAlone(node);
        finding = { node: node.name, place: at, missing: new Set(), isMovable };
        findings.push(finding);
      }
      finding.missing.add(
        need.calledBy === undefined ? what : words.inFunction({ kernel: what, function: need.calledBy }),
      );
    }
  });
  return byTask.size === 0 ? NOTHING_MISSING : described([...byTask.values()], engines);
}

/** Whether every output of a node is fed, so nothing is computed. */
function isFed(node: NodeDef, lookup: OpLookup, fed: ReadonlySet<string>): boolean {
  if (fed.size === 0) return false;
  const outputs = signatureOf(node, lookup)?.outputs ?? [];
  return outputs.length > 0 && outputs.every(({ index }) => fed.has(tensorName(node.name, index)));
}

function described(found: readonly (readonly Finding[])[], engines: ClusterEngines): MissingKernels {
  const nodes = new Map<string, NodeProblem>();
  const tasks = found.flatMap((findings): MissingOnTask[] => {
    const [first] = findings;
    if (!first) return [];
    for (const finding of findings) {
      if (!nodes.has(finding.node)) nodes.set(finding.node, nodeProblem(finding, engines));
    }
    const { task } = first.place;
    return [
      {
        task,
        nodes: findings.map(({ node }) => node),
        movable: findings.flatMap(({ node, isMovable }) => (isMovable ? [node] : [])),
        problem: taskProblem(task, findings, engines),
      },
    ];
  });
  return { nodes, tasks };
}

function nodeProblem({ node, place, missing, isMovable }: Finding, engines: ClusterEngines): NodeProblem {
  const { task } = place;
  const reason = reasonOf(task, 1, place.isPinned ? 0 : 1);
  return {
    code: "UNIMPLEMENTED",
    node,
    task: task.name,
    short: words.short,
    message: words.ofNode({ task: task.name, kernels: listText(shortened([...missing])) }),
    ...(reason === undefined ? {} : { reason }),
    remedy: remedyOf(task, 1, isMovable, engines),
  };
}

function taskProblem(task: TaskEngine, findings: readonly Finding[], engines: ClusterEngines): Problem {
  const nodesOf = new Map<string, string[]>();
  for (const { node, missing } of findings) {
    for (const what of missing) {
      const nodes = nodesOf.get(what);
      if (nodes) nodes.push(node);
      else nodesOf.set(what, [node]);
    }
  }
  const count = findings.length;
  const unpinned = findings.filter(({ place }) => !place.isPinned).length;
  const reason = reasonOf(task, count, unpinned);
  const lines = [...nodesOf].map(([kernel, all]) => {
    const nodes = all.slice(0, MOST_NODES).join(", ");
    const more = all.length - MOST_NODES;
    return more > 0 ? words.detailWithMore({ kernel, nodes, count: more }) : words.detail({ kernel, nodes });
  });
  return {
    code: "UNIMPLEMENTED",
    task: task.name,
    message: words.ofTask({
      count,
      task: task.name,
      kernels: listText(shortened([...nodesOf.keys()])),
    }),
    ...(reason === undefined ? {} : { reason }),
    remedy: remedyOf(
      task,
      count,
      findings.every(({ isMovable }) => isMovable),
      engines,
    ),
    details: lines.join("\n"),
  };
}

function shortened(names: readonly string[]): readonly string[] {
  if (names.length <= MOST_OPS) return names;
  return [...names.slice(0, MOST_OPS), words.more({ count: names.length - MOST_OPS })];
}

/** Why it is that task, if it was not pinned. */
function reasonOf(task: TaskEngine, count: number, unpinned: number): string | undefined {
  const chosen =
    unpinned === count
      ? words.noneIsPinned({ count })
      : unpinned > 0
        ? words.someAreNotPinned({ count: unpinned })
        : undefined;
  const added = task.exists ? undefined : words.noTask({ task: task.name });
  const sentences = [chosen, added].filter((sentence) => sentence !== undefined);
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

function remedyOf(task: TaskEngine, count: number, areMovable: boolean, engines: ClusterEngines): string {
  const other = taskWithTensorFlow(task, engines);
  if (other && areMovable) return words.pin({ count, task: other.name });
  return task.exists
    ? words.startWithTensorFlow({ count, task: task.name })
    : words.installTensorFlow({ count });
}

/** The task to move nodes to: one that is up, of the same job if there is one. */
export function taskWithTensorFlow(from: TaskEngine, { tasks }: ClusterEngines): TaskEngine | undefined {
  const able = tasks.filter(({ engine, isUp }) => engine === "tensorflow" && isUp);
  return able.find(({ job }) => job === from.job) ?? able[0];
}
