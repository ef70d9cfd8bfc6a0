import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import type { OpDef } from "../../../../protos/generated/tensorflow/op_def.js";
import { formatEdge } from "../../../graph/edge.js";
import type { SignatureArg } from "../../../graph/node-signature.js";
import { KernelNode } from "../kernels/kernel-node.js";

/** An output of a node. */
export interface TensorRef {
  readonly node: string;
  readonly output: number;
}

/** The nodes of a graph by name, in the graph's order. */
export type NodeMap = ReadonlyMap<string, GraphNode>;

/** Finds nodes by name. */
export type NodeLookup = Pick<NodeMap, "get" | "has">;

/** A node of a session's graph with its inputs taken apart. Immutable; graphs of steps share the nodes they do not change. */
export class GraphNode {
  readonly opDef: OpDef;
  readonly inputs: readonly TensorRef[];
  /** Names of the nodes that must run before. */
  readonly controls: readonly string[];
  readonly #def: NodeDef;
  #kernelNode: KernelNode | undefined;

  /** @param def its `input` is ignored: `inputs` and `controls` define the connections. */
  constructor(def: NodeDef, opDef: OpDef, inputs: readonly TensorRef[], controls: readonly string[]) {
    this.#def = def;
    this.opDef = opDef;
    this.inputs = inputs;
    this.controls = controls;
  }

  get name(): string {
    return this.#def.name;
  }

  get op(): string {
    return this.#def.op;
  }

  /** The device as the client asked for it: whole, partial or "". */
  get requestedDevice(): string {
    return this.#def.device;
  }

  get attrs(): ReadonlyMap<string, AttrValue> {
    return this.#def.attr;
  }

  /** The attributes by kind, and the signature. */
  get kernelNode(): KernelNode {
    this.#kernelNode ??= new KernelNode(this.#def, this.opDef);
    return this.#kernelNode;
  }

  get outputs(): readonly SignatureArg[] {
    return this.kernelNode.outputs;
  }

  /** The same node with other inputs. */
  connect(inputs: readonly TensorRef[], controls: readonly string[]): GraphNode {
    const node = new GraphNode(this.#def, this.opDef, inputs, controls);
    node.#kernelNode = this.#kernelNode;
    return node;
  }

  /** The node as it is registered at a worker. */
  toNodeDef(device: string): NodeDef {
    return {
      ...this.#def,
      device,
      input: [
        ...this.inputs.map((input) => formatEdge({ control: false, ...input })),
        ...this.controls.map((node) => formatEdge({ control: true, node })),
      ],
    };
  }
}

/** A node that the master adds, as a definition. */
export function makeNodeDef(
  name: string,
  op: string,
  attrs: Iterable<readonly [string, AttrValue]> = [],
): NodeDef {
  return {
    name,
    op,
    input: [],
    device: "",
    attr: new Map(attrs),
    experimentalDebugInfo: undefined,
    experimentalType: undefined,
  };
}
