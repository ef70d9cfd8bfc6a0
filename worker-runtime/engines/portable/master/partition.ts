import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { typeAttr } from "../../../graph/attr-values.js";
import { constantProto } from "../../../graph/constant-proto.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { structureOf } from "../../../graph/structural-ops.js";
import { internalError } from "../../../protocol/status.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { eachOf, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";
import { addControlLoops, type LoopedGraph } from "./control-loops.js";
import { type GraphNode, makeNodeDef, type TensorRef } from "./graph-node.js";
import { hasLoops } from "./loop-frames.js";
import { recvAttrs, sendAttrs, type Transfer } from "./send-recv.js";
import type { StepGraph } from "./step-graph.js";
import { TaskCrossings } from "./task-crossings.js";
import { taskOf } from "./task-of-device.js";

/** The part of a step that one task runs. Its nodes may be on several of its devices. */
export interface Partition {
  /** "/job:ps/replica:0/task:0". */
  readonly task: string;
  readonly nodes: readonly NodeDef[];
}

export interface PartitionTools {
  readonly ops: OpRegistry;
  readonly kernels: KernelRegistry;
  /** The feeds come one after another. */
  readonly isPartial: boolean;
  /** The incarnation of a device of the session, unsigned. */
  readonly incarnationOf: (device: string) => bigint;
  /** A name with the given prefix that no other node of the session has. */
  readonly newName: (prefix: string) => string;
}

/** Partitions a step's graph by task, with a _Send and a _Recv for each tensor that another task needs. */
export function* partitionGraph(graph: StepGraph, tools: PartitionTools): PausingWork<Partition[]> {
  const devices = new Set<string>();
  yield* eachOf([...graph.nodes.keys()], (node) => devices.add(deviceOf(graph, node)), NODES_PER_PAUSE);
  const tasks = new Set([...devices].map(taskOf));
  const isCut = tasks.size > 1 && hasLoops(graph.nodes);
  const looped: LoopedGraph = isCut
    ? addControlLoops(graph, { ...tools, facts: tools.kernels })
    : { graph, pivot: () => undefined };
  const cutter = new Cutter(looped, tools);
  const add = (node: GraphNode) => (tasks.size === 1 ? cutter.addUncut(node) : cutter.add(node));
  yield* eachOf([...looped.graph.nodes.values()], add, NODES_PER_PAUSE);
  return cutter.partitions();
}

class Cutter {
  readonly #looped: LoopedGraph;
  readonly #graph: StepGraph;
  readonly #tools: PartitionTools;
  readonly #nodes = new Map<string, NodeDef[]>();
  /** The node on a task that received a tensor (or the end of a node) from another task, by task and source. */
  readonly #received = new Map<string, string>();
  readonly #crossings: TaskCrossings;
  #edges = 0;

  constructor(looped: LoopedGraph, tools: PartitionTools) {
    this.#looped = looped;
    this.#graph = looped.graph;
    this.#tools = tools;
    this.#crossings = new TaskCrossings(tools.kernels, tools.isPartial);
  }

  partitions(): Partition[] {
    return [...this.#nodes].map(([task, nodes]) => ({ task, nodes }));
  }

  /** Adds a node of a graph that is all on one task: none of its inputs comes from elsewhere. */
  addUncut(node: GraphNode): void {
    const device = deviceOf(this.#graph, node.name);
    if (structureOf(node.op).transfer === "receive") {
      this.#crossings.add(node, () => false);
    }
    this.#push(device, this.#definition(node, node, device));
  }

  /** Adds a node, and before it what receives its inputs from other tasks. */
  add(node: GraphNode): void {
    const device = deviceOf(this.#graph, node.name);
    const task = taskOf(device);
    const isElsewhere = (source: string) => taskOf(deviceOf(this.#graph, source)) !== task;
    this.#crossings.add(node, isElsewhere);
    const inputs = node.inputs.map((input) =>
      isElsewhere(input.node) ? { node: this.#receiveTensor(input, node.name), output: 0 } : input,
    );
    const controls = node.controls.map((source) =>
      isElsewhere(source) ? this.#receiveControl(source, node.name) : source,
    );
    const moved =
      inputs.some((input, i) => input !== node.inputs[i]) ||
      controls.some((control, i) => control !== node.controls[i]);
    this.#push(device, this.#definition(node, moved ? node.connect(inputs, controls) : node, device));
  }

  /** @param connected the node with the inputs that it has on its task. */
  #definition({ name, op }: GraphNode, connected: GraphNode, device: string): NodeDef {
    const def = connected.toNodeDef(device);
    return structureOf(op).transfer === "receive"
      ? { ...def, attr: new Map([...def.attr, ...this.#crossings.attrs(name, false)]) }
      : def;
  }

  /** A tensor goes to a task once, however many nodes there use it. */
  #receiveTensor(source: TensorRef, target: string): string {
    const key = `${taskOf(deviceOf(this.#graph, target))}|${source.node}:${source.output}`;
    const known = this.#received.get(key);
    if (known !== undefined) {
      return known;
    }
    const output = this.#graph.nodes.get(source.node)?.outputs[source.output];
    if (output?.dtype === undefined) {
      throw internalError(`Tensor ${source.node}:${source.output} has no type.`);
    }
    const sent = source.output === 0 ? source.node : `${source.node}:${source.output}`;
    const recv = this.#transfer(source.node, sent, target, output.dtype);
    this.#received.set(key, recv);
    return recv;
  }

  /** A control edge to another task is sent as an empty tensor. */
  #receiveControl(source: string, target: string): string {
    const targetDevice = deviceOf(this.#graph, target);
    const key = `${taskOf(targetDevice)}|^${source}`;
    const known = this.#received.get(key);
    if (known !== undefined) {
      return known;
    }
    const sourceDevice = deviceOf(this.#graph, source);
    const signal = makeNodeDef(this.#tools.newName(`${source}/ctrl`), "Const", [
      ["dtype", typeAttr("float32")],
      [
        "value",
        { value: { $case: "tensor", value: constantProto(new Tensor("float32", [0], new Float32Array(0))) } },
      ],
    ]);
    this.#push(sourceDevice, { ...signal, device: sourceDevice, input: [`^${source}`] });
    const recv = this.#transfer(source, signal.name, target, DataType.DT_FLOAT);
    const identity = makeNodeDef(this.#tools.newName(source), "Identity", [["T", typeAttr("float32")]]);
    this.#push(targetDevice, { ...identity, device: targetDevice, input: [recv] });
    this.#received.set(key, identity.name);
    return identity.name;
  }

  /** Adds a _Send and a _Recv. @returns the name of the _Recv. */
  #transfer(source: string, sent: string, target: string, dataType: DataType): string {
    const sendDevice = deviceOf(this.#graph, source);
    const recvDevice = deviceOf(this.#graph, target);
    const transfer: Transfer = {
      tensorName: `edge_${this.#edges}_${source}`,
      sendDevice,
      incarnation: this.#tools.incarnationOf(sendDevice),
      recvDevice,
      dataType,
      clientTerminated: false,
    };
    this.#edges += 1;
    const send = makeNodeDef(this.#tools.newName(source), "_Send", sendAttrs(transfer));
    this.#push(sendDevice, { ...send, device: sendDevice, input: [sent] });
    const pivot = this.#looped.pivot(source, target);
    const recv = makeNodeDef(this.#tools.newName(source), "_Recv", [
      ...recvAttrs(transfer),
      ...(pivot === undefined ? this.#crossings.attrs(source, true) : []),
    ]);
    this.#push(recvDevice, {
      ...recv,
      device: recvDevice,
      input: pivot === undefined ? [] : [`^${pivot}`],
    });
    return recv.name;
  }

  #push(device: string, node: NodeDef): void {
    const task = taskOf(device);
    const nodes = this.#nodes.get(task);
    if (nodes === undefined) {
      this.#nodes.set(task, [node]);
    } else {
      nodes.push(node);
    }
  }
}

function deviceOf(graph: StepGraph, node: string): string {
  const device = graph.devices.get(node);
  if (device === undefined) {
    throw internalError(`Node ${node} has no device.`);
  }
  return device;
}
