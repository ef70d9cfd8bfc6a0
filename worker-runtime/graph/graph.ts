import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { alreadyExists, invalidArgument, notFound } from "../protocol/status.js";
import { type AttrInput, stringListAttr, toAttrValue } from "./attr-values.js";
import { type CollectionItem, collectionDefs, metaGraphOf } from "./collections.js";
import { parseEdge } from "./edge.js";
import { buildNode, type NodeParts, type NodeTaker, type OpInput } from "./graph-op-builder.js";
import { ControlScopes, type DeviceScope, DeviceScopes, NameScopes } from "./graph-scopes.js";
import { outputTypes } from "./node-signature.js";
import { GRAPH_DEF_MIN_CONSUMER, GRAPH_DEF_VERSION } from "./op-list.js";
import { bundledOpRegistry, type OpRegistry } from "./op-registry.js";
import { Operation, type Output } from "./operation.js";
import { inferOutputShapes } from "./shape-inference.js";
import { shapeContextOf } from "./shape-propagation.js";
import { didYouMean } from "./similar-names.js";

export type { OpInput } from "./graph-op-builder.js";
export type { DeviceFunction, DeviceScope } from "./graph-scopes.js";
export { Operation, Output } from "./operation.js";

export interface GraphOptions {
  /** The ops that nodes can be made of; TensorFlow's own unless given. */
  readonly registry?: OpRegistry | undefined;
}

/**
 * A TensorFlow graph under construction, with the rules of tf.Graph: unique names, scopes for names, devices, control
 * dependencies and collocation. Nodes are only ever added.
 */
export class Graph implements NodeTaker {
  readonly registry: OpRegistry;
  readonly #operations = new Map<string, Operation>();
  readonly #names = new NameScopes();
  readonly #devices = new DeviceScopes();
  readonly #controls = new ControlScopes();
  readonly #collections = new Map<string, CollectionItem[]>();
  #colocation: readonly Operation[] = [];
  #captures: readonly ((input: Output) => Output)[] = [];
  /** All of the GraphDef but its nodes: versions, functions, what was read and is not known here. */
  #source: GraphDef = GraphDef.fromPartial({
    versions: { producer: GRAPH_DEF_VERSION, minConsumer: GRAPH_DEF_MIN_CONSUMER },
  });

  constructor(options: GraphOptions = {}) {
    this.registry = options.registry ?? bundledOpRegistry();
  }

  /**
   * A graph of the nodes of a GraphDef, which may come in any order and form loops.
   * @throws TensorFlowError INVALID_ARGUMENT for an input that no node has, NOT_FOUND for an unknown op
   */
  static fromGraphDef(graphDef: GraphDef, options: GraphOptions = {}): Graph {
    const base = options.registry ?? bundledOpRegistry();
    const graph = new Graph({ registry: base.withFunctions(graphDef.library) });
    graph.#source = { ...graphDef, node: [] };
    for (const node of graphDef.node) graph.#addRead(node);
    for (const node of graphDef.node) graph.#connectRead(node);
    return graph;
  }

  /** The graph of a tensor or operation. */
  static of(item: Operation | Output): Graph {
    const { owner } = item instanceof Operation ? item : item.op;
    if (owner instanceof Graph) return owner;
    throw invalidArgument(`${item.name} was not made by a graph.`);
  }

  #addRead(node: NodeDef): void {
    if (this.#operations.has(node.name)) {
      throw alreadyExists(`The graph has two nodes named "${node.name}".`);
    }
    const opDef = this.registry.require(node.op);
    this.#names.take(node.name);
    const parts = { name: node.name, type: node.op, device: node.device, attrs: node.attr, source: node };
    const outputs = outputTypes(opDef, node);
    this.#operations.set(
      node.name,
      new Operation(this, { ...parts, inputs: [], controlInputs: [], outputs }),
    );
  }

  #connectRead(node: NodeDef): void {
    const inputs: Output[] = [];
    const controlInputs: Operation[] = [];
    for (const text of node.input) {
      const edge = parseEdge(text);
      const source = this.#operations.get(edge.node);
      if (!source) {
        throw invalidArgument(
          `Node "${node.name}" has the input "${text}", but the graph has no node "${edge.node}".` +
            didYouMean(edge.node, this.#operations.keys()),
        );
      }
      if (edge.control) controlInputs.push(source);
      else inputs.push(source.outputAt(edge.output));
    }
    this.operation(node.name).connect(inputs, controlInputs);
  }

  /** All operations in the order in which they were made. */
  get operations(): readonly Operation[] {
    return [...this.#operations.values()];
  }

  /** Number of operations. A session that knows the first n has to be sent `toGraphDef(n)`. */
  get size(): number {
    return this.#operations.size;
  }

  /** @throws TensorFlowError NOT_FOUND, naming similar ones, where there is no such operation */
  operation(name: string): Operation {
    const op = this.#operations.get(name);
    if (op) return op;
    throw notFound(`The graph has no node "${name}".${didYouMean(name, this.#operations.keys())}`);
  }

  /** The tensor of a name such as "x:0"; the name of a node means its first output. */
  tensor(name: string): Output {
    const edge = parseEdge(name);
    if (edge.control) throw invalidArgument(`"${name}" is a control input, not a tensor.`);
    return this.operation(edge.node).outputAt(edge.output);
  }

  /**
   * Adds an operation.
   * @param type the op's name, for example "MatMul"
   * @param inputs one entry per input argument of the op. Values become Const nodes; an argument that is a list takes
   *   an array of tensors. JavaScript numbers are float32 unless the op or its other inputs say otherwise.
   * @param attrs attributes that do not follow from the inputs; those left out have the op's defaults
   * @param name where to name it within the current scope; the op's own name unless given
   * @throws TensorFlowError NOT_FOUND for an unknown op, INVALID_ARGUMENT for inputs or attributes that do not fit
   */
  op(
    type: string,
    inputs: readonly OpInput[] = [],
    attrs: Readonly<Record<string, AttrInput | undefined>> = {},
    name: string = type,
  ): Operation {
    return buildNode(this, type, inputs, attrs, name);
  }

  /** Adds a node of which everything is known but what the scopes add: device, control inputs, collocation. */
  addNode(parts: NodeParts): Operation {
    const opDef = this.registry.require(parts.type);
    const foreign = parts.inputs.find((input) => Graph.of(input) !== this);
    if (foreign) throw invalidArgument(`${foreign.name} is a tensor of another graph.`);
    const inputs = parts.inputs.map((input) =>
      this.#captures.reduce((tensor, capture) => capture(tensor), input),
    );
    const dataOps = inputs.map((input) => input.op);
    const attrs = new Map(parts.attrs);
    let device = this.#devices.deviceFor(parts.type);
    if (this.#colocation.length > 0) {
      attrs.set(
        "_class",
        stringListAttr([...new Set(this.#colocation.flatMap((op) => op.colocationGroups))].sort()),
      );
      const pinned = [...this.#colocation].reverse().find((op) => op.device !== "");
      if (pinned) device = pinned.device;
    }
    const op = new Operation(this, {
      name: this.#names.forOperation(parts.name),
      type: parts.type,
      inputs,
      controlInputs: this.#controls.inputsFor(dataOps),
      device,
      attrs,
      outputs: outputTypes(opDef, { attr: attrs }),
    });
    // Shapes that do not fit are reported here, where the node is made, as TensorFlow does.
    op.setShapes(inferOutputShapes(shapeContextOf(op)));
    // A name with a "/" at its end is taken as it stands, so it may be taken already.
    if (this.#operations.has(op.name))
      throw alreadyExists(`The graph has a node named "${op.name}" already.`);
    this.#operations.set(op.name, op);
    this.#controls.record(op);
    return op;
  }

  /** Closes a loop: puts another tensor at an input of an operation that was made before it (NextIteration to Merge). */
  updateInput(op: Operation, index: number, input: Output): void {
    if (Graph.of(op) !== this || Graph.of(input) !== this)
      throw invalidArgument("Both ends of an edge have to be in this graph.");
    if (index < 0 || index >= op.inputs.length)
      throw invalidArgument(`Node "${op.name}" has no input ${index}.`);
    op.connect(op.inputs.with(index, input), op.controlInputs);
  }

  /** Gives an operation another input that it only waits for. */
  addControlInput(op: Operation, input: Operation): void {
    if (!op.controlInputs.includes(input)) op.connect(op.inputs, [...op.controlInputs, input]);
  }

  /** A name that no node or scope has, within the current scope; taken from now on. */
  uniqueName(name: string): string {
    return this.#names.unique(name);
  }

  /** Names in `body` begin with `name/`. A name with a "/" at its end opens a scope again; "" is the top. */
  withNameScope<T>(name: string, body: (scope: string) => T): T {
    return this.#names.within(name, body);
  }

  /**
   * Nodes made in `body` get this device, as far as inner scopes leave it open. A function, such as replicaDeviceSetter
   * makes, is asked for each node; undefined leaves all outer device scopes.
   */
  withDevice<T>(device: DeviceScope, body: () => T): T {
    return this.#devices.within(device, body);
  }

  /** Nodes made in `body` run after these; undefined leaves all outer such scopes. */
  withControlDependencies<T>(after: readonly (Operation | Output)[] | undefined, body: () => T): T {
    return this.#controls.within(
      after?.map((item) => (item instanceof Operation ? item : item.op)),
      body,
    );
  }

  /** Nodes made in `body` are placed on the device of `op`, whichever that will be. Leaves all device scopes. */
  withColocation<T>(op: Operation | Output, body: () => T): T {
    const before = this.#colocation;
    this.#colocation = [...before, op instanceof Operation ? op : op.op];
    try {
      return this.#devices.without(body);
    } finally {
      this.#colocation = before;
    }
  }

  /**
   * Inputs of nodes made in `body` go through `capture`, which may put another tensor in their place: how the body of a
   * loop gets at tensors outside of it.
   */
  withCapture<T>(capture: (input: Output) => Output, body: () => T): T {
    const before = this.#captures;
    this.#captures = [...before, capture];
    try {
      return body();
    } finally {
      this.#captures = before;
    }
  }

  /** Adds to one of the graph's collections, for example "variables" or "trainable_variables". */
  addToCollection(name: string, item: CollectionItem): void {
    const items = this.#collections.get(name);
    if (items) items.push(item);
    else this.#collections.set(name, [item]);
  }

  collection(name: string): readonly CollectionItem[] {
    return this.#collections.get(name) ?? [];
  }

  /** The graph as it is sent and saved; with `from`, only the operations after the first `from`. */
  toGraphDef(from = 0): GraphDef {
    return { ...this.#source, node: this.operations.slice(from).map((op) => op.toNodeDef()) };
  }

  /** The graph with its collections, as tf.compat.v1.train.export_meta_graph makes it and import_meta_graph reads it. */
  toMetaGraphDef(): MetaGraphDef {
    return metaGraphOf(this.toGraphDef(), this.registry, collectionDefs(this.#collections));
  }
}

/** The attributes of an op with the given ones filled in. For code that makes nodes without a Graph. */
export function attrsOf(
  registry: OpRegistry,
  type: string,
  attrs: Readonly<Record<string, AttrInput>>,
): Map<string, AttrValue> {
  const opDef = registry.require(type);
  const out = new Map<string, AttrValue>();
  for (const attr of opDef.attr) {
    const given = attrs[attr.name];
    const value = given === undefined ? attr.defaultValue : toAttrValue(attr, given);
    if (value) out.set(attr.name, value);
  }
  return out;
}
