import type { ServerHttp2Stream } from "node:http2";
import { Metadata, type StatusObject, status } from "@grpc/grpc-js";

/** The parts of a call under grpc-js's own handling of it. */
interface CallInternals {
  readonly stream: ServerHttp2Stream;
  /** In bytes; -1 for no limit. */
  readonly maxSendMessageSize: number;
  sendMetadata(metadata: Metadata): void;
  sendStatus(status: StatusObject): void;
}

/**
 * The HTTP/2 stream of a unary call whose answer, of so many bytes, is to be written to it directly, its headers sent,
 * and what ends the call well. grpc-js would copy all of a large answer behind its prefix. Undefined if the answer is
 * too large, which grpc-js reports to the caller, or if grpc-js has a different structure.
 */
export function openAnswer(
  call: object,
  byteLength: number,
): { readonly stream: ServerHttp2Stream; end(): void } | undefined {
  const inner: unknown = Reflect.get(call, "call");
  if (!isCallInternals(inner) || (inner.maxSendMessageSize !== -1 && byteLength > inner.maxSendMessageSize)) {
    return undefined;
  }
  inner.sendMetadata(new Metadata());
  return {
    stream: inner.stream,
    end: () => inner.sendStatus({ code: status.OK, details: "OK", metadata: new Metadata() }),
  };
}

function isCallInternals(inner: unknown): inner is CallInternals {
  return (
    typeof inner === "object" &&
    inner !== null &&
    ["sendMetadata", "sendStatus"].every((name) => typeof Reflect.get(inner, name) === "function") &&
    typeof Reflect.get(inner, "maxSendMessageSize") === "number" &&
    isHttp2Stream(Reflect.get(inner, "stream"))
  );
}

/**
 * The HTTP/2 stream under a call of a grpc-js server, for messages that are not to be copied on their way. Everything
 * written to it must be framed, and the headers must have been sent. Undefined if grpc-js has a different structure.
 */
export function http2StreamOf(call: object): ServerHttp2Stream | undefined {
  const inner: unknown = Reflect.get(call, "call");
  const stream: unknown =
    typeof inner === "object" && inner !== null ? Reflect.get(inner, "stream") : undefined;
  return isHttp2Stream(stream) ? stream : undefined;
}

function isHttp2Stream(stream: unknown): stream is ServerHttp2Stream {
  return (
    typeof stream === "object" &&
    stream !== null &&
    ["write", "cork", "uncork", "respond"].every((name) => typeof Reflect.get(stream, name) === "function")
  );
}
