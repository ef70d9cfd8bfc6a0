/** Random inputs and attributes of one node of ONNX. */
import type { GeneratorValue } from "fast-check";
import { type DType, itemSize } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { OnnxAttribute } from "../../../../support/onnx-model.js";
import fc from "../../../../support/seeded-check.js";

export const FLOATS = ["float32", "float64", "float16"] as const satisfies readonly DType[];
export const SIGNED = ["int32", "int64", "int8", "int16"] as const satisfies readonly DType[];
export const UNSIGNED = ["uint8", "uint16", "uint32", "uint64"] as const satisfies readonly DType[];
/** Those of operator sets before 14 for arithmetic. */
export const LARGE = ["float32", "float64", "float16", "int32", "int64", "uint32", "uint64"] as const;
export const NUMBERS: readonly DType[] = [...FLOATS, ...SIGNED, ...UNSIGNED];
export const ALL: readonly DType[] = [...NUMBERS, "bool"];

export interface Argument {
  readonly value: Tensor;
  /** An initializer of the model, and not fed. */
  readonly isConstant: boolean;
}

/** A node with its inputs. */
export interface NodeCase {
  /** Undefined: left out. */
  readonly inputs: readonly (Argument | undefined)[];
  readonly attributes?: Readonly<Record<string, OnnxAttribute>>;
  /** Defaults to 1. */
  readonly outputs?: number;
}

/** The inputs and attributes that an operator may be given. */
export interface OpSpecification {
  /** The first operator set that has it; 13 unless given. */
  readonly since?: number;
  draw(draw: Draw): NodeCase;
}

interface Range {
  readonly from?: number;
  readonly to?: number;
}

/** Values of one case, all of which come from the property's generator. */
export class Draw {
  readonly opset: number;
  readonly #values: GeneratorValue;

  constructor(values: GeneratorValue, since = 13) {
    this.#values = values;
    this.opset = this.int(since, 21);
  }

  /** Both ends are possible. */
  int(from: number, to: number): number {
    return this.#values(fc.integer, { min: from, max: to });
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.int(0, list.length - 1)];
    if (found === undefined) throw new Error("There is nothing to pick from.");
    return found;
  }

  flag(): boolean {
    return this.int(0, 1) === 1;
  }

  /** One of a few cases. */
  seldom(): boolean {
    return this.int(0, 4) === 0;
  }

  maybe<T>(make: () => T): T | undefined {
    return this.flag() ? make() : undefined;
  }

  shape(least = 0, most = 4): readonly number[] {
    return Array.from({ length: this.int(least, most) }, () => this.int(1, 4));
  }

  /** One that broadcasts to a shape: some sizes are 1, some of the first ones are left out. */
  narrower(shape: readonly number[]): readonly number[] {
    return shape.slice(this.int(0, shape.length)).map((size) => (this.seldom() ? 1 : size));
  }

  axis(rank: number): number {
    return this.int(-rank, rank - 1);
  }

  /** Different ones, in any order, some counted from the end. */
  axes(rank: number, least = 1): readonly number[] {
    const all = this.#values(fc.shuffledSubarray, [...Array(rank).keys()], {
      minLength: Math.min(least, rank),
    });
    return all.map((axis) => (this.seldom() ? axis - rank : axis));
  }

  order(rank: number): readonly number[] {
    const all = [...Array(rank).keys()];
    return this.#values(fc.shuffledSubarray, all, { minLength: rank });
  }

  /** Small numbers, of which some are equal and some lie half-way between whole ones. */
  tensor(dtype: DType, shape: readonly number[], { from = -6, to = 6 }: Range = {}): Tensor {
    const size = shape.reduce((product, one) => product * one, 1);
    const isFloat = dtype.startsWith("float");
    const least = dtype.startsWith("uint") ? Math.max(from, 0) : from;
    const list = Array.from({ length: size }, () =>
      dtype === "bool"
        ? this.flag()
        : isFloat
          ? this.int(Math.ceil(least * 4), Math.floor(to * 4)) / 4
          : this.int(Math.ceil(least), Math.floor(to)),
    );
    if (dtype === "bool") return Tensor.of(list, dtype, shape);
    const isLong = !isFloat && itemSize(dtype) === 8;
    return Tensor.of(isLong ? list.map((one) => BigInt(one)) : list, dtype, shape);
  }

  fed(dtype: DType, shape: readonly number[], range?: Range): Argument {
    return { value: this.tensor(dtype, shape, range), isConstant: false };
  }

  weight(dtype: DType, shape: readonly number[], range?: Range): Argument {
    return { value: this.tensor(dtype, shape, range), isConstant: true };
  }

  /** Fed or constant. */
  either(dtype: DType, shape: readonly number[], range?: Range): Argument {
    return { value: this.tensor(dtype, shape, range), isConstant: this.flag() };
  }

  /** A vector of shapes, axes or the like. */
  ints(values: readonly number[], dtype: "int32" | "int64" = "int64"): Argument {
    const value = Tensor.of(dtype === "int64" ? values.map(BigInt) : [...values], dtype, [values.length]);
    return { value, isConstant: this.flag() };
  }

  scalar(value: number, dtype: DType): Argument {
    const isLong = /^u?int64$/.test(dtype);
    return { value: Tensor.of(isLong ? BigInt(value) : value, dtype, []), isConstant: !this.seldom() };
  }

  /** The attributes that are given. */
  attributes(all: Readonly<Record<string, OnnxAttribute | undefined>>): Record<string, OnnxAttribute> {
    return Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  }
}
