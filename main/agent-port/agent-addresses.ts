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
