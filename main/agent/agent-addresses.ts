import { formatHostPort } from "../../worker-runtime/cluster/address.js";
import type { TrustedMachine } from "../trust/trusted-machine.js";

/** "host:port" of each place where the agent of a paired machine was last reached, the newest first. */
export function agentAddresses({
  addresses,
  agentPort,
}: Pick<TrustedMachine, "addresses" | "agentPort">): string[] {
  return addresses.map((host) => formatHostPort({ host, port: agentPort }));
}
