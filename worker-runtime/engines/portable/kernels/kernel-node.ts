import type { AttrValue, NameAttrList } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import type { OpDef } from "../../../../protos/generated/tensorflow/op_def.js";
import { attrOf, inputArgs, outputTypes, type SignatureArg } from "../../../graph/node-signature.js";
import { baseDataType, type DType, dtypeOf } from "../../../protocol/dtype.js";
import { invalidArgument } from "../../../protocol/status.js";
import { type Tensor, tensorFromProto } from "../../../protocol/tensor.js";
import { checkExpansion } from "./support/allocation.js";

const utf8 = new TextDecoder();

/** No op has this many inputs or outputs; a graph that declares more is broken or malicious. */
const MAX_LIST_LENGTH = 1n << 20n;

/** Rejects lengths for which the signature would fill the memory. */
function checkListLengths(def: NodeDef, opDef: OpDef): void {
  checkLengthsOf(opDef.inputArg, def, opDef);
  checkLengthsOf(opDef.outputArg, def, opDef);
}

function checkLengthsOf(args: OpDef["inputArg"], def: NodeDef, opDef: OpDef): void {
  for (const { numberAttr } of args) {
    const length = numberAttr === "" ? undefined : attrOf(opDef, def, numberAttr)?.value;
    if (length?.$case === "i" && (length.value < 0n || length.value > MAX_LIST_LENGTH)) {
      throw invalidArgument(
        `Value for attr '${numberAttr}' of ${length.value} must be from 0 to ${MAX_LIST_LENGTH}; NodeDef: {{node ${def.name}}}`,
      );
    }
  }
}

/** A partial shape: undefined for an unknown rank, -1 for an unknown size. */
export type PartialShape = readonly number[] | undefined;

/** A node as its kernel sees it: its attributes by kind (including the op's defaults) and its signature. Immutable. */
export class KernelNode {
  readonly def: NodeDef;
  readonly opDef: OpDef;
  /** The data inputs and outputs, with lists expanded. */
  readonly inputs: readonly SignatureArg[];
  readonly outputs: readonly SignatureArg[];
  /** Distinguishes nodes of equal names in different functions: "" in a graph, a key of the function in its body. */
  readonly scope: string;

  /**
   * @param opDef the definition of the node's op, from the op list or as a function of the graph's library.
   * @param signature that of a node with the same definition and the same attributes, if there was one.
   * @throws TensorFlowError INVALID_ARGUMENT for a list whose length attribute is negative or larger than any op needs.
   */
  constructor(
    def: NodeDef,
    opDef: OpDef,
    scope = "",
    signature?: Pick<KernelNode, "inputs" | "outputs"> | undefined,
  ) {
    this.def = def;
    this.opDef = opDef;
    this.scope = scope;
    if (signature !== undefined) {
      this.inputs = signature.inputs;
      this.outputs = signature.outputs;
      return;
    }
    checkListLengths(def, opDef);
    this.inputs = inputArgs(opDef, def);
    this.outputs = outputTypes(opDef, def);
  }

  get name(): string {
    return this.def.name;
  }

  get op(): string {
    return this.def.op;
  }

  /** The full name of the node's device; "" before placement. */
  get device(): string {
    return this.def.device;
  }

  has(attr: string): boolean {
    return this.#find(attr) !== undefined;
  }

  /** The dtype of a type attribute, with references as their base. @throws TensorFlowError INVALID_ARGUMENT */
  type(attr: string): DType {
    const value = this.#find(attr);
    return value?.$case === "type" ? dtypeOf(value.value) : this.#refuse(attr, "type");
  }

  /** An integer. @throws TensorFlowError INVALID_ARGUMENT, also beyond 2^53. */
  int(attr: string): number {
    return Number(this.long(attr));
  }

  long(attr: string): bigint {
    const value = this.#find(attr);
    return value?.$case === "i" ? value.value : this.#refuse(attr, "int");
  }

  float(attr: string): number {
    const value = this.#find(attr);
    return value?.$case === "f" ? value.value : this.#refuse(attr, "float");
  }

  bool(attr: string): boolean {
    const value = this.#find(attr);
    return value?.$case === "b" ? value.value : this.#refuse(attr, "bool");
  }

  bytes(attr: string): Uint8Array {
    const value = this.#find(attr);
    return value?.$case === "s" ? value.value : this.#refuse(attr, "string");
  }

  string(attr: string): string {
    return utf8.decode(this.bytes(attr));
  }

  shape(attr: string): PartialShape {
    const value = this.#find(attr);
    if (value?.$case !== "shape") {
      return this.#refuse(attr, "shape");
    }
    return value.value.unknownRank ? undefined : value.value.dim.map(({ size }) => Number(size));
  }

  tensor(attr: string): Tensor {
    const value = this.#find(attr);
    if (value?.$case !== "tensor") {
      return this.#refuse(attr, "tensor");
    }
    checkExpansion(value.value);
    return tensorFromProto(value.value);
  }

  func(attr: string): NameAttrList {
    const value = this.#find(attr);
    return value?.$case === "func" ? value.value : this.#refuse(attr, "func");
  }

  /** The dtypes in a type attribute or a list of types, references as their base; empty for any other attribute. */
  typesIn(attr: string): readonly DType[] {
    const kind = this.#find(attr)?.$case;
    return kind === "list" ? this.types(attr) : kind === "type" ? [this.type(attr)] : [];
  }

  types(attr: string): readonly DType[] {
    return this.#list(attr).type.map((type) => dtypeOf(baseDataType(type)));
  }

  ints(attr: string): readonly number[] {
    return this.#list(attr).i.map(Number);
  }

  floats(attr: string): readonly number[] {
    return this.#list(attr).f;
  }

  strings(attr: string): readonly string[] {
    return this.#list(attr).s.map((text) => utf8.decode(text));
  }

  shapes(attr: string): readonly PartialShape[] {
    return this.#list(attr).shape.map((shape) =>
      shape.unknownRank ? undefined : shape.dim.map(({ size }) => Number(size)),
    );
  }

  funcs(attr: string): readonly NameAttrList[] {
    return this.#list(attr).func;
  }

  /** The raw attribute; undefined if neither the node nor the op has it. */
  attr(name: string): AttrValue | undefined {
    return attrOf(this.opDef, this.def, name);
  }

  #find(name: string): AttrValue["value"] {
    return this.attr(name)?.value;
  }

  #list(name: string) {
    const value = this.#find(name);
    return value?.$case === "list" ? value.value : this.#refuse(name, "list");
  }

  #refuse(attr: string, kind: string): never {
    throw invalidArgument(`Node '${this.name}' of op ${this.op} has no ${kind} attribute '${attr}'.`);
  }
}
