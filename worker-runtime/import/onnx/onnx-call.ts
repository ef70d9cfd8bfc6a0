import type { NodeProto } from "../../../protos/generated/onnx/onnx.js";
import { hasCpuKernelOf } from "../../engines/portable/kernels/registered-types.js";
import type { Graph } from "../../graph/graph.js";
import { allKnown, type KnownInts } from "../../graph/known-ints.js";
import { NodeBuilder } from "../../graph/layers/node-builder.js";
import { Output } from "../../graph/operation.js";
import { constant } from "../../graph/ops/index.js";
import type { DType } from "../../protocol/dtype.js";
import { invalidArgument, unimplemented } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";

/** A value of the model: a tensor of the graph, and what it is if that is known without running. */
export interface OnnxValue {
  readonly output: Output;
  readonly known: Tensor | undefined;
}

/**
 * Dtypes that have every value of another one, for ops of which TensorFlow has no kernel for that. What comes out is cast
 * back, and then wraps as it would have in the smaller dtype.
 */
const WIDER: Partial<Record<DType, readonly DType[]>> = {
  float16: ["float32"],
  int8: ["int32", "float32"],
  int16: ["int32", "float32"],
  uint8: ["int32", "float32"],
  uint16: ["int32", "float32"],
  uint32: ["int64"],
  bool: ["uint8"],
};

/** Makes the nodes that compute one node of ONNX. */
export class OnnxCall extends NodeBuilder {
  readonly type: string;
  /** The version of the operator set, on which the meaning of a node depends. */
  readonly opset: number;
  readonly outputs: number;
  readonly #node: NodeProto;
  readonly #values: readonly (OnnxValue | undefined)[];

  constructor(graph: Graph, node: NodeProto, opset: number, values: readonly (OnnxValue | undefined)[]) {
    const name = node.name || node.output[0] || "";
    super(graph, `The node "${name}" (${node.opType ?? ""})`);
    this.type = node.opType ?? "";
    this.opset = opset;
    this.outputs = node.output.length;
    this.#node = node;
    this.#values = values;
  }

  get inputs(): readonly Output[] {
    return this.#values.flatMap((value) => value?.output ?? []);
  }

  /** Computes in a wider dtype where TensorFlow has no kernel for that of the inputs. */
  override op(
    type: string,
    inputs: Parameters<Graph["op"]>[1] = [],
    attrs: Parameters<Graph["op"]>[2] = {},
    name?: string,
  ): Output {
    const { inputArg, outputArg } = this.graph.registry.require(type);
    const wider = new Map<string, { readonly own: DType; readonly wide: DType }>();
    for (const [at, { typeAttr }] of inputArg.entries()) {
      const [first] = [inputs[at]].flat();
      if (!typeAttr || !(first instanceof Output) || hasCpuKernelOf(type, typeAttr, first.dtype)) continue;
      const own = first.dtype;
      const wide = WIDER[own]?.find((dtype) => hasCpuKernelOf(type, typeAttr, dtype));
      if (!wide) throw this.unsupported(`is of ${own}, for which TensorFlow has no ${type}`);
      wider.set(typeAttr, { own, wide });
    }
    if (wider.size === 0) return super.op(type, inputs, attrs, name);
    const casts = inputs.map((input, at) => {
      const found = wider.get(inputArg[at]?.typeAttr ?? "");
      if (!found) return input;
      const cast = [input].flat().map((one) => (one instanceof Output ? this.cast(one, found.wide) : one));
      return Array.isArray(input) ? cast : (cast[0] ?? input);
    });
    const made = super.op(type, casts, attrs, name);
    const found = wider.get(outputArg[0]?.typeAttr ?? "");
    return found ? this.cast(made, found.own) : made;
  }

  /** An input that there must be. */
  input(at = 0): Output {
    const value = this.#values[at];
    if (value) return value.output;
    throw invalidArgument(`${this.layer} has no input ${at}: the model is damaged.`);
  }

  /** Left out by an empty name, or behind the last one. */
  optional(at: number): Output | undefined {
    return this.#values[at]?.output;
  }

  /** The value of an input, if the model has it as a constant. */
  known(at: number): Tensor | undefined {
    return this.#values[at]?.known;
  }

  /** Whole numbers that an input has as a constant, or that follow from shapes; undefined if it is left out, or computed. */
  knownInts(at: number): readonly number[] | undefined {
    const known = this.known(at);
    if (known) return Array.from({ length: known.size }, (_, index) => Number(known.at(index)));
    return allKnown(this.#inferredInts(at));
  }

  /** The elements of a vector as far as they are known; undefined if it is not known how many there are. */
  partlyKnownInts(at: number): readonly (number | undefined)[] | undefined {
    const size = this.optional(at)?.shape?.[0] ?? -1;
    const inferred = this.knownInts(at) ?? this.#inferredInts(at)?.elements;
    return inferred ?? (size < 0 ? undefined : Array.from({ length: size }, () => undefined));
  }

  #inferredInts(at: number): KnownInts | undefined {
    const output = this.optional(at);
    // Shapes are inferred when they are asked for, and numbers with them.
    return output?.shape && output.op.factsSoFar?.[output.index]?.ints;
  }

  int(name: string, otherwise: number): number {
    const value = this.#attribute(name)?.i;
    return value === undefined ? otherwise : Number(value);
  }

  float(name: string, otherwise: number): number {
    return this.#attribute(name)?.f ?? otherwise;
  }

  text(name: string, otherwise: string): string {
    const value = this.#attribute(name)?.s;
    return value === undefined ? otherwise : new TextDecoder().decode(value);
  }

  /** Undefined if there is none. */
  listed(name: string): readonly number[] | undefined {
    return this.#attribute(name)?.ints.map(Number);
  }

  attributeTensor(name: string) {
    return this.#attribute(name)?.t;
  }

  rank(tensor: Output): number {
    if (tensor.shape) return tensor.shape.length;
    throw this.unsupported("takes a tensor of an unknown number of dimensions");
  }

  /** A dimension counted from the first. */
  axis(axis: number, rank: number): number {
    if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
    throw invalidArgument(`${this.layer} has the axis ${axis} of a tensor of ${rank} dimensions.`);
  }

  /** @throws TensorFlowError UNIMPLEMENTED if it is not known */
  override size(tensor: Output, axis: number): number {
    const size = tensor.shape?.at(axis) ?? -1;
    if (size >= 0) return size;
    throw this.unsupported(
      `must know the size of dimension ${axis} of its input, which the model leaves open`,
    );
  }

  /** 64-bit integers: shapes and axes as ONNX has them. */
  longs(values: number | readonly number[], name: string): Output {
    const given = typeof values === "number" ? BigInt(values) : values.map(BigInt);
    const shape = typeof values === "number" ? [] : [values.length];
    return constant(this.graph, Tensor.of(given, "int64", shape), { name });
  }

  transpose(tensor: Output, axes: readonly number[]): Output {
    return this.op("Transpose", [tensor, this.ints(axes, "axes")]);
  }

  /** A number of the same dtype as a tensor. */
  like(tensor: Output, value: number, name: string): Output {
    const { dtype } = tensor;
    const element = dtype === "bool" ? value !== 0 : /^u?int64$/.test(dtype) ? BigInt(value) : value;
    return constant(this.graph, Tensor.of(element, dtype), { name });
  }

  /** @param what ends the sentence 'The node "x" (Conv) …' */
  unsupported(what: string): Error {
    return unimplemented(
      `${this.layer} ${what}. Tensordeck cannot open this; convert the model to a SavedModel, and open that.`,
    );
  }

  #attribute(name: string) {
    return this.#node.attribute.find((attribute) => attribute.name === name);
  }
}

/** Makes the outputs of a node, in order. */
export type OnnxOp = (call: OnnxCall) => Output | readonly Output[];
