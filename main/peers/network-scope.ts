/**
 * How far this installation communicates with other machines. lan: it announces itself and listens on the network.
 * loopback: it listens for this machine only and announces nothing, as in tests. off: neither.
 */
export type NetworkScope = "lan" | "loopback" | "off";

/** The value of TENSORDECK_NETWORK; "lan" if unset. @throws Error for anything other than a scope. */
export function networkScope(environment: NodeJS.ProcessEnv = process.env): NetworkScope {
  const value = environment.TENSORDECK_NETWORK ?? "lan";
  if (value === "lan" || value === "loopback" || value === "off") return value;
  throw new Error(`TENSORDECK_NETWORK is "${value}"; it can be lan, loopback or off.`);
}
