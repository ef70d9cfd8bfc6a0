import { invalidArgument } from "../../../protocol/status.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { NodeRole } from "./compiled-node.js";
import type { NodeLinks } from "./graph-links.js";

/** A loop frame as the structure of the graph shows it. */
export interface FrameOutline {
  readonly name: string;
  readonly parent: FrameOutline | undefined;
  readonly parallelIterations: number;
}

export interface FramedNodes {
  readonly root: FrameOutline;
  /** By node: the frame that it runs in. */
  readonly frames: readonly FrameOutline[];
  /** By node: for an Enter the frame that it leads into. */
  readonly entered: readonly (FrameOutline | undefined)[];
}

/**
 * Finds the loop frame of every node: an Enter leads into the frame that it names, an Exit out to the one around it.
 * @param order the nodes' numbers, each after its inputs.
 * @throws TensorFlowError INVALID_ARGUMENT in TensorFlow's words where frames do not nest.
 */
export function findFrames(
  nodes: readonly KernelNode[],
  roles: readonly NodeRole[],
  links: readonly NodeLinks[],
  order: readonly number[],
): FramedNodes {
  const root: FrameOutline = { name: "", parent: undefined, parallelIterations: 1 };
  const byName = new Map<string, FrameOutline>();
  const frames: FrameOutline[] = nodes.map(() => root);
  // What a node's outputs belong to: its own frame, except behind Enter and Exit.
  const outer: FrameOutline[] = nodes.map(() => root);
  const entered: (FrameOutline | undefined)[] = nodes.map(() => undefined);

  for (const index of order) {
    const node = nodes[index];
    const link = links[index];
    if (node === undefined || link === undefined) {
      continue;
    }
    const sources = [...link.data.map(({ source }) => source), ...link.control];
    const first = sources.find((source) => roles[source] !== "next-iteration") ?? sources[0];
    const frame = first === undefined ? root : (outer[first] ?? root);
    for (const source of sources) {
      // A back edge comes from a node that is not framed yet; `checkBackEdges` looks at it.
      if (outer[source] !== frame && !(roles[index] === "merge" && roles[source] === "next-iteration")) {
        throw invalidArgument(
          `{{node ${node.name}}} has inputs from different frames. ` +
            `The input {{node ${nodes[source]?.name}}} is in frame '${outer[source]?.name}'. ` +
            `The input {{node ${nodes[first ?? 0]?.name}}} is in frame '${frame.name}'.`,
        );
      }
    }
    frames[index] = frame;
    outer[index] = frame;
    if (roles[index] === "enter") {
      const child = childFrame(node, frame, byName);
      entered[index] = child;
      outer[index] = child;
    } else if (roles[index] === "exit") {
      if (frame.parent === undefined) {
        throw invalidArgument(
          `Invalid Exit op: Cannot find a corresponding Enter op. The node giving this error: {{node ${node.name}}}.`,
        );
      }
      outer[index] = frame.parent;
    }
  }
  checkBackEdges(nodes, roles, links, frames);
  return { root, frames, entered };
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

function checkBackEdges(
  nodes: readonly KernelNode[],
  roles: readonly NodeRole[],
  links: readonly NodeLinks[],
  frames: readonly FrameOutline[],
): void {
  for (const [index, link] of links.entries()) {
    for (const { source } of roles[index] === "merge" ? link.data : []) {
      const isBackEdge = roles[source] === "next-iteration";
      if (isBackEdge && (frames[source] !== frames[index] || frames[index]?.parent === undefined)) {
        throw invalidArgument(
          `Invalid loop structure: {{node ${nodes[source]?.name}}} leads to {{node ${nodes[index]?.name}}} of another frame.`,
        );
      }
    }
  }
}
