import type { Socket } from "node:net";
import { connect } from "node:tls";
import type { LayerResult } from "../../../api/reachability.js";
import { deviceIdOf } from "../../../machine/device-id.js";
import { errnoOf, messageOf } from "../../../shared/problems.js";
import { durationText, failed, socketFailure, stopwatch, succeeded } from "./result.js";

/**
 * Whether the other side completes a TLS handshake, and with which certificate: the detail of success is the device ID of
 * the installation. Nothing is trusted or sent. Closes the socket. Rejects when the signal is aborted.
 */
export function probeTls(socket: Socket, timeoutMillis: number, signal: AbortSignal): Promise<LayerResult> {
  const elapsed = stopwatch();
  return new Promise((resolve, reject) => {
    // The probe only reports the other side's identity; the caller decides whom to trust.
    const secure = connect({ socket, rejectUnauthorized: false, minVersion: "TLSv1.2" });
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      secure.destroy();
      socket.destroy();
      settle();
    };
    const abort = () => finish(() => reject(signal.reason));
    const timer = setTimeout(
      () =>
        finish(() =>
          resolve(
            failed("tls", "timed-out", elapsed(), `connected, but silent for ${durationText(timeoutMillis)}`),
          ),
        ),
      timeoutMillis,
    );
    secure.once("secureConnect", () => {
      const { raw } = secure.getPeerCertificate();
      finish(() =>
        resolve(
          raw === undefined
            ? failed("tls", "other-protocol", elapsed(), "speaks TLS, but shows no certificate")
            : succeeded("tls", elapsed(), deviceIdOf(raw)),
        ),
      );
    });
    secure.on("error", (error) => finish(() => resolve(tlsFailure(error, elapsed()))));
    secure.once("close", () =>
      finish(() =>
        resolve(failed("tls", "closed", elapsed(), "the connection was closed during the handshake")),
      ),
    );
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

function tlsFailure(error: unknown, millis: number): LayerResult {
  const code = errnoOf(error) ?? "";
  // OpenSSL's errors for bytes that are not TLS at all.
  if (
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNEXPECTED_MESSAGE|HTTP_REQUEST|BAD_RECORD|UNKNOWN_PROTOCOL/.test(
      code,
    )
  ) {
    return failed("tls", "other-protocol", millis, "answers with something other than TLS");
  }
  if (code === "ECONNRESET" || code === "EPIPE") {
    return failed("tls", "closed", millis, "the connection was closed during the handshake");
  }
  if (code.startsWith("ERR_SSL")) return failed("tls", "other-protocol", millis, messageOf(error));
  const { cause, words } = socketFailure(error);
  return failed("tls", cause, millis, words);
}
