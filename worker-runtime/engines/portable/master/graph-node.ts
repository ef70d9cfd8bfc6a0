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

/** A node of a session's graph with parsed inputs. Immutable; graphs of steps share the nodes they do not change. */
export class GraphNode {
  readonly opDef: OpDef;
  readonly inputs: readonly TensorRef[];
  /** Names of the nodes that must run before. */
  readonly controls: readonly string[];
  readonly #def: NodeDef;
  /** The connections as a NodeDef has them, if they are known. */
  readonly #inputTexts: string[] | undefined;
  readonly #like: GraphNode | undefined;
  #kernelNode: KernelNode | undefined;

  /**
   * @param def its `input` is ignored: `inputs` and `controls` define the connections.
   * @param inputTexts the connections as TensorFlow writes them.
   * @param like a node with the same op and attributes, whose signature it has, if there is one.
   */
  constructor(
    def: NodeDef,
    opDef: OpDef,
    inputs: readonly TensorRef[],
    controls: readonly string[],
    inputTexts?: string[],
    like?: GraphNode,
  ) {
    this.#def = def;
    this.opDef = opDef;
    this.inputs = inputs;
    this.controls = controls;
    this.#inputTexts = inputTexts;
    this.#like = like;
  }

  get name(): string {
    return this.#def.name;
  }

  get op(): string {
    return this.#def.op;
  }

  /** The device as the client requested it: full, partial or "". */
  get requestedDevice(): string {
    return this.#def.device;
  }

  get attrs(): NodeDef["attr"] {
    return this.#def.attr;
  }

  /** The attributes by kind, and the signature. */
  get kernelNode(): KernelNode {
    this.#kernelNode ??= new KernelNode(this.#def, this.opDef, "", this.#like?.kernelNode);
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

  #formatInputs(): string[] {
    const data = this.inputs.map(({ node, output }) =>
      output === 0 ? node : formatEdge({ control: false, node, output }),
    );
    return this.controls.length === 0
      ? data
      : [...data, ...this.controls.map((node) => formatEdge({ control: true, node }))];
  }

  /** The node as it is registered with a worker. */
  toNodeDef(device: string): NodeDef {
    const { name, op, attr, experimentalDebugInfo, experimentalType, _unknownFields } = this.#def;
    const input = this.#inputTexts ?? this.#formatInputs();
    return { name, op, input, device, attr, experimentalDebugInfo, experimentalType, _unknownFields };
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
