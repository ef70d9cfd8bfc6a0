import type { NodeRole } from "../../../graph/structural-ops.js";
import { dtypeOf } from "../../../protocol/dtype.js";
import { invalidArgument } from "../../../protocol/status.js";
import { eachOf, mapped, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import type { BoundNode } from "./bind-kernel.js";
import type { CompiledGraph, CompiledNode, DataEdge, StaticFrame } from "./compiled-node.js";
import type { NodeLinks } from "./graph-links.js";
import type { FramedNodes, FrameOutline } from "./static-frames.js";

/** A frame while its nodes are being numbered. */
interface GrowingFrame extends StaticFrame {
  readonly nodes: CompiledNode[];
  inputCount: number;
  counters: number[];
  enterCount: number;
}

/** A node whose edges are being added. */
interface GrowingNode extends CompiledNode {
  readonly frame: GrowingFrame;
  readonly dataEdges: DataEdge[][];
  readonly controlEdges: CompiledNode[];
}

/** Numbers nodes and inputs by frame and turns links into edges between the nodes themselves. */
export function* wireGraph(
  bound: readonly BoundNode[],
  roles: readonly NodeRole[],
  links: readonly NodeLinks[],
  framed: FramedNodes,
): PausingWork<CompiledGraph> {
  const frames = new Map<FrameOutline, GrowingFrame>();
  const frameOf = (outline: FrameOutline): GrowingFrame => {
    const known = frames.get(outline);
    if (known !== undefined) {
      return known;
    }
    const { name, parallelIterations } = outline;
    const made = { name, parallelIterations, nodes: [], inputCount: 0, counters: [], enterCount: 0 };
    frames.set(outline, made);
    return made;
  };
  const root = frameOf(framed.root);

  const grow = (each: BoundNode, index: number) => {
    const entered = roles[index] === "enter" ? framed.outputFrames[index] : undefined;
    return growNode(
      each,
      roles[index] ?? "plain",
      links[index]?.data.map(({ source, output }) => bound[source]?.node.outputs[output]?.isRef ?? false) ??
        [],
      frameOf(framed.frames[index] ?? framed.root),
      entered === undefined ? undefined : frameOf(entered),
    );
  };
  const nodes = yield* mapped(bound, grow, NODES_PER_PAUSE);
  const connect = ({ data, control }: NodeLinks, index: number) => {
    const target = nodes[index];
    if (target !== undefined) {
      for (const [place, { source, output }] of data.entries()) {
        nodes[source]?.dataEdges[output]?.push({ target, place: target.inputStart + place });
      }
      for (const source of control) {
        nodes[source]?.controlEdges.push(target);
      }
    }
  };
  yield* eachOf(links, connect, NODES_PER_PAUSE);
  yield* setCounters(nodes, links);
  return {
    nodes,
    root,
    sources: nodes.filter((_, index) => {
      const link = links[index];
      return link !== undefined && link.data.length === 0 && link.control.length === 0;
    }),
    resultCount: countResults(nodes),
    devices: [...new Set(nodes.map(({ device }) => device))],
  };
}

/** @throws TensorFlowError INVALID_ARGUMENT where the indices of results are not 0, 1, 2, … */
function countResults(nodes: readonly CompiledNode[]): number {
  const indices = new Set<number>();
  for (const { node, work } of nodes) {
    if (work.kind === "result") {
      if (indices.has(work.index)) {
        throw invalidArgument(`{{node ${node.name}}} is a second result of index ${work.index}.`);
      }
      indices.add(work.index);
    }
  }
  for (const index of indices) {
    if (index >= indices.size) {
      throw invalidArgument(`A graph with ${indices.size} results has one of index ${index}.`);
    }
  }
  return indices.size;
}

function growNode(
  { node, work, deviceType, mayLeaveDead }: BoundNode,
  role: NodeRole,
  inputIsRef: readonly boolean[],
  frame: GrowingFrame,
  entered: GrowingFrame | undefined,
): GrowingNode {
  const made: GrowingNode = {
    node,
    role,
    work,
    device: node.device,
    deviceType,
    frame,
    entered,
    isConstantEnter: role === "enter" && node.bool("is_constant"),
    slot: frame.nodes.length,
    inputStart: frame.inputCount,
    inputCount: node.inputs.length,
    referencesToRead: inputIsRef.flatMap((isRef, place) =>
      isRef && node.inputs[place]?.isRef === false ? [place] : [],
    ),
    outputDtypes: node.outputs.map(({ dtype }) => (dtype === undefined ? undefined : dtypeOf(dtype))),
    outputIsRef: node.outputs.map(({ isRef }) => isRef),
    mayLeaveDead,
    dataEdges: node.outputs.map(() => []),
    controlEdges: [],
  };
  frame.nodes.push(made);
  frame.inputCount += node.inputs.length;
  if (entered !== undefined) {
    entered.enterCount += 1;
  }
  return made;
}

function* setCounters(nodes: readonly GrowingNode[], links: readonly NodeLinks[]): PausingWork<undefined> {
  return yield* eachOf(nodes, ({ role, frame, slot, inputCount }, index) => {
    if (frame.counters.length === 0) {
      frame.counters = new Array<number>(2 * frame.nodes.length).fill(0);
    }
    const control = links[index]?.control.length ?? 0;
    frame.counters[slot] = role === "merge" ? control : control + inputCount;
  });
}
