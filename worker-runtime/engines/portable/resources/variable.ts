import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import { copyOfData } from "../kernels/support/allocation.js";
import type { RefCell } from "../values.js";
import type { Resource } from "./resource-manager.js";

/** Variables that a handle names. */
export const RESOURCE_VARIABLE = "tensorflow::Var";
/** Variables that a reference edge leads to; they share no names with the others. */
export const REFERENCE_VARIABLE = "tensorflow::LegacyVar";

/**
 * The place of a variable. Its value is shared with whoever reads it, so an update copies it first, unless nobody can
 * have it: not read since the last update made or took the array for the variable alone.
 */
export class Variable implements Resource, RefCell {
  readonly typeName: string;
  readonly dtype: DType;
  readonly name: string;
  /** The shape that was declared; undefined where it was left open. Assign compares with it until there is a value. */
  readonly declaredShape: readonly number[] | undefined;
  #value: Tensor | undefined;
  /** False only while no one but this variable can hold the array of its value. */
  #shared = true;

  constructor(options: {
    readonly typeName: string;
    readonly dtype: DType;
    readonly name: string;
    readonly declaredShape?: readonly number[] | undefined;
  }) {
    this.typeName = options.typeName;
    this.dtype = options.dtype;
    this.name = options.name;
    this.declaredShape = options.declaredShape;
  }

  /** What the variable holds; whoever gets it may keep it. */
  get value(): Tensor | undefined {
    this.#shared = true;
    return this.#value;
  }

  /** The new value is used as it is, not copied. */
  set value(value: Tensor | undefined) {
    this.#shared = true;
    this.#value = value;
  }

  get initialized(): boolean {
    return this.#value !== undefined;
  }

  /** The shape of the value, before there is one the declared shape. */
  get shape(): readonly number[] | undefined {
    return this.#value?.shape ?? this.declaredShape;
  }

  /**
   * Lets `use` read the value without taking it: the array stays the variable's own. It must not keep the tensor.
   * @returns undefined where there is no value.
   */
  peek<T>(use: (value: Tensor) => T): T | undefined {
    return this.#value === undefined ? undefined : use(this.#value);
  }

  /**
   * The value with an array that may be written, until this function or `value` is used again.
   * @returns undefined where there is no value.
   */
  writable(): Tensor | undefined {
    if (this.#value !== undefined && this.#shared) {
      this.#value = new Tensor(this.#value.dtype, this.#value.shape, copyOfData(this.#value));
      this.#shared = false;
    }
    return this.#value;
  }
}
