import type { DType } from "../../../protocol/dtype.js";
import { int } from "../onnx/attributes.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import { onnxDataType } from "../onnx/tensor-proto.js";
import { scalar } from "./constants.js";
import { Writer } from "./writer.js";

/** Writes formulas on tensors of one float dtype; scalars broadcast. */
export class Arithmetic {
  readonly #model: ModelBuilder;
  readonly #dtype: DType;

  constructor(model: ModelBuilder, dtype: DType) {
    this.#model = model;
    this.#dtype = dtype;
  }

  get zero(): OnnxValue {
    return this.constant(0);
  }

  get one(): OnnxValue {
    return this.constant(1);
  }

  constant(value: number): OnnxValue {
    return scalar(this.#model, this.#dtype, value);
  }

  /** Converts a tensor of another dtype to this dtype. */
  convert(value: OnnxValue): OnnxValue {
    const attributes = { to: int(onnxDataType(this.#dtype)) };
    return this.#model.node("Cast", [value], this.#dtype, { attributes });
  }

  add(a: OnnxValue, b: OnnxValue): OnnxValue {
    return this.#node("Add", a, b);
  }

  sub(a: OnnxValue, b: OnnxValue): OnnxValue {
    return this.#node("Sub", a, b);
  }

  mul(a: OnnxValue, b: OnnxValue): OnnxValue {
    return this.#node("Mul", a, b);
  }

  div(a: OnnxValue, b: OnnxValue): OnnxValue {
    return this.#node("Div", a, b);
  }

  pow(a: OnnxValue, b: OnnxValue): OnnxValue {
    return this.#node("Pow", a, b);
  }

  max(a: OnnxValue, b: OnnxValue): OnnxValue {
    return this.#node("Max", a, b);
  }

  neg(a: OnnxValue): OnnxValue {
    return this.#node("Neg", a);
  }

  abs(a: OnnxValue): OnnxValue {
    return this.#node("Abs", a);
  }

  sign(a: OnnxValue): OnnxValue {
    return this.#node("Sign", a);
  }

  sqrt(a: OnnxValue): OnnxValue {
    return this.#node("Sqrt", a);
  }

  exp(a: OnnxValue): OnnxValue {
    return this.#node("Exp", a);
  }

  /** Whether a is greater than b, element by element: a bool tensor. */
  greater(a: OnnxValue, b: OnnxValue): OnnxValue {
    return this.#model.node("Greater", [a, b], "bool");
  }

  /** Whether a is greater than or equal to b, element by element: a bool tensor. */
  atLeast(a: OnnxValue, b: OnnxValue): OnnxValue {
    return this.#model.node("GreaterOrEqual", [a, b], "bool");
  }

  not(a: OnnxValue): OnnxValue {
    return this.#model.node("Not", [a], "bool");
  }

  /** As `Writer.unless`. */
  unless(wrong: OnnxValue, value: OnnxValue): OnnxValue {
    return new Writer({ model: this.#model }).unless(wrong, value);
  }

  where(condition: OnnxValue, yes: OnnxValue, no: OnnxValue): OnnxValue {
    return this.#node("Where", condition, yes, no);
  }

  #node(op: string, ...inputs: readonly OnnxValue[]): OnnxValue {
    return this.#model.node(op, inputs, this.#dtype);
  }
}
