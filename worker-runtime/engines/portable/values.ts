import type { VariantTensorDataProto } from "../../../protos/generated/tensorflow/tensor.js";
import type { DType } from "../../protocol/dtype.js";
import type { Tensor } from "../../protocol/tensor.js";
import type { Reader, Waiter } from "./exclusive-access.js";

/**
 * The values that flow along the edges of a graph.
 * - `Tensor`: numbers or strings. Immutable: a kernel creates new data or passes the same tensor on. Only values in the
 *   memory of a reference variable change with it, as in TensorFlow (`ReferenceVariable`, `lastingValue`).
 * - `ObjectTensor`: resource handles and variants, which are objects while they stay within a task.
 * - `RefValue`: the output of an old-style variable (DT_FLOAT_REF …): the variable itself, not its value.
 */
export type Value = Tensor | ObjectTensor | RefValue;

/** An element of a variant tensor: a tensor list, an optional, … */
export interface VariantObject {
  /** As on the wire: "tensorflow::TensorList". */
  readonly typeName: string;
  /** @throws TensorFlowError UNIMPLEMENTED for values that cannot leave the task. */
  encode(): VariantTensorDataProto;
}

/** Names a resource of one device, as ResourceHandleProto does. */
export interface ResourceHandle {
  /** The full name of the device that has the resource. */
  readonly device: string;
  readonly container: string;
  readonly name: string;
  /** The kind of resource, "Var", "FIFOQueue", …: ResourceHandleProto.maybe_type_name. */
  readonly typeName: string;
  readonly dtypesAndShapes: readonly {
    readonly dtype: DType;
    readonly shape: readonly number[] | undefined;
  }[];
}

/** A tensor whose elements are objects of this process. Immutable. */
export class ObjectTensor<T extends ResourceHandle | VariantObject = ResourceHandle | VariantObject> {
  readonly dtype: "resource" | "variant";
  /** Sizes; [] for a scalar. */
  readonly shape: readonly number[];
  /** Row-major. */
  readonly elements: readonly T[];

  constructor(dtype: "resource" | "variant", shape: readonly number[], elements: readonly T[]) {
    this.dtype = dtype;
    this.shape = shape;
    this.elements = elements;
  }

  /** A scalar of one resource handle. */
  static resource(handle: ResourceHandle): ObjectTensor<ResourceHandle> {
    return new ObjectTensor("resource", [], [handle]);
  }

  /** A scalar of one variant. */
  static variant(object: VariantObject): ObjectTensor<VariantObject> {
    return new ObjectTensor("variant", [], [object]);
  }
}

/** An old-style (reference) variable. */
export interface RefCell {
  readonly dtype: DType;
  /** undefined until the variable is initialized. */
  readonly value: Tensor | undefined;
  /** "var" as error messages name it. */
  readonly name: string;
  /**
   * The value, once no update of it is in progress, in memory that later updates of the same step change.
   * @throws TensorFlowError the reason of the reader's signal.
   */
  read(reader: Reader): Tensor | undefined | Promise<Tensor | undefined>;
  /** As `read`, for code that copies the value at once or uses it where it is: an update may give it other memory. */
  readOnce(waiter: Waiter): Tensor | undefined | Promise<Tensor | undefined>;
}

/** An output of reference type. */
export class RefValue {
  readonly cell: RefCell;

  constructor(cell: RefCell) {
    this.cell = cell;
  }

  get dtype(): DType {
    return this.cell.dtype;
  }
}
