import { elementsOfShape } from "../../../protocol/shape.js";
import { Tensor } from "../../../protocol/tensor.js";
import { isByteList, type TensorData } from "../../../protocol/tensor-data.js";
import type { Reader, Waiter } from "../exclusive-access.js";
import { DeviceTensor } from "../gpu/device-tensor.js";
import { copyOfData } from "../kernels/support/allocation.js";
import { HeldTensor, holdValue, letValueGo } from "../memory/held-tensor.js";
import { Variable, type VariableOptions } from "./variable.js";

/** They share no names with resource variables. */
export const REFERENCE_VARIABLE = "tensorflow::LegacyVar";

/** The variable that memory belongs to: an array buffer, or a list of strings. */
const owners = new WeakMap<object, ReferenceVariable>();

/**
 * A variable that a reference edge leads to. As in TensorFlow, updates change its memory in place, and a value that was
 * read is that same memory: code of the same step that uses it after an update sees the update, even through Identity,
 * Reshape and others. `lastingValue` is for code that needs the current value.
 */
export class ReferenceVariable extends Variable {
  readonly typeName: string;
  #value: Tensor | undefined;
  /** A copy of its value, while it is in use; dropped with the next update. */
  #copy: WeakRef<TensorData> | undefined;
  /** The steps that have read its memory, by `Reader.stepResources`. */
  #readers = new WeakSet<object>();

  constructor(options: VariableOptions & { readonly typeName?: string }) {
    super(options);
    this.typeName = options.typeName ?? REFERENCE_VARIABLE;
  }

  /** Its memory as it is now, for code that does not use it after an update. */
  get value(): Tensor | undefined {
    return this.#value;
  }

  override read(reader: Reader): Tensor | undefined | Promise<Tensor | undefined> {
    const lend = () => this.#lend(reader);
    return this.#value instanceof DeviceTensor || this.access.isBusy ? this.access.run(lend, reader) : lend();
  }

  /** A value on the thread of the CPU is moved to memory that the next update can change. */
  #lend(reader: Reader): Tensor | undefined | Promise<Tensor | undefined> {
    const lent = (value: Tensor | undefined): Tensor | undefined => {
      if (reader.stepResources !== undefined) {
        this.#readers.add(reader.stepResources);
      }
      return value;
    };
    const value = this.#value;
    if (!(value instanceof DeviceTensor)) {
      return lent(value);
    }
    if (value.memory.isGpu) {
      // Nothing changes it there: updates replace it.
      return value;
    }
    return value.toOwnCopy(reader).then((copy) => {
      this.hold(copy);
      return lent(copy);
    });
  }

  /** Whether a step has read its memory, and must see an update there. */
  isReadBy({ stepResources }: Reader): boolean {
    return stepResources !== undefined && this.#readers.has(stepResources);
  }

  peek<T>(use: (value: Tensor) => T): T | undefined {
    return this.#value === undefined ? undefined : use(this.#value);
  }

  writable(): Tensor | undefined {
    this.#copy = undefined;
    return this.#value;
  }

  dispose(): void {
    letValueGo(this.#value);
    this.#value = undefined;
  }

  /** The new value is copied, except where it lies on a device: there nothing changes it. */
  assign(value: Tensor): void {
    if (value instanceof DeviceTensor) {
      this.hold(value);
      return;
    }
    const room = this.room(value.shape);
    if (room === undefined) {
      this.hold(new Tensor(value.dtype, value.shape, copyOfData(value)));
    } else {
      overwrite(room.data, value.data);
      this.hold(room);
    }
  }

  adopt(value: Tensor): void {
    this.hold(value);
  }

  /**
   * The variable's memory for a value of this shape, to be filled and then passed to `hold`: values that were already
   * read change with it.
   * @returns undefined if the variable has no memory of that size.
   */
  room(shape: readonly number[]): Tensor | undefined {
    return this.#value?.size === elementsOfShape(shape) && !(this.#value instanceof DeviceTensor)
      ? this.#value.reshape(shape)
      : undefined;
  }

  /** Gives the variable a value and takes over its memory, which must come from `room` or be unshared. */
  hold(value: Tensor): void {
    holdValue(value);
    const before = this.#value;
    if (before instanceof DeviceTensor || value instanceof DeviceTensor || before?.data !== value.data) {
      this.#readers = new WeakSet();
    }
    if (before instanceof DeviceTensor) {
      before.letGo();
    } else if (before !== undefined && (value instanceof DeviceTensor || before.data !== value.data)) {
      owners.delete(memoryOf(before.data));
    }
    if (!(value instanceof DeviceTensor)) {
      owners.set(memoryOf(value.data), this);
    }
    this.#value = value;
    this.#copy = undefined;
  }

  /** A copy of a tensor in this variable's memory, taken when no update is in progress. */
  lasting(tensor: Tensor, waiter: Waiter): Tensor | Promise<Tensor> {
    return this.access.run(() => new Tensor(tensor.dtype, tensor.shape, this.#copyOf(tensor)), waiter);
  }

  /** Concurrent readers of one value share the copy. */
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

/** Whether a tensor is in the memory of a reference variable, which updates change. */
export function isOfVariable(tensor: Tensor): boolean {
  return !(tensor instanceof HeldTensor) && owners.has(memoryOf(tensor.data));
}

/**
 * The value that a tensor has now, for code that keeps it for longer than a turn or sends it: the tensor itself, or a
 * copy of it where it lies in the memory of a reference variable, taken when no update of that is half done.
 *
 * @param waiter whose signal ends the wait.
 */
export function lastingValue(tensor: Tensor, waiter: Waiter): Tensor | Promise<Tensor> {
  return tensor instanceof DeviceTensor
    ? tensor
    : (owners.get(memoryOf(tensor.data))?.lasting(tensor, waiter) ?? tensor);
}

/** The tensor itself if nothing changes it, otherwise a copy: for ops that copy in TensorFlow, too. */
export function constantValue(tensor: Tensor): Tensor {
  return isOfVariable(tensor) ? new Tensor(tensor.dtype, tensor.shape, copyOfData(tensor)) : tensor;
}

function memoryOf(data: TensorData): object {
  return isByteList(data) ? data : data.buffer;
}

function overwrite(target: TensorData, source: TensorData): void {
  if (isByteList(target) || isByteList(source)) {
    // Lists of strings are written by index, which their type forbids everywhere else.
    Object.assign(target, source);
  } else {
    // Both are of the same dtype, which TypeScript cannot infer for a union.
    target.set(source as never);
  }
}
