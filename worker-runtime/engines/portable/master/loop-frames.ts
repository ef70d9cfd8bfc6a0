import { invalidArgument } from "../../../protocol/status.js";
import { isBackEdge } from "./graph-checks.js";
import type { GraphNode, NodeMap } from "./graph-node.js";

/** A while loop's frame. */
export interface LoopFrame {
  readonly name: string;
  /** undefined for a loop that is in no other. */
  readonly parent: LoopFrame | undefined;
  readonly parallelIterations: bigint;
}

/** In which frames the nodes of a graph are; undefined is the root, outside of all loops. */
export class LoopFrames {
  readonly #inputs = new Map<string, LoopFrame>();
  readonly #outputs = new Map<string, LoopFrame>();
  readonly #conditions = new Map<LoopFrame, GraphNode>();

  /**
   * @param nodes each after its inputs, back edges aside.
   * @throws TensorFlowError INVALID_ARGUMENT for loops that do not nest.
   */
  constructor(nodes: NodeMap) {
    const byName = new Map<string, LoopFrame>();
    for (const node of nodes.values()) {
      const frame = this.#frameOfInputs(node, nodes);
      this.enter(node.name, frame);
      if (isEnter(node)) {
        this.#outputs.set(node.name, childFrame(node, frame, byName));
      } else if (isExit(node)) {
        setOrDelete(this.#outputs, node.name, frame?.parent);
      } else if (node.op === "LoopCond" && frame !== undefined) {
        this.#conditions.set(frame, node);
      }
    }
  }

  /** The frame that a node takes its inputs in. */
  inputFrame(node: string): LoopFrame | undefined {
    return this.#inputs.get(node);
  }

  /** The frame that a node's outputs are in: an Enter leads into one, an Exit out of it. */
  outputFrame(node: string): LoopFrame | undefined {
    return this.#outputs.get(node);
  }

  /** The LoopCond of a frame. @throws TensorFlowError INVALID_ARGUMENT for a loop without one. */
  condition(frame: LoopFrame): GraphNode {
    const condition = this.#conditions.get(frame);
    if (condition === undefined) {
      throw invalidArgument(`A cross-device loop must have a pivot predicate: ${frame.name}`);
    }
    return condition;
  }

  /** Puts a node into a frame. */
  enter(node: string, frame: LoopFrame | undefined, outputFrame = frame): void {
    setOrDelete(this.#inputs, node, frame);
    setOrDelete(this.#outputs, node, outputFrame);
  }

  #frameOfInputs(node: GraphNode, nodes: NodeMap): LoopFrame | undefined {
    let found: { readonly source: string; readonly frame: LoopFrame | undefined } | undefined;
    for (const source of [...node.inputs.map((input) => input.node), ...node.controls]) {
      const from = nodes.get(source);
      if (from === undefined || isBackEdge(from, node)) {
        continue;
      }
      const frame = this.#outputs.get(source);
      if (found !== undefined && found.frame !== frame) {
        throw invalidArgument(
          `{{node ${node.name}}} has inputs from different frames. The input {{node ${found.source}}} is in frame ` +
            `'${found.frame?.name ?? ""}'. The input {{node ${source}}} is in frame '${frame?.name ?? ""}'.`,
        );
      }
      found = { source, frame };
    }
    return found?.frame;
  }
}

function childFrame(
  node: GraphNode,
  parent: LoopFrame | undefined,
  byName: Map<string, LoopFrame>,
): LoopFrame {
  const name = node.kernelNode.string("frame_name");
  const known = byName.get(name);
  if (known !== undefined && known.parent !== parent) {
    throw invalidArgument(
      `Invalid loop structure: Mismatched parent frames for "${name}": "${known.parent?.name ?? ""}" vs ` +
        `"${parent?.name ?? ""}". The node giving this error: {{node ${node.name}}}.`,
    );
  }
  const frame = known ?? { name, parent, parallelIterations: node.kernelNode.long("parallel_iterations") };
  byName.set(name, frame);
  return frame;
}

/** Whether any loop is in a graph. */
export function hasLoops(nodes: NodeMap): boolean {
  return [...nodes.values()].some(isEnter);
}

function isEnter({ op }: GraphNode): boolean {
  return op === "Enter" || op === "RefEnter";
}

function isExit({ op }: GraphNode): boolean {
  return op === "Exit" || op === "RefExit";
}

function setOrDelete<V>(map: Map<string, V>, key: string, value: V | undefined): void {
  if (value === undefined) {
    map.delete(key);
  } else {
    map.set(key, value);
  }
}
