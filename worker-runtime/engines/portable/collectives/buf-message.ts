import { RecvBufRespExtra } from "../../../../protos/generated/tensorflow/transport_options.js";
import { RecvBufResponse } from "../../../../protos/generated/tensorflow/worker.js";
import { itemSize } from "../../../protocol/dtype.js";
import { internalError } from "../../../protocol/status.js";
import { Tensor, tensorToProto } from "../../../protocol/tensor.js";
import { arrayFromBytes } from "../../../protocol/tensor-data.js";
import { nowMicros } from "../wall-clock.js";
import type { Expected } from "./collective.js";

/** The type in which the content of a RecvBufResponse is packed. */
const EXTRA_TYPE = "type.googleapis.com/tensorflow.RecvBufRespExtra";

/** A numeric tensor as returned by RecvBuf: its bytes, little-endian, in a RecvBufRespExtra. */
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
 * The vector in an answer of RecvBuf; its bytes may come in any number of chunks.
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
  // The message is not shared, so its bytes may be moved to align them.
  return new Tensor(dtype, [count], arrayFromBytes(dtype, bytes, true));
}

/** Rejects a vector of another dtype or size. @throws TensorFlowError INTERNAL */
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
