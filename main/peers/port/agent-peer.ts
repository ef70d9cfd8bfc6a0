/** The machine at the other end of a connection to the agent's port. */
import type { TLSSocket } from "node:tls";
import { canonicalAddress } from "../../../worker-runtime/cluster/host.js";
import type { TrustedMachine } from "../trust/trusted-machine.js";

/** What a connection is for; chosen by whoever dials, in the TLS handshake (ALPN). */
export const Alpn = {
  /** The agent's own gRPC service. Paired machines only. */
  grpc: "h2",
  /** A pairing. Anybody. */
  pairing: "tensordeck-pairing/1",
  /** One connection to a task of this machine. Paired machines only. */
  tunnel: "tensordeck-tunnel/1",
  /** The window of this machine. Paired machines only. */
  window: "tensordeck-window/1",
} as const;
export type Alpn = (typeof Alpn)[keyof typeof Alpn];

/**
 * The one byte with which every protocol but gRPC's begins once the machine that was dialled has let the caller in. In TLS
 * 1.3 the caller's handshake is over before its certificate was looked at, so it could not tell otherwise.
 */
export const ADMITTED = 0x01;

export interface AgentPeer {
  /** Proved by the handshake: the peer has the key of the certificate that this is the hash of. */
  readonly deviceId: string;
  readonly certPem: string;
  /** Nothing of it was read yet. It has a listener for errors, which a handler need not add to. */
  readonly socket: TLSSocket;
  /** Set while the peer is paired; looked up at every use. */
  readonly trusted: TrustedMachine | undefined;
  /** Address of the peer, IPv4 without the prefix of a mapped address. */
  readonly address: string;
}

/** "192.168.1.7" for "::ffff:192.168.1.7", as a listener on all addresses of both families sees it; a scope is kept. */
export function unmappedAddress(address: string): string {
  return address.includes("%") ? address : (canonicalAddress(address) ?? address);
}
