import { Metadata, type StatusObject } from "@grpc/grpc-js";
import { GrpcPayloadContainer } from "../../../../../protos/generated/tensorflow/distributed_runtime_payloads.js";
import { asTensorFlowError, StatusCode } from "../../../../protocol/status.js";

/** Longer texts do not fit into the header block that gRPC allows by default; TensorFlow truncates here, too. */
const MAX_MESSAGE_BYTES = 3072;
const CUT_MARK = " ... [truncated]";
/** A serialized GrpcPayloadContainer, not the google.rpc.Status that others put here. */
const PAYLOAD_TRAILER = "grpc-status-details-bin";

/** An error in the trailers of a call: code, text and payloads. Anything but a TensorFlowError is INTERNAL. */
export function statusOfError(error: unknown): Partial<StatusObject> {
  const { code, message, payloads } = asTensorFlowError(error, StatusCode.INTERNAL);
  const details = cutMessage(message);
  if (payloads.size === 0) {
    return { code, details };
  }
  const metadata = new Metadata();
  const container = { payloads: new Map(payloads) };
  metadata.set(PAYLOAD_TRAILER, Buffer.from(GrpcPayloadContainer.encode(container).finish()));
  return { code, details, metadata };
}

/** The text, truncated between characters if it is too long. */
function cutMessage(message: string): string {
  const bytes = Buffer.from(message, "utf8");
  // Encoding also replaces unpaired surrogates, which could not be written to a trailer.
  if (bytes.byteLength <= MAX_MESSAGE_BYTES) {
    return bytes.toString("utf8");
  }
  let end = MAX_MESSAGE_BYTES;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) {
    end -= 1;
  }
  return `${bytes.toString("utf8", 0, end)}${CUT_MARK}`;
}
