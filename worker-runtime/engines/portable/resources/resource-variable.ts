import { Tensor } from "../../../protocol/tensor.js";
import { copyOfData } from "../kernels/support/allocation.js";
import { holdValue, letValueGo } from "../memory/held-tensor.js";
import { Variable } from "./variable.js";

export const RESOURCE_VARIABLE = "tensorflow::Var";

/**
 * A resource variable, which is named by a handle. Its value is shared with its readers and must not change for them,
 * so an update copies it first, unless no reader can have it: it has not been read since the last update created the
 * array or took it over.
 */
export class ResourceVariable extends Variable {
  readonly typeName = RESOURCE_VARIABLE;
  #value: Tensor | undefined;
  /** False only while no one but this variable can hold the array of its value. */
  #shared = true;

  get value(): Tensor | undefined {
    this.#shared = true;
    return this.#value;
  }

  /** The new value is used as it is, not copied. */
  assign(value: Tensor): void {
    this.#shared = true;
    this.#set(value);
  }

  adopt(value: Tensor): void {
    this.#set(value);
    this.#shared = false;
  }

  peek<T>(use: (value: Tensor) => T): T | undefined {
    return this.#value === undefined ? undefined : use(this.#value);
  }

  writable(): Tensor | undefined {
    if (this.#value !== undefined && this.#shared) {
      this.#set(new Tensor(this.#value.dtype, this.#value.shape, copyOfData(this.#value)));
      this.#shared = false;
    }
    return this.#value;
  }

  dispose(): void {
    this.#set(undefined);
  }

  #set(value: Tensor | undefined): void {
    holdValue(value);
    letValueGo(this.#value);
    this.#value = value;
  }
}
