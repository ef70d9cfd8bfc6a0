/**
 * A machine that announces itself on the local network. Nothing in it is verified; pairing and pinned certificates do
 * that.
 */
export interface Sighting {
  readonly deviceId: string;
  readonly name: string;
  /** Port of its agent. */
  readonly port: number;
  /** Version of Tensordeck there. */
  readonly version: string;
  /** The likeliest first; IPv6 link-local ones with their scope ("fe80::1%eth0"). */
  readonly addresses: readonly string[];
  /** Milliseconds since the epoch. */
  readonly lastSeenAt: number;
}

/** A machine's announcement about itself, the fixed part of a sighting. */
export type Announced = Pick<Sighting, "deviceId" | "name" | "port" | "version">;
