import { closesLoop, type NodeRole } from "../../../graph/structural-ops.js";
import { dtypeOf } from "../../../protocol/dtype.js";
import type { BoundNode } from "../executor/bind-kernel.js";
import type { FrameOutline } from "../executor/static-frames.js";
import { mapped, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import { type Candidate, Contraction, type LinkedGraph, type RegionFormer } from "./contraction.js";
import { findRegions, type GroupedNode } from "./find-regions.js";
import { isWorthwhile } from "./plan.js";
import { RowVariables } from "./row-variables.js";
import { isSessionType } from "./session-types.js";
import { waitOf } from "./waiting-ops.js";

const NOTHING: Candidate = { lowering: undefined, update: undefined, constant: undefined };

/**
 * Replaces the regions of a graph by one node each. Constants without inputs are never dead and wait for nothing; hence
 * each region has its own copies of those it uses, and they remain nodes for uses outside.
 * @param order the nodes' numbers, each after its inputs.
 */
export function* formRegions(
  graph: LinkedGraph,
  order: readonly number[],
  former: RegionFormer,
): PausingWork<LinkedGraph> {
  const rowVariables = new RowVariables(graph);
  const candidates = yield* mapped(
    graph.bound,
    (bound, index) =>
      takesRows(graph, index, rowVariables, former)
        ? undefined
        : candidateOf(bound, graph.roles[index] ?? "plain", former),
    NODES_PER_PAUSE,
  );
  if (!candidates.some((candidate) => candidate?.lowering !== undefined || candidate?.update !== undefined)) {
    return graph;
  }
  const isFree = (index: number) => {
    const link = graph.links[index];
    return candidates[index]?.constant !== undefined && link?.data.length === 0 && link.control.length === 0;
  };
  const grouped = yield* groupedNodes(graph, candidates, isFree);
  const regions = findRegions(grouped, order).filter((members) =>
    isWorthwhile(members.map((index) => candidates[index] ?? NOTHING)),
  );
  return regions.length === 0
    ? graph
    : yield* new Contraction(graph, candidates, regions, isFree, rowVariables).contract(former);
}

/**
 * Whether a node gathers rows of a variable, or passes on the value of which others do: in a session, the whole variable
 * would be copied to the thread in each step.
 */
function takesRows(
  { bound, links }: LinkedGraph,
  index: number,
  rowVariables: RowVariables,
  { lowerings }: RegionFormer,
): boolean {
  const [from] = links[index]?.data ?? [];
  const node = bound[index]?.node;
  if (from === undefined || node === undefined || !rowVariables.isValue(from)) {
    return false;
  }
  return rowVariables.passes(index) || lowerings.find(node)?.gathers === true;
}

function candidateOf(bound: BoundNode, role: NodeRole, former: RegionFormer): Candidate | undefined {
  const { node, work, facts } = bound;
  // Such nodes join gradients; outside a region, they would separate the nodes before them from those after them.
  if (facts.doesNothing && role === "plain") {
    return NOTHING;
  }
  const update = work.kind === "stateful" && role === "plain" ? former.updateLowering(bound) : undefined;
  if (update !== undefined) {
    return { ...NOTHING, update };
  }
  if (work.kind !== "pure" || role !== "plain" || node.outputs.length === 0) {
    return undefined;
  }
  const isExpressible = [...node.inputs, ...node.outputs].every(
    ({ dtype, isRef }) => !isRef && dtype !== undefined && isSessionType(dtypeOf(dtype)),
  );
  if (!isExpressible) {
    return undefined;
  }
  if (facts.isConstant) {
    return { ...NOTHING, constant: work.run([])[0] };
  }
  const lowering = former.lowerings.find(node);
  return lowering && { ...NOTHING, lowering };
}

function* groupedNodes(
  { bound, roles, links, framed }: LinkedGraph,
  candidates: readonly (Candidate | undefined)[],
  isFree: (index: number) => boolean,
): PausingWork<readonly GroupedNode[]> {
  const frames = new Map<FrameOutline, number>();
  const frameNumber = (index: number) => {
    const frame = framed.frames[index] ?? framed.root;
    const known = frames.get(frame) ?? frames.size;
    frames.set(frame, known);
    return known;
  };
  const group = ({ node, work, facts }: BoundNode, index: number): GroupedNode => {
    const { data, control } = links[index] ?? { data: [], control: [] };
    const role = roles[index] ?? "plain";
    const isBack = (source: number) => closesLoop(bound[source]?.node.op ?? "", node.op);
    return {
      key:
        candidates[index] === undefined || isFree(index) ? undefined : `${frameNumber(index)} ${node.device}`,
      sources: [
        ...data.map(({ source, output }) => ({ node: source, output })),
        ...control.map((source) => ({ node: source, output: undefined })),
      ].filter(({ node: source }) => !isBack(source) && !isFree(source)),
      // Whether a Recv's value is dead is known only at run time.
      splitsDeadness: facts.leavesDead === true && role !== "transfer",
      endsDeadness: role !== "plain" && role !== "transfer",
      isUpdate: candidates[index]?.update !== undefined,
      waits: work.kind === "pure" ? "never" : waitOf(node, facts),
    };
  };
  return yield* mapped(bound, group, NODES_PER_PAUSE);
}
