import type { DType } from "../../../../../protocol/dtype.js";
import { invalidArgument } from "../../../../../protocol/status.js";
import { Tensor } from "../../../../../protocol/tensor.js";
import type { Resource } from "../../../resources/resource-manager.js";
import type { PartialShape } from "../../kernel-node.js";
import { allocate, zeroTensor } from "../../support/allocation.js";
import { cppTypeName } from "../../support/dtypes.js";
import { cppShapeText, sameShape } from "../../support/shapes.js";
import { updateElements } from "../element-updates.js";
import { checkedLength } from "../list-limits.js";
import { fitsPartial, partialText } from "../partial-shapes.js";

/** The type name of TensorArrays in handles. */
export const TENSOR_ARRAY = "tensorflow::TensorArray";

interface Slot {
  /** undefined, meaning zeros, if only the shape is known. */
  value: Tensor | undefined;
  readonly shape: readonly number[];
  read: boolean;
  cleared: boolean;
}

export interface TensorArrayOptions {
  readonly name: string;
  readonly dtype: DType;
  readonly size: number;
  readonly elementShape: PartialShape;
  readonly identicalElementShapes: boolean;
  /** Whether writes beyond the end grow the array. */
  readonly dynamicSize: boolean;
  readonly clearAfterRead: boolean;
  /** Whether a write to an index that has a value adds to it, as in an array of gradients. */
  readonly aggregate: boolean;
}

/** An array of tensors, each written once and, by default, read once; lives for one step. */
export class TensorArray implements Resource {
  readonly typeName = TENSOR_ARRAY;
  readonly options: TensorArrayOptions;
  #slots: (Slot | undefined)[];
  #elementShape: PartialShape;
  #dynamicSize: boolean;
  #hasAggregated = false;
  #closed = false;

  constructor(options: TensorArrayOptions) {
    this.options = options;
    this.#slots = new Array<Slot | undefined>(checkedLength(options.size)).fill(undefined);
    this.#elementShape = options.elementShape;
    this.#dynamicSize = options.dynamicSize;
  }

  /** @throws TensorFlowError INVALID_ARGUMENT after `close`. */
  get size(): number {
    this.#checkOpen();
    return this.#slots.length;
  }

  get dynamicSize(): boolean {
    return this.#dynamicSize;
  }

  get elementShape(): PartialShape {
    return this.#elementShape;
  }

  /** @throws TensorFlowError INVALID_ARGUMENT, in TensorFlow's words, for an invalid write. */
  write(index: number, value: Tensor): void {
    this.#checkOpen();
    const { name, dtype, aggregate } = this.options;
    if (index < 0 || (!this.#dynamicSize && index >= this.#slots.length)) {
      throw invalidArgument(
        `TensorArray ${name}: Tried to write to index ${index} but array is not resizeable and size is: ${this.#slots.length}`,
      );
    }
    const refuse = (reason: string) =>
      invalidArgument(`TensorArray ${name}: Could not write to TensorArray index ${index} because ${reason}`);
    if (value.dtype !== dtype) {
      throw refuse(
        `the value dtype is ${cppTypeName(value.dtype)} but TensorArray dtype is ${cppTypeName(dtype)}.`,
      );
    }
    this.#fitElement(index, value.shape, refuse);
    const slot = this.#slots[index];
    if (slot?.read === true) {
      throw refuse("it has already been read.");
    }
    if (slot === undefined) {
      this.#grow(index);
      this.#slots[index] = { value, shape: value.shape, read: false, cleared: false };
      return;
    }
    if (!aggregate) {
      throw refuse("it has already been written to.");
    }
    if (!sameShape(slot.shape, value.shape)) {
      throw invalidArgument(
        `TensorArray ${name}: Could not aggregate to TensorArray index ${index} because the existing shape is ` +
          `${cppShapeText(slot.shape)} but the new input shape is ${cppShapeText(value.shape)}.`,
      );
    }
    if (slot.value === undefined) {
      slot.value = value;
      return;
    }
    slot.value = sumOf(slot.value, value);
    this.#hasAggregated = true;
  }

  /** @throws TensorFlowError INVALID_ARGUMENT for an index that has no value or was already read. */
  read(index: number): Tensor {
    this.#checkOpen();
    const { name, dtype, clearAfterRead } = this.options;
    if (index < 0 || index >= this.#slots.length) {
      throw invalidArgument(`Tried to read from index ${index} but array size is: ${this.#slots.length}`);
    }
    const slot = this.#slots[index];
    const shape = this.#elementShape;
    if (slot === undefined) {
      // In an array of gradients, indexes without a value are zeros if their shape is known.
      if (this.options.aggregate && shape !== undefined && !shape.includes(-1)) {
        return zeroTensor(dtype, shape);
      }
      throw invalidArgument(
        `TensorArray ${name}: Could not read from TensorArray index ${index}.  Furthermore, the element shape is not ` +
          `fully defined: ${partialText(shape)}.  It is possible you are working ` +
          "with a resizeable TensorArray and stop_gradients is not allowing the gradients to be written.  If you set " +
          "the full element_shape property on the forward TensorArray, the proper all-zeros tensor will be returned " +
          "instead of incurring this error.",
      );
    }
    if (slot.cleared) {
      throw invalidArgument(
        `TensorArray ${name}: Could not read index ${index} twice because it was cleared after a previous read ` +
          "(perhaps try setting clear_after_read = false?).",
      );
    }
    const value = slot.value ?? zeroTensor(dtype, slot.shape);
    slot.value = clearAfterRead ? undefined : value;
    slot.cleared = clearAfterRead;
    slot.read = true;
    return value;
  }

  /**
   * Creates an array for the gradients of this one, whose size is fixed from now on.
   * @throws TensorFlowError INVALID_ARGUMENT if values of this one were summed.
   */
  makeGradient(name: string): TensorArray {
    const { size } = this;
    if (this.#hasAggregated) {
      throw invalidArgument(
        `Unable to create a gradients TensorArray for ${this.options.name}.  Perhaps you used the ` +
          "multiple_writes_aggregate flag on a previous write?  Gradient calculation is impossible when multiple " +
          "writes are performed to the same index.",
      );
    }
    this.#dynamicSize = false;
    const gradient = new TensorArray({
      ...this.options,
      name,
      size,
      elementShape: this.#elementShape,
      dynamicSize: false,
      clearAfterRead: true,
      aggregate: true,
    });
    gradient.#slots = this.#slots.map(
      (slot) => slot && { value: undefined, shape: slot.shape, read: false, cleared: false },
    );
    return gradient;
  }

  /** Drops all values and makes the array unusable. */
  close(): void {
    this.#slots = [];
    this.#closed = true;
  }

  #grow(index: number): void {
    checkedLength(index + 1);
    while (this.#slots.length < index) {
      this.#slots.push(undefined);
    }
  }

  #fitElement(
    index: number,
    shape: readonly number[],
    refuse: (reason: string) => ReturnType<typeof invalidArgument>,
  ): void {
    const expected = this.#elementShape;
    if (!fitsPartial(shape, expected)) {
      throw refuse(
        `the value shape is ${cppShapeText(shape)} which is incompatible with the TensorArray's inferred element shape: ` +
          `${partialText(expected)} (consider setting infer_shape=False).`,
      );
    }
    if (this.options.identicalElementShapes && this.#slots[index]?.read !== true) {
      this.#elementShape = shape;
    }
  }

  #checkOpen(): void {
    if (this.#closed) {
      throw invalidArgument(`TensorArray ${this.options.name} has already been closed.`);
    }
  }
}

function sumOf(a: Tensor, b: Tensor): Tensor {
  const { dtype, shape, size } = a;
  const target = allocate(dtype, shape);
  updateElements("update", { dtype, target, at: 0, source: a.data, from: 0, length: size, step: 1 });
  updateElements("add", { dtype, target, at: 0, source: b.data, from: 0, length: size, step: 1 });
  return new Tensor(dtype, shape, target);
}
