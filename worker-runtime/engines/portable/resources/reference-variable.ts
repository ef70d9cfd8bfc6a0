import { elementsOfShape } from "../../../protocol/shape.js";
import { Tensor } from "../../../protocol/tensor.js";
import { isByteList, type TensorData } from "../../../protocol/tensor-data.js";
import type { Waiter } from "../exclusive-access.js";
import { copyOfData } from "../kernels/support/allocation.js";
import { Variable, type VariableOptions } from "./variable.js";

/** They share no names with those that handles name. */
export const REFERENCE_VARIABLE = "tensorflow::LegacyVar";

/** The variable that memory belongs to: an array buffer, or a list of strings. */
const owners = new WeakMap<object, ReferenceVariable>();

/**
 * A variable that a reference edge leads to. As in TensorFlow its updates change its memory where it lies, and a value
 * that was read is that same memory: who uses it after an update sees the update, also as what Identity, Reshape and others
 * handed on. `lastingValue` is for those who need the value as it is now.
 */
export class ReferenceVariable extends Variable {
  readonly typeName: string;
  #value: Tensor | undefined;
  /** A copy of its value, while it is in use; dropped with the next update. */
  #copy: WeakRef<TensorData> | undefined;

  constructor(options: VariableOptions & { readonly typeName?: string }) {
    super(options);
    this.typeName = options.typeName ?? REFERENCE_VARIABLE;
  }

  get value(): Tensor | undefined {
    return this.#value;
  }

  peek<T>(use: (value: Tensor) => T): T | undefined {
    return this.#value === undefined ? undefined : use(this.#value);
  }

  writable(): Tensor | undefined {
    this.#copy = undefined;
    return this.#value;
  }

  /** The new value is copied. */
  assign(value: Tensor): void {
    const room = this.room(value.shape);
    if (room === undefined) {
      this.hold(new Tensor(value.dtype, value.shape, copyOfData(value)));
    } else {
      overwrite(room.data, value.data);
      this.hold(room);
    }
  }

  /**
   * The variable's memory for a value of this shape, to be filled and then given to `hold`: what is read already sees it.
   * @returns undefined where the variable has no memory of that size.
   */
  room(shape: readonly number[]): Tensor | undefined {
    return this.#value?.size === elementsOfShape(shape) ? this.#value.reshape(shape) : undefined;
  }

  /** Gives the variable a value whose memory is its own from now on: from `room`, or not shared. */
  hold(value: Tensor): void {
    if (this.#value !== undefined && this.#value.data !== value.data) {
      owners.delete(memoryOf(this.#value.data));
    }
    owners.set(memoryOf(value.data), this);
    this.#value = value;
    this.#copy = undefined;
  }

  /** A copy of a tensor in this variable's memory, taken when no update is half done. */
  lasting(tensor: Tensor, waiter: Waiter): Tensor | Promise<Tensor> {
    return this.access.run(() => new Tensor(tensor.dtype, tensor.shape, this.#copyOf(tensor)), waiter);
  }

  /** Those who read one value at a time share the copy. */
  #copyOf(tensor: Tensor): TensorData {
    if (tensor.data !== this.#value?.data) {
      return copyOfData(tensor);
    }
    let copy = this.#copy?.deref();
    if (copy === undefined) {
      copy = copyOfData(tensor);
      this.#copy = new WeakRef(copy);
    }
    return copy;
  }
}

/** Whether a tensor lies in the memory of a reference variable, which updates change. */
export function isOfVariable(tensor: Tensor): boolean {
  return owners.has(memoryOf(tensor.data));
}

/**
 * The value that a tensor has now, for code that keeps it for longer than a turn or sends it: the tensor itself, or a
 * copy of it where it lies in the memory of a reference variable, taken when no update of that is half done.
 *
 * @param waiter whose signal ends the wait.
 */
export function lastingValue(tensor: Tensor, waiter: Waiter): Tensor | Promise<Tensor> {
  return owners.get(memoryOf(tensor.data))?.lasting(tensor, waiter) ?? tensor;
}

/** The tensor itself where nothing changes it, otherwise a copy: for ops that TensorFlow lets copy. */
export function constantValue(tensor: Tensor): Tensor {
  return isOfVariable(tensor) ? new Tensor(tensor.dtype, tensor.shape, copyOfData(tensor)) : tensor;
}

function memoryOf(data: TensorData): object {
  return isByteList(data) ? data : data.buffer;
}

function overwrite(target: TensorData, source: TensorData): void {
  if (isByteList(target) || isByteList(source)) {
    // Lists of strings are written by index; the type of tensors' lists forbids it to everybody else.
    Object.assign(target, source);
  } else {
    // Both are of one dtype; TypeScript cannot know it of a union.
    target.set(source as never);
  }
}
