import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import { stringAttr, typeAttr } from "../../../graph/attr-values.js";
import { constantProto } from "../../../graph/constant-proto.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { FrameOutline } from "../executor/static-frames.js";
import type { OpFactsSource } from "../kernels/op-facts.js";
import { GraphNode, makeNodeDef, type TensorRef } from "./graph-node.js";
import { LoopFrames } from "./loop-frames.js";
import type { StepGraph } from "./step-graph.js";
import { taskOf } from "./task-of-device.js";

/** A graph in which every task that takes part in a loop runs the loop itself. */
export interface LoopedGraph {
  readonly graph: StepGraph;
  /**
   * The node that a _Recv of this edge waits for, so that it runs once in every iteration; undefined outside of loops.
   * @param source the sending node
   * @param target the consumer.
   */
  pivot(source: string, target: string): string | undefined;
}

export interface ControlLoopTools {
  readonly ops: OpRegistry;
  readonly facts: OpFactsSource;
  readonly newName: (prefix: string) => string;
}

/**
 * Adds control loops: if an edge within a loop leads to another task, that task gets its own Enter, Merge, Switch and
 * NextIteration, driven by the LoopCond that the loop's task sends. Its _Recvs then run in the same frame and iteration
 * as the _Sends. Nested loops get nested control loops.
 * @throws TensorFlowError INVALID_ARGUMENT for loops that do not nest, or without a LoopCond.
 */
export function addControlLoops(graph: StepGraph, tools: ControlLoopTools): LoopedGraph {
  const loops = new ControlLoops(graph, tools);
  for (const node of graph.nodes.values()) {
    for (const source of [...node.inputs.map((input) => input.node), ...node.controls]) {
      loops.consider(source, node.name);
    }
  }
  return loops;
}

class ControlLoops implements LoopedGraph {
  readonly #nodes: Map<string, GraphNode>;
  /** The devices of the added nodes. */
  readonly #added = new Map<string, string>();
  readonly #graph: StepGraph;
  readonly #frames: LoopFrames;
  readonly #tools: ControlLoopTools;
  /** The Merge of each control loop by task and frame. */
  readonly #merges = new Map<string, Map<FrameOutline, string>>();

  constructor(graph: StepGraph, tools: ControlLoopTools) {
    this.#graph = graph;
    this.#nodes = new Map(graph.nodes);
    this.#frames = new LoopFrames(graph.nodes, tools.facts);
    this.#tools = tools;
  }

  get graph(): StepGraph {
    return { ...this.#graph, nodes: this.#nodes, devices: { get: (node) => this.#deviceOf(node) } };
  }

  pivot(source: string, target: string): string | undefined {
    const frame = this.#sharedFrame(source, target);
    return frame === undefined ? undefined : this.#merges.get(this.#task(target))?.get(frame);
  }

  /** Adds the loops that an edge needs on the task that it leads to. */
  consider(source: string, target: string): void {
    const frame = this.#sharedFrame(source, target);
    if (frame !== undefined && this.#task(source) !== this.#task(target)) {
      this.#mergeOf(frame, target);
    }
  }

  /** The loop that contains an edge. */
  #sharedFrame(source: string, target: string): FrameOutline | undefined {
    const frame = this.#frames.outputFrame(source);
    return frame !== this.#frames.root && frame === this.#frames.inputFrame(target) ? frame : undefined;
  }

  #mergeOf(frame: FrameOutline, target: string): string {
    const task = this.#task(target);
    const merges = this.#merges.get(task) ?? new Map<FrameOutline, string>();
    this.#merges.set(task, merges);
    const known = merges.get(frame);
    if (known !== undefined) {
      return known;
    }
    const outer = frame.parent ?? this.#frames.root;
    const start = outer === this.#frames.root ? this.#addStart(target) : this.#mergeOf(outer, target);
    const merge = this.#addLoop(frame, outer, target, start);
    merges.set(frame, merge);
    return merge;
  }

  /** The initial value of the outermost control loop: any tensor will do. */
  #addStart(target: string): string {
    const value = constantProto(Tensor.of(0, "int32"));
    return this.#add(target, "Const", this.#frames.root, {
      dtype: typeAttr("int32"),
      value: { value: { $case: "tensor", value } },
    });
  }

  #addLoop(frame: FrameOutline, outer: FrameOutline, target: string, start: string): string {
    const T = typeAttr("int32");
    const enter = this.#add(
      target,
      "Enter",
      outer,
      {
        T,
        frame_name: stringAttr(frame.name),
        is_constant: { value: { $case: "b", value: false } },
        parallel_iterations: { value: { $case: "i", value: BigInt(frame.parallelIterations) } },
      },
      [{ node: start, output: 0 }],
    );
    this.#frames.enter(enter, outer, frame);
    const next = this.#newName(target);
    const merge = this.#add(target, "Merge", frame, { T, N: { value: { $case: "i", value: 2n } } }, [
      { node: enter, output: 0 },
      { node: next, output: 0 },
    ]);
    const condition = this.#frames.condition(frame);
    const decision = this.#add(target, "Switch", frame, { T }, [
      { node: merge, output: 0 },
      { node: condition.name, output: 0 },
    ]);
    this.#add(target, "NextIteration", frame, { T }, [{ node: decision, output: 1 }], next);
    return merge;
  }

  /** Adds a node to the target's device. */
  #add(
    target: string,
    op: string,
    frame: FrameOutline,
    attrs: Readonly<Record<string, AttrValue>>,
    inputs: readonly TensorRef[] = [],
    name = this.#newName(target),
  ): string {
    const def = makeNodeDef(name, op, Object.entries(attrs));
    this.#nodes.set(name, new GraphNode(def, this.#tools.ops.require(op), inputs, []));
    this.#added.set(name, this.#deviceOf(target) ?? "");
    this.#frames.enter(name, frame);
    return name;
  }

  #newName(target: string): string {
    return `_cloop${this.#tools.newName(target)}`;
  }

  #deviceOf(node: string): string | undefined {
    return this.#added.get(node) ?? this.#graph.devices.get(node);
  }

  #task(node: string): string {
    return taskOf(this.#deviceOf(node) ?? "");
  }
}
