import { RecvBufRespExtra } from "../../../../protos/generated/tensorflow/transport_options.js";
import { RecvBufResponse } from "../../../../protos/generated/tensorflow/worker.js";
import { itemSize } from "../../../protocol/dtype.js";
import { internalError } from "../../../protocol/status.js";
import { Tensor, tensorToProto } from "../../../protocol/tensor.js";
import { arrayFromBytes } from "../../../protocol/tensor-data.js";
import { nowMicros } from "../wall-clock.js";
import type { Expected } from "./collective.js";

/** What the content of a RecvBufResponse is packed as. */
const EXTRA_TYPE = "type.googleapis.com/tensorflow.RecvBufRespExtra";

/** A tensor of numbers as RecvBuf answers it: its bytes, little-endian, in a RecvBufRespExtra. */
export function bufResponse(tensor: Tensor): RecvBufResponse {
  const response = RecvBufResponse.create();
  response.numBytes = BigInt(tensor.byteLength);
  response.sendStartMicros = BigInt(nowMicros());
  response.transportOptions = {
    typeUrl: EXTRA_TYPE,
    value: RecvBufRespExtra.encode({ tensorContent: [contentOf(tensor)] }).finish(),
  };
  return response;
}

/**
 * The vector of an answer of RecvBuf; its bytes may come in any number of chunks.
 * @throws TensorFlowError INTERNAL, in TensorFlow's words, for another number of bytes than expected.
 */
export function tensorOfBuf(response: RecvBufResponse, expected: Expected): Tensor {
  const { transportOptions } = response;
  const chunks =
    transportOptions?.typeUrl === EXTRA_TYPE
      ? RecvBufRespExtra.decode(transportOptions.value).tensorContent
      : [];
  const [only] = chunks;
  const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
  const { dtype, count } = expected;
  if (bytes.byteLength !== count * itemSize(dtype)) {
    throw internalError(
      `RecvBufResponse returned ${bytes.byteLength} bytes where to_tensor expected ${count * itemSize(dtype)}`,
    );
  }
  // The message is not shared, so its bytes may be moved into alignment.
  return new Tensor(dtype, [count], arrayFromBytes(dtype, bytes, true));
}

/** A vector of other bytes than a dtype's own has no meaning. @throws TensorFlowError INTERNAL */
export function checkSize(tensor: Tensor, { dtype, count }: Expected): Tensor {
  if (tensor.dtype !== dtype || tensor.size !== count) {
    throw internalError(
      `A member of the collective provides ${tensor.size} elements of ${tensor.dtype} where ${count} of ${dtype} are ` +
        "expected.",
    );
  }
  return tensor;
}

function contentOf(tensor: Tensor): Uint8Array {
  return tensorToProto(tensor).tensorContent;
}
