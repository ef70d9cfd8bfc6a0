import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { DataType } from "../../protos/generated/tensorflow/types.js";
import { type DType, dtypeOf } from "../protocol/dtype.js";
import { invalidArgument } from "../protocol/status.js";
import { colocationGroup, colocationGroups } from "./colocation-groups.js";
import { formatEdge, tensorName } from "./edge.js";
import type { SignatureArg } from "./node-signature.js";
import type { Shape } from "./shape.js";
import type { OutputFacts } from "./shape-context.js";
import { propagateShapes } from "./shape-propagation.js";

/** A tensor of a graph: one output of an operation. */
export class Output {
  constructor(
    readonly op: Operation,
    readonly index: number,
    /** Base type on the wire; undefined if the node's attributes do not determine it. */
    readonly dataType: DataType | undefined,
    /** Whether it is a reference: an old-style variable that other nodes may assign to. */
    readonly isRef: boolean,
  ) {}

  /** The name by which sessions feed and fetch it: "x:0". */
  get name(): string {
    return tensorName(this.op.name, this.index);
  }

  /** @throws TensorFlowError INVALID_ARGUMENT if the node's attributes do not determine it */
  get dtype(): DType {
    if (this.dataType === undefined) throw invalidArgument(`The dtype of ${this.name} is not known.`);
    return dtypeOf(this.dataType);
  }

  /** Its shape as far as known before a run; -1 for an unknown size, undefined for an unknown rank. */
  get shape(): Shape | undefined {
    return this.op.outputShapes[this.index];
  }

  toString(): string {
    return this.name;
  }
}

/** The parts of an operation when a graph creates it. */
export interface OperationParts {
  readonly name: string;
  readonly type: string;
  /** Data inputs; set later for graphs that are read, in which an input may come after its consumer. */
  readonly inputs: readonly Output[];
  readonly controlInputs: readonly Operation[];
  readonly device: string;
  readonly attrs: ReadonlyMap<string, AttrValue>;
  readonly outputs: readonly SignatureArg[];
  /** The node that it was read from, which keeps fields that this class does not expose. */
  readonly source?: NodeDef | undefined;
}

/** A node of a graph under construction. Created only by Graph, which alone changes it. */
export class Operation {
  readonly name: string;
  readonly device: string;
  #type: string;
  #attrs: ReadonlyMap<string, AttrValue>;
  #outputs: readonly Output[];
  #inputs: readonly Output[];
  #controlInputs: readonly Operation[];
  #facts: readonly OutputFacts[] | undefined;
  readonly #source: NodeDef | undefined;

  /** @param owner The Graph that it belongs to: see Graph.of. */
  constructor(
    readonly owner: object,
    parts: OperationParts,
  ) {
    this.name = parts.name;
    this.device = parts.device;
    this.#type = parts.type;
    this.#attrs = parts.attrs;
    this.#inputs = parts.inputs;
    this.#controlInputs = parts.controlInputs;
    this.#source = parts.source;
    this.#outputs = parts.outputs.map((arg, i) => new Output(this, i, arg.dtype, arg.isRef));
  }

  get type(): string {
    return this.#type;
  }

  get attrs(): ReadonlyMap<string, AttrValue> {
    return this.#attrs;
  }

  get outputs(): readonly Output[] {
    return this.#outputs;
  }

  get inputs(): readonly Output[] {
    return this.#inputs;
  }

  get controlInputs(): readonly Operation[] {
    return this.#controlInputs;
  }

  /** Its first output. @throws TensorFlowError INVALID_ARGUMENT for an operation without outputs */
  get output(): Output {
    return this.outputAt(0);
  }

  /** @throws TensorFlowError INVALID_ARGUMENT if it has fewer outputs */
  outputAt(index: number): Output {
    const output = this.outputs[index];
    if (output) return output;
    const count = this.outputs.length;
    throw invalidArgument(
      `${tensorName(this.name, index)} does not exist: ${this.type} node "${this.name}" has ` +
        `${count === 0 ? "no outputs" : count === 1 ? "one output" : `${count} outputs`}.`,
    );
  }

  /** The shapes of its outputs, as far as known before a run. */
  get outputShapes(): readonly (Shape | undefined)[] {
    return (this.#facts ?? propagateShapes(this)).map(({ shape }) => shape);
  }

  /** The known shapes of its outputs; undefined if it has not been inferred yet. */
  get factsSoFar(): readonly OutputFacts[] | undefined {
    return this.#facts;
  }

  /** Only for Graph and shape propagation. */
  setFacts(facts: readonly OutputFacts[]): void {
    this.#facts = facts;
  }

  /** The groups of nodes that must share its device: ["loc:@v"]; defaults to its own. */
  get colocationGroups(): readonly string[] {
    const groups = colocationGroups(this.attrs);
    return groups.length > 0 ? groups : [colocationGroup(this.name)];
  }

  /** Connects the inputs of an operation that was read before them, or the edge that closes a loop. Only for Graph. */
  connect(inputs: readonly Output[], controlInputs: readonly Operation[]): void {
    this.#inputs = inputs;
    this.#controlInputs = controlInputs;
  }

  /** Makes it another op that has the same outputs and more behind them. Only for Graph. */
  become(
    type: string,
    attrs: ReadonlyMap<string, AttrValue>,
    inputs: readonly Output[],
    outputs: readonly SignatureArg[],
  ): void {
    this.#type = type;
    this.#attrs = attrs;
    this.#inputs = inputs;
    this.#outputs = outputs.map((arg, i) => this.#outputs[i] ?? new Output(this, i, arg.dtype, arg.isRef));
  }

  toNodeDef(): NodeDef {
    // TensorFlow lists control inputs after the data inputs, by name. Nodes that were read keep their order.
    const names = this.controlInputs.map((op) => op.name);
    const controls = this.#source ? names : names.sort();
    return {
      ...(this.#source ?? {
        experimentalDebugInfo: undefined,
        experimentalType: undefined,
        _unknownFields: {},
      }),
      name: this.name,
      op: this.type,
      input: [
        ...this.inputs.map((o) => formatEdge({ control: false, node: o.op.name, output: o.index })),
        ...controls.map((node) => formatEdge({ control: true, node })),
      ],
      device: this.device,
      attr: new Map(this.attrs),
    };
  }

  toString(): string {
    return this.name;
  }
}
