/**
 * Passes one gRPC call on to a task: headers, messages, trailers, cancellation, each as it arrives. A deadline is a
 * header, and enforced by the task. Messages are never buffered as a whole, so their size does not matter.
 */
import {
  type ClientHttp2Session,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";

const { NGHTTP2_CANCEL, NGHTTP2_FLAG_END_STREAM, NGHTTP2_NO_ERROR } = constants;

/** The numbers of the gRPC status codes with which the gateway itself answers. */
export const GrpcCode = { UNIMPLEMENTED: 12, INTERNAL: 13, UNAVAILABLE: 14 } as const;

export interface RelayedCall {
  readonly client: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** The part of the request that has already been read from the client. */
  readonly begun: Buffer;
  /** Whether that is all of it. */
  readonly complete: boolean;
  readonly upstream: ClientHttp2Session;
  /** "host:port" of the task. */
  readonly address: string;
  /** Receives the beginning of the response before the client gets any of it. */
  readonly onResponse?: ((begun: Buffer) => void) | undefined;
}

/** Answers a call, to which nothing has been answered yet, with an error of the gateway's own. */
export function refuse(client: ServerHttp2Stream, code: number, message: string): void {
  if (client.destroyed || client.closed || client.headersSent) return;
  const headers = { ":status": 200, "content-type": "application/grpc", ...status(code, message) };
  client.respond(headers, { endStream: true });
}

/**
 * Forwards one call to a task and its answer back. A task that does not answer ends the call with UNAVAILABLE.
 */
export function relay({
  client,
  headers,
  begun,
  complete,
  upstream,
  address,
  onResponse,
}: RelayedCall): void {
  const call = upstream.request(requestHeaders(headers, address));
  let trailers: OutgoingHttpHeaders | undefined;
  let failure: Error | undefined;

  if (complete) {
    call.end(begun);
  } else {
    call.write(begun);
    client.pipe(call);
  }

  call.on("response", (response, flags) => {
    const endStream = (flags & NGHTTP2_FLAG_END_STREAM) !== 0;
    client.respond(withoutSymbols(response), endStream ? { endStream } : { waitForTrailers: true });
    if (endStream) return;
    if (onResponse !== undefined) call.once("data", onResponse);
    client.once("wantTrailers", () => client.sendTrailers(trailers ?? lost(address, failure)));
    // Node ends the readable side only after it has emitted the trailers.
    call.pipe(client);
  });
  call.on("trailers", (received) => {
    trailers = withoutSymbols(received);
  });
  call.on("error", (error) => {
    failure = error;
  });
  call.on("close", () => {
    if (client.closed || client.destroyed || trailers !== undefined) return;
    if (client.headersSent) {
      // Ends with trailers that report the loss, unless the answer was complete.
      client.end();
    } else if (call.rstCode !== NGHTTP2_NO_ERROR && failure === undefined && !upstream.destroyed) {
      client.close(call.rstCode);
    } else {
      refuse(client, GrpcCode.UNAVAILABLE, unreachable(address, failure));
    }
  });

  const cancel = (): void => {
    if (!call.closed) call.close(NGHTTP2_CANCEL);
  };
  client.on("aborted", cancel);
  client.on("error", cancel);
  client.on("close", cancel);
}

/** The client's headers as sent to the task; HTTP/2 sets the authority for each connection. */
function requestHeaders(headers: IncomingHttpHeaders, address: string): OutgoingHttpHeaders {
  return { ...withoutSymbols(headers), ":authority": address };
}

/**
 * Headers in a form that can be sent; Node marks received ones with a symbol that it does not accept again.
 */
function withoutSymbols(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers));
}

function status(code: number, message: string): OutgoingHttpHeaders {
  return { "grpc-status": String(code), "grpc-message": percentEncoded(message) };
}

function lost(address: string, error: Error | undefined): OutgoingHttpHeaders {
  return status(GrpcCode.UNAVAILABLE, unreachable(address, error));
}

function unreachable(address: string, error: Error | undefined): string {
  const why = error === undefined ? "" : ` (${error.message})`;
  return `The task at ${address} does not answer${why}. Check in Tensordeck whether it is running; start it, then create a new session.`;
}

/** A text as gRPC encodes it in a header: anything but printable ASCII, and the percent sign, as %XX. */
function percentEncoded(text: string): string {
  return Array.from(Buffer.from(text), (byte) => {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    return isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
