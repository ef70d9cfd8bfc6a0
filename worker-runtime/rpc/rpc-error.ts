import { status as grpcStatus, type Metadata, type ServiceError } from "@grpc/grpc-js";
import { GrpcPayloadContainer } from "../../protos/generated/tensorflow/distributed_runtime_payloads.js";
import { PayloadKey, StatusCode, statusCodeOf, TensorFlowError } from "../protocol/status.js";
import { isConnectFailure, isLostConnection, isOwnDeadline } from "./grpc-texts.js";

/** TensorFlow puts a GrpcPayloadContainer here, not the google.rpc.Status that others do (observed with 2.21). */
const PAYLOAD_TRAILER = "grpc-status-details-bin";

function payloadsOf(metadata: Metadata | undefined): ReadonlyMap<string, Uint8Array> {
  const trailer = metadata?.get(PAYLOAD_TRAILER)[0];
  return trailer instanceof Uint8Array ? decodePayloads(trailer) : new Map();
}

/** The payloads of a failed call. Details that cannot be read are noted as lost, as TensorFlow's own client does. */
export function decodePayloads(container: Uint8Array): ReadonlyMap<string, Uint8Array> {
  try {
    return GrpcPayloadContainer.decode(container).payloads;
  } catch {
    return new Map([[PayloadKey.GRPC_PAYLOADS_LOST, new Uint8Array(0)]]);
  }
}

/** Why no connection could be made, in plain words, from the text of the operating system's error. */
function connectionReason(details: string, address: string): string {
  const host = address.replace(/:\d+$/, "");
  if (details.includes("ECONNREFUSED")) {
    return `nothing listens on ${address} (connection refused); is the task running, and is the port right?`;
  }
  if (/ENOTFOUND|EAI_AGAIN|Name resolution failed/.test(details)) {
    return `the host name '${host}' cannot be resolved; check its spelling and the name service.`;
  }
  if (/EHOSTUNREACH|ENETUNREACH/.test(details)) {
    return `there is no way through the network to ${host}.`;
  }
  if (/ETIMEDOUT|timed out/i.test(details)) {
    return `${address} does not answer; is a firewall in between?`;
  }
  if (/Protocol error|NGHTTP2_ERR_PROTO|HTTP_1_1_REQUIRED|Parse Error/i.test(details)) {
    return `what listens on ${address} does not speak gRPC.`;
  }
  return `no connection to ${address} (${details}).`;
}

function lostText(method: string, address: string, details: string): string {
  return `The connection to ${address} was lost during ${method}: the process ended or the network failed (${details}).`;
}

function deadlineText(method: string, address: string, deadlineMillis: number | undefined): string {
  const deadline =
    deadlineMillis === undefined ? "its deadline" : `its deadline of ${deadlineMillis / 1000} s`;
  return `${address} did not answer ${method} within ${deadline}.`;
}

/** A connection that ended under a call without an error of its own: UNAVAILABLE. @param details how it ended. */
export function lostConnectionError(method: string, address: string, details: string): TensorFlowError {
  return new TensorFlowError(StatusCode.UNAVAILABLE, lostText(method, address, details));
}

/** A call whose deadline passed: DEADLINE_EXCEEDED. */
export function deadlineError(method: string, address: string, deadlineMillis: number): TensorFlowError {
  return new TensorFlowError(StatusCode.DEADLINE_EXCEEDED, deadlineText(method, address, deadlineMillis));
}

function messageOf(
  error: ServiceError,
  method: string,
  address: string,
  deadlineMillis: number | undefined,
): string {
  const { details } = error;
  if (isConnectFailure(details)) {
    return `Cannot reach ${address}: ${connectionReason(details, address)}`;
  }
  if (isLostConnection(details)) {
    return lostText(method, address, details);
  }
  if (error.code === grpcStatus.DEADLINE_EXCEEDED && isOwnDeadline(details)) {
    return deadlineText(method, address, deadlineMillis);
  }
  if (details === "") {
    return error.code === grpcStatus.UNIMPLEMENTED
      ? `${address} does not offer ${method}: another program or an older version may listen there.`
      : `${method} at ${address} failed without a message.`;
  }
  return details;
}

/**
 * A failed call as TensorFlow's error: code, message and payloads as the server sent them. Errors that no server sent
 * (no connection, connection lost, deadline) name the address and say why; a lost connection is UNAVAILABLE.
 * @param method "RunStep".
 * @param deadlineMillis the call's own deadline, where it had one.
 */
export function errorOfCall(
  error: ServiceError,
  method: string,
  address: string,
  deadlineMillis?: number,
): TensorFlowError {
  const code = isLostConnection(error.details) ? StatusCode.UNAVAILABLE : statusCodeOf(error.code);
  return new TensorFlowError(code, messageOf(error, method, address, deadlineMillis), {
    payloads: payloadsOf(error.metadata),
    cause: error,
  });
}
