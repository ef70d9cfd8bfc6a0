import type { TensorProto } from "../../../../protos/generated/tensorflow/tensor.js";
import { dtypeOf, itemSize } from "../../../protocol/dtype.js";
import { elementsOfShape, shapeFromProto } from "../../../protocol/shape.js";
import { invalidArgument } from "../../../protocol/status.js";

/**
 * Looks at what a client feeds, without decoding it: the worker that gets it does that.
 * @param position of the feed in its request.
 * @throws TensorFlowError INVALID_ARGUMENT for what is no tensor.
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
