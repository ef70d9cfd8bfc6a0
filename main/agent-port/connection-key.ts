/** The ends of a TCP connection. While it is open, no other connection of this machine has the same. */
export interface ConnectionEnds {
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** What tells a connection from all others, for libraries that hand on its ends but not its socket. */
export function connectionKey({
  localAddress,
  localPort,
  remoteAddress,
  remotePort,
}: ConnectionEnds): string {
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}
