/**
 * How far this installation's own traffic with other machines goes. lan: it is announced and listens on the network.
 * loopback: it listens for this machine only and announces nothing, as tests want it. off: neither.
 */
export type NetworkScope = "lan" | "loopback" | "off";

/** What TENSORDECK_NETWORK says; "lan" where it is not set. @throws Error for anything else than a scope. */
export function networkScope(environment: NodeJS.ProcessEnv = process.env): NetworkScope {
  const value = environment.TENSORDECK_NETWORK ?? "lan";
  if (value === "lan" || value === "loopback" || value === "off") return value;
  throw new Error(`TENSORDECK_NETWORK is "${value}"; it can be lan, loopback or off.`);
}
