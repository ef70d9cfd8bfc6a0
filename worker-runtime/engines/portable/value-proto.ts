import type { ResourceHandleProto } from "../../../protos/generated/tensorflow/resource_handle.js";
import { TensorProto, type VariantTensorDataProto } from "../../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { dataTypeOf, dtypeOf } from "../../protocol/dtype.js";
import { elementsOfShape, shapeFromProto, shapeToProto } from "../../protocol/shape.js";
import { failedPrecondition, invalidArgument } from "../../protocol/status.js";
import { Tensor, tensorFromReceivedInPieces, tensorToProtoInPieces } from "../../protocol/tensor.js";
import type { Waiter } from "./exclusive-access.js";
import { toHost } from "./gpu/device-tensor.js";
import { checkExpansion } from "./kernels/support/allocation.js";
import { type PausingWork, withPauses } from "./pauses.js";
import { lastingValue } from "./resources/reference-variable.js";
import { ObjectTensor, RefValue, type ResourceHandle, type Value, type VariantObject } from "./values.js";

/** A variant whose object lives elsewhere: kept as it came, so that it can be passed on, and read by who knows its type. */
export class EncodedVariant implements VariantObject {
  readonly data: VariantTensorDataProto;

  constructor(data: VariantTensorDataProto) {
    this.data = data;
  }

  get typeName(): string {
    return this.data.typeName;
  }

  encode(): VariantTensorDataProto {
    return this.data;
  }
}

/**
 * A value as it goes to another task or to a client: what it is now, since a message is sent piece by piece. Made with
 * pauses where it takes long.
 * @param waiter whose signal ends the wait for an update of a variable that is half done.
 * @throws TensorFlowError UNIMPLEMENTED for a variant that cannot leave the task, FAILED_PRECONDITION for a variable
 *   without a value.
 */
export async function sentValue(value: Value, waiter: Waiter): Promise<TensorProto> {
  const held = value instanceof RefValue ? await value.cell.readOnce(waiter) : value;
  if (held === undefined) {
    throw failedPrecondition(`Attempting to use uninitialized value ${(value as RefValue).cell.name}`);
  }
  const onHost = await toHost(held, waiter);
  return await withPauses(
    valueToProto(onHost instanceof Tensor ? await lastingValue(onHost, waiter) : onHost),
  );
}

/**
 * A value as it stands in messages, made with pauses where it takes long. Numbers are not copied: the content is a view on
 * the tensor's data.
 * @throws TensorFlowError UNIMPLEMENTED for a variant that cannot leave the task.
 */
export function* valueToProto(value: Tensor | ObjectTensor): PausingWork<TensorProto> {
  if (value instanceof Tensor) {
    return yield* tensorToProtoInPieces(value);
  }
  const proto = TensorProto.create();
  proto.dtype = dataTypeOf(value.dtype);
  proto.tensorShape = shapeToProto(value.shape);
  for (const element of value.elements) {
    if (isHandle(element)) {
      proto.resourceHandleVal.push(handleToProto(element));
    } else {
      proto.variantVal.push(element.encode());
    }
  }
  return proto;
}

/**
 * The value of a received TensorProto, which must not be read afterwards: large content is moved within its buffer. It
 * is read with pauses where that takes long.
 *
 * @throws TensorFlowError INVALID_ARGUMENT when dtype, shape and content do not fit together; RESOURCE_EXHAUSTED when the
 *   memory for a value that repeats is not there.
 */
export function* valueFromProto(proto: TensorProto): PausingWork<Value> {
  switch (proto.dtype) {
    case DataType.DT_RESOURCE:
      return objects(proto, "resource", proto.resourceHandleVal.map(handleFromProto));
    case DataType.DT_VARIANT:
      return objects(
        proto,
        "variant",
        proto.variantVal.map((data) => new EncodedVariant(data)),
      );
    default:
      checkExpansion(proto);
      return yield* tensorFromReceivedInPieces(proto);
  }
}

function objects<T extends ResourceHandle | VariantObject>(
  proto: TensorProto,
  dtype: "resource" | "variant",
  elements: readonly T[],
): ObjectTensor<T> {
  const shape = shapeFromProto(proto.tensorShape);
  const expected = elementsOfShape(shape);
  if (elements.length !== expected) {
    throw invalidArgument(
      `A ${dtype} tensor of ${expected} elements has ${elements.length} in its TensorProto.`,
    );
  }
  return new ObjectTensor(dtype, shape, elements);
}

function isHandle(element: ResourceHandle | VariantObject): element is ResourceHandle {
  return "container" in element;
}

function handleToProto(handle: ResourceHandle): ResourceHandleProto {
  return {
    device: handle.device,
    container: handle.container,
    name: handle.name,
    hashCode: 0n,
    maybeTypeName: handle.typeName,
    dtypesAndShapes: handle.dtypesAndShapes.map(({ dtype, shape }) => ({
      dtype: dataTypeOf(dtype),
      shape: shape === undefined ? { dim: [], unknownRank: true } : shapeToProto(shape),
    })),
  };
}

function handleFromProto(proto: ResourceHandleProto): ResourceHandle {
  return {
    device: proto.device,
    container: proto.container,
    name: proto.name,
    typeName: proto.maybeTypeName,
    dtypesAndShapes: proto.dtypesAndShapes.map(({ dtype, shape }) => ({
      dtype: dtypeOf(dtype),
      shape: shape === undefined || shape.unknownRank ? undefined : shape.dim.map(({ size }) => Number(size)),
    })),
  };
}
