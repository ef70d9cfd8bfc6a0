import type { Socket } from "node:net";
import type { FailureCause, LayerResult } from "../../../api/reachability.js";
import { durationText, failed, socketFailure, stopwatch, succeeded } from "./result.js";

/** The first bytes that a client sends (RFC 9113, 3.4): the preface and a SETTINGS frame without settings. */
const PREFACE = Buffer.concat([
  Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1"),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);
const FRAME_HEADER_BYTES = 9;
const SETTINGS_FRAME = 4;
const TLS_ALERT = 0x15;
const TLS_HANDSHAKE = 0x16;
/** Enough for the status line and headers of a program that answers with HTTP/1. */
const MAX_READ_BYTES = 4096;

/**
 * Whether the other side speaks HTTP/2 without TLS, as a gRPC server does. Works on the raw bytes: a library would only
 * report "protocol error", while an answer in HTTP/1 reveals a proxy. Closes the socket. Rejects when the signal is
 * aborted.
 */
export function probeHttp2(socket: Socket, timeoutMillis: number, signal: AbortSignal): Promise<LayerResult> {
  const elapsed = stopwatch();
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      socket.destroy();
      settle();
    };
    const fail = (cause: FailureCause, detail: string) =>
      finish(() => resolve(failed("http2", cause, elapsed(), detail)));
    const abort = () => finish(() => reject(signal.reason));
    const ended = () => {
      if (received.length > 0) judge(true);
      else fail("closed", "the connection was closed without an answer");
    };
    const judge = (complete: boolean) => {
      const answer = readAnswer(received, complete);
      if (answer === "more") return;
      if (answer === "http2") finish(() => resolve(succeeded("http2", elapsed(), "speaks HTTP/2")));
      else fail(answer.cause, answer.detail);
    };
    const timer = setTimeout(
      () => fail("timed-out", `connected, but silent for ${durationText(timeoutMillis)}`),
      timeoutMillis,
    );
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    socket.on("error", (error) => {
      const { cause, words } = socketFailure(error);
      fail(cause, words);
    });
    socket.on("end", ended);
    socket.on("close", ended);
    socket.on("data", (bytes) => {
      received = Buffer.concat([received, bytes]);
      judge(received.length >= MAX_READ_BYTES);
    });
    socket.write(PREFACE);
  });
}

type Answer = "http2" | "more" | { readonly cause: FailureCause; readonly detail: string };

/** @param complete True if nothing more will come. */
function readAnswer(bytes: Buffer, complete: boolean): Answer {
  const text = bytes.toString("latin1");
  if ("HTTP/1".startsWith(text.slice(0, 6))) {
    // The headers may name the server program.
    if (!complete && !text.includes("\r\n\r\n")) return "more";
    if (text.length >= 6) return { cause: "http1", detail: http1Detail(text) };
  }
  if (bytes.length < FRAME_HEADER_BYTES && !complete) return "more";
  if (bytes[3] === SETTINGS_FRAME && bytes.readUIntBE(0, 3) % 6 === 0) return "http2";
  if ((bytes[0] === TLS_ALERT || bytes[0] === TLS_HANDSHAKE) && bytes[1] === 3) {
    return { cause: "tls", detail: "answers with TLS" };
  }
  return { cause: "other-protocol", detail: "answers with a protocol other than HTTP/2" };
}

/** "answers with HTTP/1.1 400 Bad Request (Server: squid/5.7)" */
function http1Detail(text: string): string {
  const status = /^HTTP\/1\.\d \d{3}[^\r\n]{0,60}/.exec(text)?.[0] ?? "HTTP/1";
  const server = /^(?:Server|Via): [^\r\n]{1,80}/im.exec(text)?.[0];
  return `answers with ${status.trim()}${server === undefined ? "" : ` (${server})`}`;
}
