import { type DType, dtypeKind } from "../../../protocol/dtype.js";
import { internalError } from "../../../protocol/status.js";
import { Tensor } from "../../../protocol/tensor.js";
import { integersOf } from "../kernels/support/elements.js";
import { int, type OnnxAttributes } from "../onnx/attributes.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import { onnxDataType } from "../onnx/tensor-proto.js";
import type { LoweringContext } from "./lowering.js";

/** Beyond the end of any tensor: "to the end" in a Slice. */
export const FAR = 2n ** 63n - 1n;

/** An input of a node by its index. @throws TensorFlowError INTERNAL if the node has none. */
export function inputAt(inputs: readonly OnnxValue[], index: number): OnnxValue {
  const input = inputs[index];
  if (input === undefined) {
    throw internalError(`A lowering asks for input ${index} of a node that has ${inputs.length}.`);
  }
  return input;
}

/** The integers of an input; undefined if they may differ in the next run. */
export function numbersOf(context: LoweringContext, input: OnnxValue): readonly number[] | undefined {
  const tensor = context.value(input);
  return tensor === undefined ? undefined : integersOf(tensor);
}

/** The single integer of an input; undefined if it has several or may differ in the next run. */
export function numberAt(context: LoweringContext, input: OnnxValue): number | undefined {
  const [number, ...more] = numbersOf(context, input) ?? [];
  return more.length === 0 ? number : undefined;
}

/** An axis counted from the front; undefined if the tensor does not have it. */
export function axisWithin(axis: number, rank: number): number | undefined {
  const fromFront = axis < 0 ? axis + rank : axis;
  return Number.isInteger(axis) && fromFront >= 0 && fromFront < rank ? fromFront : undefined;
}

/** The single axis given by an input, counted from the front; undefined if it is unknown or invalid. */
export function axisOf(context: LoweringContext, input: OnnxValue, rank: number): number | undefined {
  const axis = numberAt(context, input);
  return axis === undefined ? undefined : axisWithin(axis, rank);
}

/** The operators that lowerings share, as methods that know the dtypes of their results. */
export class Writer {
  readonly model: ModelBuilder;

  constructor({ model }: Pick<LoweringContext, "model">) {
    this.model = model;
  }

  /** A node whose result has the dtype of its first input. */
  same(op: string, inputs: readonly (OnnxValue | undefined)[], attributes?: OnnxAttributes): OnnxValue {
    const [first] = inputs;
    if (first === undefined) {
      throw internalError(`A node of ${op} has no first input.`);
    }
    return this.model.node(op, inputs, first.dtype, attributes === undefined ? {} : { attributes });
  }

  /** A node whose result is bool. */
  test(op: string, ...inputs: readonly OnnxValue[]): OnnxValue {
    return this.model.node(op, inputs, "bool");
  }

  add = (left: OnnxValue, right: OnnxValue): OnnxValue => this.same("Add", [left, right]);
  sub = (left: OnnxValue, right: OnnxValue): OnnxValue => this.same("Sub", [left, right]);
  mul = (left: OnnxValue, right: OnnxValue): OnnxValue => this.same("Mul", [left, right]);
  div = (left: OnnxValue, right: OnnxValue): OnnxValue => this.same("Div", [left, right]);

  /** @param condition a bool tensor. */
  where(condition: OnnxValue, yes: OnnxValue, no: OnnxValue): OnnxValue {
    return this.model.node("Where", [condition, yes, no], yes.dtype);
  }

  /** Selects between two tensors; uses logical operators for bool, which Where does not accept. */
  choose(condition: OnnxValue, yes: OnnxValue, no: OnnxValue): OnnxValue {
    if (yes.dtype !== "bool") {
      return this.where(condition, yes, no);
    }
    const otherwise = this.test("And", this.test("Not", condition), no);
    return this.test("Or", this.test("And", condition, yes), otherwise);
  }

  /**
   * Returns the value itself if it already has the dtype, and sizes as they were before a cast to int32: WebGPU has a
   * kernel for a cast to int64, so sizes, which are on the host, would be copied to the GPU and back.
   */
  cast(value: OnnxValue, dtype: DType): OnnxValue {
    if (dtype === "int64" && value.sizes !== undefined) {
      return value.sizes;
    }
    if (value.dtype === dtype) {
      return value;
    }
    const cast = this.model.node("Cast", [value], dtype, { attributes: { to: int(onnxDataType(dtype)) } });
    return { ...cast, castFrom: value.castFrom ?? value };
  }

  /** A constant scalar. */
  scalar(dtype: DType, value: number | bigint | boolean): OnnxValue {
    return this.model.constant(scalarTensor(dtype, value));
  }

  /** A constant vector of int64, ONNX's type for axes, sizes and indices. */
  longs(values: readonly (number | bigint)[]): OnnxValue {
    return this.model.constant(Tensor.of(values.map(BigInt), "int64", [values.length]));
  }

  /** A constant vector of bool. */
  flags(values: readonly boolean[]): OnnxValue {
    return this.model.constant(Tensor.of(values, "bool", [values.length]));
  }

  /**
   * The sizes as int64, of all dimensions or of those from `start` to `end` (exclusive). They are taken of what a value was cast
   * from: ONNX Runtime 1.30 loses a Cast that is an output where nothing but the shape is taken of a Cast after it.
   */
  shape(value: OnnxValue, start = 0, end?: number): OnnxValue {
    const attributes = {
      ...(start === 0 ? {} : { start: int(start) }),
      ...(end === undefined ? {} : { end: int(end) }),
    };
    return this.model.node("Shape", [value.castFrom ?? value], "int64", { attributes });
  }

  /** @param shape int64; -1 stands for the remaining size, and 0 is an actual size. */
  reshape(value: OnnxValue, shape: OnnxValue): OnnxValue {
    return this.same("Reshape", [value, shape], { allowzero: int(1) });
  }

  /** A value with one element, or a vector, as a vector of int64. */
  vector(value: OnnxValue): OnnxValue {
    return this.reshape(this.cast(value, "int64"), this.longs([-1]));
  }

  unsqueeze(value: OnnxValue, ...axes: readonly number[]): OnnxValue {
    return axes.length === 0 ? value : this.same("Unsqueeze", [value, this.longs(axes)]);
  }

  squeeze(value: OnnxValue, ...axes: readonly number[]): OnnxValue {
    return axes.length === 0 ? value : this.same("Squeeze", [value, this.longs(axes)]);
  }

  /** Concatenates vectors of int64. */
  join(...parts: readonly OnnxValue[]): OnnxValue {
    const [only, second] = parts;
    return only !== undefined && second === undefined ? only : this.same("Concat", parts, { axis: int(0) });
  }

  /** A tensor filled with one number. @param shape int64. */
  filled(shape: OnnxValue, value: Tensor): OnnxValue {
    return this.same("Expand", [this.model.constant(value), shape]);
  }

  /**
   * Returns the value, and makes the model fail if a condition holds: ONNX has no error operator, but index 1 is out of
   * range in a tensor with one row.
   * @param wrong a bool scalar.
   */
  unless(wrong: OnnxValue, value: OnnxValue): OnnxValue {
    return this.same("Gather", [this.unsqueeze(value, 0), this.cast(wrong, "int64")]);
  }

  /** As `unless`, for values that are large: only their shape is looked up. */
  checked(value: OnnxValue, wrong: OnnxValue): OnnxValue {
    return this.reshape(value, this.unless(wrong, this.shape(value)));
  }

  /** A scalar: whether two tensors of numbers that broadcast differ anywhere. */
  differ(left: OnnxValue, right: OnnxValue): OnnxValue {
    return this.any(this.test("Not", this.test("Equal", left, right)));
  }

  /** A scalar: whether any of the flags is true. */
  any(flags: OnnxValue): OnnxValue {
    // As bytes, because ONNX Runtime has no maximum of an empty bool tensor.
    const largest = this.same("ReduceMax", [this.cast(flags, "uint8")], { keepdims: int(0) });
    return this.cast(largest, "bool");
  }

  /**
   * The result of a broadcasting operator, for a TensorFlow op that rejects operands of different shapes: if the ranks
   * are equal and the result has as many elements as each operand, nothing was broadcast.
   */
  ofOneShape(result: OnnxValue, operands: readonly OnnxValue[]): OnnxValue {
    return this.reshape(
      result,
      this.same(
        "Min",
        operands.map((operand) => this.shape(operand)),
      ),
    );
  }

  /**
   * Indices whose negative values, which ONNX would count from the end, are made out of range, as they are in
   * TensorFlow.
   */
  fromFront(indices: OnnxValue): OnnxValue {
    const zero = this.scalar(indices.dtype, 0);
    const far = this.scalar(indices.dtype, indices.dtype === "int64" ? FAR : 2 ** 31 - 1);
    return this.where(this.test("Less", indices, zero), far, indices);
  }
}

/** A scalar of any dtype that ONNX has. */
export function scalarTensor(dtype: DType, value: number | bigint | boolean): Tensor {
  if (dtype === "bool") {
    return Tensor.of(Boolean(value), dtype);
  }
  return Tensor.of(dtypeKind(dtype) === "long" ? BigInt(value) : Number(value), dtype);
}
