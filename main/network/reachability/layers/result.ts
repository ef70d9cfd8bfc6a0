/** Parts that all layers of a probe share: timing, failures and names. */
import type { FailureCause, Layer, LayerResult } from "../../../api/reachability.js";
import { errnoOf, messageOf } from "../../../shared/problems.js";

/** A stopwatch: calling it returns the milliseconds since it was created, with fractions. */
export function stopwatch(): () => number {
  const started = performance.now();
  return () => performance.now() - started;
}

/** The result of one layer; undefined if it was not tested. */
export function layerOf(layers: readonly LayerResult[] | undefined, layer: Layer): LayerResult | undefined {
  return layers?.find((result) => result.layer === layer);
}

export function succeeded(layer: Layer, millis: number, detail: string): LayerResult {
  return { layer, outcome: "ok", millis, detail };
}

export function failed(layer: Layer, cause: FailureCause, millis: number, detail: string): LayerResult {
  return { layer, outcome: "failed", cause, millis, detail };
}

export function skipped(layer: Layer, detail: string): LayerResult {
  return { layer, outcome: "skipped", detail };
}

/** "0.04 ms", "0.6 ms", "34 ms", "3.0 s": as precise as is useful to a person. */
export function durationText(millis: number): string {
  if (millis >= 1000) return `${(millis / 1000).toFixed(1)} s`;
  if (millis >= 10) return `${Math.round(millis)} ms`;
  return `${millis.toFixed(millis < 0.1 ? 2 : 1)} ms`;
}

/**
 * Errors of connect() by what they mean for a route. A firewall that rejects answers with ICMP: "port unreachable" is
 * reported as ECONNREFUSED, "administratively prohibited" (firewalld's way) as EHOSTUNREACH over IPv4 and as EACCES
 * over IPv6. EPERM is the dialling machine's own firewall.
 */
const errnoCauses: ReadonlyMap<string, readonly [cause: FailureCause, words: string]> = new Map([
  ["ECONNREFUSED", ["refused", "connection refused"]],
  ["ETIMEDOUT", ["timed-out", "timed out"]],
  ["ECONNRESET", ["reset", "connection reset"]],
  ["EPIPE", ["reset", "connection reset"]],
  ["ENETUNREACH", ["no-route", "no route to that network"]],
  ["EADDRNOTAVAIL", ["no-route", "this machine has no address for that network"]],
  ["EAFNOSUPPORT", ["no-route", "this machine does not support that kind of address"]],
  ["EHOSTUNREACH", ["host-unreachable", "no route to host"]],
  ["EHOSTDOWN", ["host-unreachable", "host is down"]],
  ["EACCES", ["prohibited", "prohibited by a firewall"]],
  ["EPERM", ["blocked-here", "forbidden by this machine's own firewall"]],
]);

/** The meaning of a socket error, and its message. */
export function socketFailure(error: unknown): { readonly cause: FailureCause; readonly words: string } {
  const known = errnoCauses.get(errnoOf(error) ?? "");
  return known ? { cause: known[0], words: known[1] } : { cause: "unknown", words: messageOf(error) };
}
