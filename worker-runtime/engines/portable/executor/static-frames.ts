import type { NodeRole } from "../../../graph/structural-ops.js";
import { invalidArgument } from "../../../protocol/status.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import { eachOf, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";

/** A loop frame in the structure of the graph. */
export interface FrameOutline {
  readonly name: string;
  /** undefined for the root frame, outside of all loops. */
  readonly parent: FrameOutline | undefined;
  readonly parallelIterations: number;
}

export interface FramedNodes {
  readonly root: FrameOutline;
  /** By node: the frame that it runs in, and takes its inputs in. */
  readonly frames: readonly FrameOutline[];
  /** By node: the frame that its outputs are in. An Enter leads into one, an Exit out of it. */
  readonly outputFrames: readonly FrameOutline[];
}

/**
 * Finds the loop frame of every node: an Enter leads into the frame that it names, an Exit out to the one around it.
 * @param sourcesOf the numbers of the nodes that a node waits for.
 * @param order the nodes' numbers, each after its inputs.
 * @throws TensorFlowError INVALID_ARGUMENT in TensorFlow's words if frames do not nest.
 */
export function* findFrames(
  nodes: readonly KernelNode[],
  roles: readonly NodeRole[],
  sourcesOf: (index: number) => ArrayLike<number> & Iterable<number>,
  order: Int32Array,
): PausingWork<FramedNodes> {
  const root: FrameOutline = { name: "", parent: undefined, parallelIterations: 1 };
  const byName = new Map<string, FrameOutline>();
  const frames: FrameOutline[] = nodes.map(() => root);
  if (!roles.some(leadsToOtherFrames)) {
    return { root, frames, outputFrames: frames };
  }
  const outputFrames: FrameOutline[] = nodes.map(() => root);

  const frameNode = (index: number) => {
    const node = nodes[index];
    if (node === undefined) {
      return;
    }
    const from = [...sourcesOf(index)];
    const first = from.find((source) => roles[source] !== "next-iteration") ?? from[0];
    const frame = first === undefined ? root : (outputFrames[first] ?? root);
    for (const source of from) {
      // A back edge comes from a node without a frame so far; `checkBackEdges` checks it.
      if (
        outputFrames[source] !== frame &&
        !(roles[index] === "merge" && roles[source] === "next-iteration")
      ) {
        throw invalidArgument(
          `{{node ${node.name}}} has inputs from different frames. ` +
            `The input {{node ${nodes[source]?.name}}} is in frame '${outputFrames[source]?.name}'. ` +
            `The input {{node ${nodes[first ?? 0]?.name}}} is in frame '${frame.name}'.`,
        );
      }
    }
    frames[index] = frame;
    outputFrames[index] = frame;
    if (roles[index] === "enter") {
      outputFrames[index] = childFrame(node, frame, byName);
    } else if (roles[index] === "exit") {
      if (frame.parent === undefined) {
        throw invalidArgument(
          `Invalid Exit op: Cannot find a corresponding Enter op. The node giving this error: {{node ${node.name}}}.`,
        );
      }
      outputFrames[index] = frame.parent;
    }
  };
  yield* eachOf(order, frameNode, NODES_PER_PAUSE);
  yield* checkBackEdges(nodes, roles, sourcesOf, frames);
  return { root, frames, outputFrames };
}

function leadsToOtherFrames(role: NodeRole): boolean {
  return role === "enter" || role === "exit" || role === "next-iteration";
}

function childFrame(node: KernelNode, parent: FrameOutline, byName: Map<string, FrameOutline>): FrameOutline {
  const name = node.string("frame_name");
  if (name === "") {
    throw invalidArgument(`The Enter {{node ${node.name}}} must have a frame name.`);
  }
  const known = byName.get(name);
  if (known === undefined) {
    const made = { name, parent, parallelIterations: Math.max(1, node.int("parallel_iterations")) };
    byName.set(name, made);
    return made;
  }
  if (known.parent !== parent) {
    throw invalidArgument(
      `Invalid loop structure: Mismatched parent frames for "${name}": "${known.parent?.name}" vs "${parent.name}". ` +
        `The node giving this error: {{node ${node.name}}}.`,
    );
  }
  return known;
}

function* checkBackEdges(
  nodes: readonly KernelNode[],
  roles: readonly NodeRole[],
  sourcesOf: (index: number) => Iterable<number>,
  frames: readonly FrameOutline[],
): PausingWork<undefined> {
  return yield* eachOf(roles, (role, index) => {
    for (const source of role === "merge" ? sourcesOf(index) : []) {
      const isBackEdge = roles[source] === "next-iteration";
      if (isBackEdge && (frames[source] !== frames[index] || frames[index]?.parent === undefined)) {
        throw invalidArgument(
          `Invalid loop structure: {{node ${nodes[source]?.name}}} leads to {{node ${nodes[index]?.name}}} of another frame.`,
        );
      }
    }
  });
}
