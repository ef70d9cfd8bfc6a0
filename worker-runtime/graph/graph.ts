import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { alreadyExists, invalidArgument, notFound } from "../protocol/status.js";
import { type AttrInput, stringListAttr, toAttrValue } from "./attr-values.js";
import { type CollectionItem, collectionDefs, metaGraphOf } from "./collections.js";
import { COLOCATION_ATTR } from "./colocation-groups.js";
import { parseEdge } from "./edge.js";
import { FunctionLibrary } from "./functions/function-library.js";
import { buildNode, type NodeParts, type NodeTaker, type OpInput } from "./graph-op-builder.js";
import { ControlScopes, type DeviceScope, DeviceScopes, NameScopes } from "./graph-scopes.js";
import { outputTypes } from "./node-signature.js";
import { GRAPH_DEF_MIN_CONSUMER, GRAPH_DEF_VERSION } from "./op-list.js";
import { bundledOpRegistry, type OpRegistry } from "./op-registry.js";
import { Operation, type Output } from "./operation.js";
import { inferOutputs } from "./shape-inference.js";
import { shapeContextOf } from "./shape-propagation.js";
import { didYouMean } from "./similar-names.js";

export type { OpInput } from "./graph-op-builder.js";
export type { DeviceFunction, DeviceScope } from "./graph-scopes.js";
export { Operation, Output } from "./operation.js";

export interface GraphOptions {
  /** The ops that nodes can use; defaults to TensorFlow's own. */
  readonly registry?: OpRegistry | undefined;
  /** The functions that nodes can call; defaults to none. Graphs of bodies share those of their graph. */
  readonly functions?: FunctionLibrary | undefined;
}

/** Gives a node another tensor in place of an input; `isReplaced` if a capture around this one has done so, too. */
export type Capture = (input: Output, isReplaced: boolean) => Output;

/**
 * A TensorFlow graph under construction, with the rules of tf.Graph: unique names, scopes for names, devices, control
 * dependencies and colocation. Nodes are only ever added.
 */
export class Graph implements NodeTaker {
  readonly registry: OpRegistry;
  readonly functions: FunctionLibrary;
  readonly #operations = new Map<string, Operation>();
  readonly #names = new NameScopes();
  readonly #devices = new DeviceScopes();
  readonly #controls = new ControlScopes();
  readonly #collections = new Map<string, CollectionItem[]>();
  #colocation: readonly Operation[] = [];
  #captures: readonly Capture[] = [];
  readonly #outsideLoops = new Set<Operation>();
  /** The GraphDef without its nodes: versions, functions, and unknown fields that were read. */
  #source: GraphDef = GraphDef.fromPartial({
    versions: { producer: GRAPH_DEF_VERSION, minConsumer: GRAPH_DEF_MIN_CONSUMER },
  });

  constructor(options: GraphOptions = {}) {
    this.registry = options.registry ?? bundledOpRegistry();
    this.functions = options.functions ?? new FunctionLibrary();
  }

  /**
   * Creates a graph from a GraphDef, whose nodes may be in any order and form loops.
   * @throws TensorFlowError INVALID_ARGUMENT for a missing input, NOT_FOUND for an unknown op
   */
  static fromGraphDef(graphDef: GraphDef, options: GraphOptions = {}): Graph {
    const base = options.registry ?? bundledOpRegistry();
    const functions = options.functions ?? new FunctionLibrary(graphDef.library);
    const graph = new Graph({ registry: base.withFunctions(graphDef.library), functions });
    graph.#source = { ...graphDef, node: [], library: undefined };
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

  /** All operations in the order of their creation. */
  get operations(): readonly Operation[] {
    return [...this.#operations.values()];
  }

  /** Number of operations. A session that has the first n must be sent `toGraphDef(n)`. */
  get size(): number {
    return this.#operations.size;
  }

  /** @throws TensorFlowError NOT_FOUND, with similar names, if there is no such operation */
  operation(name: string): Operation {
    const op = this.#operations.get(name);
    if (op) return op;
    throw notFound(`The graph has no node "${name}".${didYouMean(name, this.#operations.keys())}`);
  }

  /** The tensor named, for example, "x:0"; a node's name means its first output. */
  tensor(name: string): Output {
    const edge = parseEdge(name);
    if (edge.control) throw invalidArgument(`"${name}" is a control input, not a tensor.`);
    return this.operation(edge.node).outputAt(edge.output);
  }

  /**
   * Adds an operation.
   * @param type the op's name, for example "MatMul"
   * @param inputs one entry per input argument of the op. Values become Const nodes; a list argument accepts an array
   *   of tensors. JavaScript numbers are float32 unless the op or its other inputs determine another dtype.
   * @param attrs attributes that cannot be inferred from the inputs; omitted ones have the op's defaults
   * @param name the name within the current scope; defaults to the op's name
   * @throws TensorFlowError NOT_FOUND for an unknown op, INVALID_ARGUMENT for invalid inputs or attributes
   */
  op(
    type: string,
    inputs: readonly OpInput[] = [],
    attrs: Readonly<Record<string, AttrInput | undefined>> = {},
    name: string = type,
  ): Operation {
    return buildNode(this, type, inputs, attrs, name);
  }

  /** Adds a node that is complete except for what scopes add: device, control inputs, colocation. */
  addNode(parts: NodeParts): Operation {
    const opDef = this.registry.require(parts.type);
    const foreign = parts.inputs.find((input) => Graph.of(input) !== this);
    if (foreign) throw invalidArgument(`${foreign.name} is a tensor of another graph.`);
    const inputs = parts.inputs.map((input) => this.#captured(input));
    const dataOps = inputs.map((input) => input.op);
    const attrs = new Map(parts.attrs);
    let device = this.#devices.deviceFor(parts.type, attrs);
    if (this.#colocation.length > 0) {
      attrs.set(
        COLOCATION_ATTR,
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
    // Incompatible shapes are reported here, when the node is created, as in TensorFlow.
    op.setFacts(inferOutputs(shapeContextOf(op)));
    // A name that ends with "/" is used unchanged, so it may already exist.
    if (this.#operations.has(op.name))
      throw alreadyExists(`The graph has a node named "${op.name}" already.`);
    this.#operations.set(op.name, op);
    this.#controls.record(op);
    return op;
  }

  #captured(input: Output): Output {
    const captures = this.#captures;
    if (captures.length === 0) return input;
    try {
      return captures.reduce((tensor, capture, i) => {
        // Nodes that a capture adds belong to its loop, not to those inside of it.
        this.#captures = captures.slice(0, i);
        return capture(tensor, tensor !== input);
      }, input);
    } finally {
      this.#captures = captures;
    }
  }

  /** Closes a loop: replaces an input of an earlier operation by a later tensor (NextIteration to Merge). */
  updateInput(op: Operation, index: number, input: Output): void {
    if (Graph.of(op) !== this || Graph.of(input) !== this)
      throw invalidArgument("Both ends of an edge have to be in this graph.");
    if (index < 0 || index >= op.inputs.length)
      throw invalidArgument(`Node "${op.name}" has no input ${index}.`);
    op.connect(op.inputs.with(index, input), op.controlInputs);
  }

  /**
   * Makes of an operation another one with the same outputs and more behind them, as gradients do of calls whose
   * intermediate results they need. A session that was sent the operation before does not know the new outputs.
   * @param change its new op, attributes that differ, and all of its data inputs
   */
  extendOperation(
    op: Operation,
    change: {
      readonly type?: string;
      readonly attrs: ReadonlyMap<string, AttrValue>;
      readonly inputs?: readonly Output[];
    },
  ): void {
    const type = change.type ?? op.type;
    const attrs = new Map([...op.attrs, ...change.attrs]);
    op.become(
      type,
      attrs,
      change.inputs ?? op.inputs,
      outputTypes(this.registry.require(type), { attr: attrs }),
    );
    op.setFacts(inferOutputs(shapeContextOf(op)));
  }

  /** Adds a control input to an operation. */
  addControlInput(op: Operation, input: Operation): void {
    if (!op.controlInputs.includes(input)) op.connect(op.inputs, [...op.controlInputs, input]);
  }

  /** Reserves a name within the current scope that no node or scope has. */
  uniqueName(name: string): string {
    return this.#names.unique(name);
  }

  /** Names in `body` begin with `name/`. A name that ends with "/" reopens a scope; "" is the top. */
  withNameScope<T>(name: string, body: (scope: string) => T): T {
    return this.#names.within(name, body);
  }

  /**
   * Nodes created in `body` get this device where inner scopes leave it open. A function, such as the result of
   * replicaDeviceSetter, is called for each node; undefined clears all outer device scopes.
   */
  withDevice<T>(device: DeviceScope, body: () => T): T {
    return this.#devices.within(device, body);
  }

  /** Nodes created in `body` run after these; undefined clears all outer control dependencies. */
  withControlDependencies<T>(after: readonly (Operation | Output)[] | undefined, body: () => T): T {
    return this.#controls.within(
      after?.map((item) => (item instanceof Operation ? item : item.op)),
      body,
    );
  }

  /** The operations that new ones run after. */
  get controlInputs(): readonly Operation[] {
    return this.#controls.inputsFor([]);
  }

  /** Nodes created in `body` are placed on the device of `op`. Clears all device scopes. */
  withColocation<T>(op: Operation | Output, body: () => T): T {
    const before = this.#colocation;
    this.#colocation = [...before, op instanceof Operation ? op : op.op];
    try {
      return this.#devices.without(body);
    } finally {
      this.#colocation = before;
    }
  }

  /** Nodes created in `body` are outside of all loops whose bodies are being built, and wait for nothing: tf.init_scope. */
  outsideLoops<T>(body: () => T): T {
    const captures = this.#captures;
    const before = this.size;
    this.#captures = [];
    try {
      return this.withControlDependencies(undefined, body);
    } finally {
      this.#captures = captures;
      if (captures.length > 0) for (const op of this.operations.slice(before)) this.#outsideLoops.add(op);
    }
  }

  /** Whether an operation was created by `outsideLoops` while the body of a loop was being built. */
  isOutsideLoops(op: Operation): boolean {
    return this.#outsideLoops.has(op);
  }

  /**
   * Inputs of nodes created in `body` go through `capture`, which may replace the tensor: this is how the body of a
   * loop accesses tensors outside of it.
   */
  withCapture<T>(capture: Capture, body: () => T): T {
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

  /** The graph in the form that is sent and saved; with `from`, without the first `from` operations. */
  toGraphDef(from = 0): GraphDef {
    const node = this.operations.slice(from).map((op) => op.toNodeDef());
    return { ...this.#source, node, library: this.functions.toProto() };
  }

  /** The graph with its collections, as in tf.compat.v1.train.export_meta_graph and import_meta_graph. */
  toMetaGraphDef(): MetaGraphDef {
    return metaGraphOf(this.toGraphDef(), this.registry, collectionDefs(this.#collections));
  }
}

/** All attributes of an op, given ones and defaults. For code that creates nodes without a Graph. */
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
