import { formatHostPort } from "../../worker-runtime/cluster/address.js";

/** "host:port" of a machine's agent at each of its addresses, in their order; none while its port is not known. */
export function agentAddresses({
  addresses,
  agentPort,
}: {
  readonly addresses: readonly string[];
  readonly agentPort?: number | undefined;
}): string[] {
  return agentPort === undefined ? [] : addresses.map((host) => formatHostPort({ host, port: agentPort }));
}

/** The addresses that are valid on other machines: a zone ("fe80::1%eth0") is an interface of this one. */
export function withoutZones(addresses: readonly string[]): string[] {
  return addresses.filter((address) => !address.includes("%"));
}
