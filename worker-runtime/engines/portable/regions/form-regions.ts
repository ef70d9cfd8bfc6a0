import { closesLoop, type NodeRole } from "../../../graph/structural-ops.js";
import { dtypeOf } from "../../../protocol/dtype.js";
import type { BoundNode } from "../executor/bind-kernel.js";
import type { FramedNodes, FrameOutline } from "../executor/static-frames.js";
import type { OpFacts } from "../kernels/op-facts.js";
import { mapped, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import {
  type Candidate,
  Contraction,
  dataPlace,
  type LinkedGraph,
  type RegionFormer,
} from "./contraction.js";
import { findRegions, type GroupedFrame, type GroupedNode } from "./find-regions.js";
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
  const waits = bound.map(({ node, work, facts }) => (work.kind === "pure" ? "never" : waitOf(node, facts)));
  const frames = new GroupedFrames(framed, waits);
  const group = ({ node, facts }: BoundNode, index: number): GroupedNode => {
    const { data, control } = links[index] ?? { data: [], control: [] };
    const frame = frames.of(index);
    const isBack = (source: number) => closesLoop(bound[source]?.node.op ?? "", node.op);
    const next = data.find(({ source }) => isBack(source))?.source;
    return {
      key: candidates[index] === undefined || isFree(index) ? undefined : `${frame.number} ${node.device}`,
      sources: [
        ...data.map(({ source, output }) => ({ node: source, output })),
        ...control.map((source) => ({ node: source, output: undefined })),
      ].filter(({ node: source }) => !isBack(source) && !isFree(source)),
      liveness: livenessOf({ role: roles[index] ?? "plain", facts, next, inputs: data.length }, () => ({
        selector: selectorOf(index),
        outputs: node.outputs.length,
      })),
      isUpdate: candidates[index]?.update !== undefined,
      waits: waits[index] ?? "never",
      frame,
    };
  };
  /** Where the value comes from that a Switch chooses by: Identities pass it on. */
  const selectorOf = (index: number): string => {
    let from = links[index]?.data[1];
    while (from !== undefined && passesOn(from.source)) {
      from = links[from.source]?.data[0];
    }
    return from === undefined ? `${index}` : dataPlace(from.source, from.output);
  };
  const passesOn = (source: number): boolean =>
    roles[source] === "plain" &&
    bound[source]?.facts.passesHandle === true &&
    !bound[source].facts.leavesDead;
  return yield* mapped(bound, group, NODES_PER_PAUSE);
}

interface LivenessFacts {
  readonly role: NodeRole;
  readonly facts: OpFacts;
  /** The node that leads back to it from the end of an iteration. */
  readonly next: number | undefined;
  readonly inputs: number;
}

function livenessOf(
  { role, facts, next, inputs }: LivenessFacts,
  choice: () => { readonly selector: string; readonly outputs: number },
): GroupedNode["liveness"] {
  switch (role) {
    case "merge":
      return next === undefined ? { kind: "merge", inputs } : { kind: "loop", next };
    case "exit":
      return { kind: "exit" };
    case "control-trigger":
      return { kind: "trigger" };
    case "transfer":
      // Whether a Recv's value is dead is known only at run time.
      return undefined;
    default:
      return facts.leavesDead ? { kind: "switch", ...choice() } : undefined;
  }
}

/** The loop frames of a graph by number. */
class GroupedFrames {
  readonly #framed: FramedNodes;
  /** Those with a node that waits, or within which one is. */
  readonly #waiting = new Set<FrameOutline>();
  readonly #made = new Map<FrameOutline, GroupedFrame>();

  constructor(framed: FramedNodes, waits: readonly GroupedNode["waits"][]) {
    this.#framed = framed;
    for (const [index, wait] of waits.entries()) {
      let frame: FrameOutline | undefined = wait === "never" ? undefined : this.#outline(index);
      for (; frame !== undefined && !this.#waiting.has(frame); frame = frame.parent) {
        this.#waiting.add(frame);
      }
    }
  }

  of(index: number): GroupedFrame {
    const frame = this.#outline(index);
    const known = this.#made.get(frame);
    if (known !== undefined) {
      return known;
    }
    let depth = 0;
    for (let around = frame.parent; around !== undefined; around = around.parent) {
      depth += 1;
    }
    const made = { number: this.#made.size, depth, waits: this.#waiting.has(frame) };
    this.#made.set(frame, made);
    return made;
  }

  #outline(index: number): FrameOutline {
    return this.#framed.frames[index] ?? this.#framed.root;
  }
}
