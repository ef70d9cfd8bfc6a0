import type { TensorProto } from "../../../../protos/generated/tensorflow/tensor.js";
import { dtypeOf, itemSize } from "../../../protocol/dtype.js";
import { elementsOfShape, shapeFromProto } from "../../../protocol/shape.js";
import { invalidArgument } from "../../../protocol/status.js";

/**
 * Checks a client's feed without decoding it, which the receiving worker does.
 * @param position of the feed in its request.
 * @throws TensorFlowError INVALID_ARGUMENT for anything but a tensor.
 */
export function checkedFeed(tensor: TensorProto | undefined, position: number): TensorProto {
  try {
    if (tensor !== undefined && contentFits(tensor)) {
      return tensor;
    }
  } catch (cause) {
    throw invalidArgument(`Invalid TensorProto for feed value ${position}`, { cause });
  }
  throw invalidArgument(`Invalid TensorProto for feed value ${position}`);
}

function contentFits({ dtype, tensorShape, tensorContent }: TensorProto): boolean {
  const bytesPerElement = itemSize(dtypeOf(dtype));
  const count = elementsOfShape(shapeFromProto(tensorShape));
  return (
    tensorContent.byteLength === 0 ||
    bytesPerElement === 0 ||
    tensorContent.byteLength === count * bytesPerElement
  );
}
