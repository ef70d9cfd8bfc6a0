/** The machine at the other end of a connection to the agent's port. */
import type { TLSSocket } from "node:tls";
import { canonicalAddress } from "../../../worker-runtime/cluster/host.js";
import type { TrustedMachine } from "../trust/trusted-machine.js";

/** The purpose of a connection; chosen by the dialling side in the TLS handshake (ALPN). */
export const Alpn = {
  /** The agent's own gRPC service. Paired machines only. */
  grpc: "h2",
  /** A pairing. Open to any machine. */
  pairing: "tensordeck-pairing/1",
  /** One connection to a task of this machine. Paired machines only. */
  tunnel: "tensordeck-tunnel/1",
  /** One connection between tasks of a script. Paired machines only. */
  script: "tensordeck-script/1",
  /** The window of this machine. Paired machines only. */
  window: "tensordeck-window/1",
} as const;
export type Alpn = (typeof Alpn)[keyof typeof Alpn];

/**
 * The one byte with which every protocol but gRPC's begins once the dialled machine has admitted the caller. In TLS 1.3
 * the caller's handshake completes before its certificate is checked, so it could not know otherwise.
 */
export const ADMITTED = 0x01;

export interface AgentPeer {
  /** Proved by the handshake: the peer has the key of the certificate whose hash this is. */
  readonly deviceId: string;
  readonly certPem: string;
  /** Nothing has been read from it yet. It has a listener for errors; a handler need not add one. */
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
