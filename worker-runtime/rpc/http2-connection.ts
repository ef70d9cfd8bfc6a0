/**
 * HTTP/2 connections to addresses as tasks have them. A link-local IPv6 address is dialled with its zone, "fe80::1%eth0",
 * which no URL can have (RFC 6874).
 */
import { type ClientHttp2Session, type ClientSessionOptions, connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { parseHostPort } from "../cluster/address.js";

/** An HTTP/2 connection without TLS to "host:port". Its events report connection errors. */
export function connectHttp2(address: string, options: ClientSessionOptions = {}): ClientHttp2Session {
  const target = parseHostPort(address);
  return connect(`http://${authorityOf(address)}`, {
    ...options,
    ...(target && { createConnection: () => connectTcp({ ...target, noDelay: true }) }),
  });
}

/** The authority of a request: the address as URLs have it. */
export function authorityOf(address: string): string {
  return address.replace(/%[^\]]*/, "");
}
