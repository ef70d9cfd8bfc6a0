import { roleOf } from "../../../graph/structural-ops.js";
import { invalidArgument } from "../../../protocol/status.js";
import { type FrameOutline, findFrames } from "../executor/static-frames.js";
import type { OpFactsSource } from "../kernels/op-facts.js";
import { withoutPauses } from "../pauses.js";
import type { GraphNode, NodeMap } from "./graph-node.js";

/** The frames of the nodes of a step's graph, including nodes that are added to it. */
export class LoopFrames {
  /** The root frame, outside of all loops. */
  readonly root: FrameOutline;
  readonly #inputs = new Map<string, FrameOutline>();
  readonly #outputs = new Map<string, FrameOutline>();
  readonly #conditions = new Map<FrameOutline, GraphNode>();

  /**
   * @param nodes each after its inputs, back edges aside.
   * @throws TensorFlowError INVALID_ARGUMENT for loops that do not nest.
   */
  constructor(nodes: NodeMap, facts: OpFactsSource) {
    const list = [...nodes.values()];
    const numbers = new Map(list.map(({ name }, index) => [name, index]));
    const numberOf = (name: string) => numbers.get(name) ?? [];
    const sources = list.map(({ inputs, controls }) =>
      [...inputs.map(({ node }) => node), ...controls].flatMap(numberOf),
    );
    const { root, frames, outputFrames } = withoutPauses(
      findFrames(
        list.map(({ kernelNode }) => kernelNode),
        list.map(({ op }) => roleOf(op)),
        (index) => sources[index] ?? [],
        Int32Array.from(list.keys()),
      ),
    );
    this.root = root;
    for (const [index, node] of list.entries()) {
      const frame = frames[index] ?? root;
      this.enter(node.name, frame, outputFrames[index]);
      if (facts.facts(node.op).isLoopCondition) {
        this.#conditions.set(frame, node);
      }
    }
  }

  /** The frame that a node takes its inputs in. */
  inputFrame(node: string): FrameOutline {
    return this.#inputs.get(node) ?? this.root;
  }

  /** The frame that a node's outputs are in: an Enter leads into one, an Exit out of it. */
  outputFrame(node: string): FrameOutline {
    return this.#outputs.get(node) ?? this.root;
  }

  /** The LoopCond of a frame. @throws TensorFlowError INVALID_ARGUMENT for a loop without a LoopCond. */
  condition(frame: FrameOutline): GraphNode {
    const condition = this.#conditions.get(frame);
    if (condition === undefined) {
      throw invalidArgument(`A cross-device loop must have a pivot predicate: ${frame.name}`);
    }
    return condition;
  }

  /** Puts a node into a frame. */
  enter(node: string, frame: FrameOutline, outputFrame = frame): void {
    this.#inputs.set(node, frame);
    this.#outputs.set(node, outputFrame);
  }
}

/** Whether a graph has any loop. */
export function hasLoops(nodes: NodeMap): boolean {
  return [...nodes.values()].some(({ op }) => roleOf(op) === "enter");
}
