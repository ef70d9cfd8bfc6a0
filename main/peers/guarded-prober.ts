/**
 * Probes on behalf of other machines. They may ask what this machine reaches, but that must not reveal services that
 * listen for its local programs only: on itself it dials the ports of tasks and tunnels, and reports all others as
 * closed.
 */
import { networkInterfaces } from "node:os";
import { withSharedSignal } from "../../worker-runtime/cancellation/shared-signal.js";
import { formatHostPort, parseHostPort } from "../../worker-runtime/cluster/address.js";
import { canonicalAddress, canonicalHost } from "../../worker-runtime/cluster/host.js";
import { contains } from "../network/firewall/addresses.js";
import { probeName } from "../network/reachability/layers/name.js";
import { failed } from "../network/reachability/layers/result.js";
import { type Prober, proberUnless } from "../network/reachability/probe.js";

/** Loopback, and the unspecified address, which systems route to the same machine. */
const OWN_NETWORKS = ["127.0.0.0/8", "0.0.0.0/8", "::1", "::"];

/**
 * @param isKnown Whether a port of this machine belongs to a cluster.
 * @param probe Creates the prober, which does not dial the addresses passed to it; replaced in tests.
 */
export function guardedProber(isKnown: (port: number) => boolean, probe = proberUnless): Prober {
  return probe((host, port) =>
    isKnown(port) || !isOwn(host)
      ? undefined
      : failed(
          "tcp",
          "refused",
          0,
          "leads to that machine itself, where no task of the cluster has this port",
        ),
  );
}

/**
 * Those of the addresses, "host:port" each, that do not lead to this machine, where no other machine's agent is. Names
 * are resolved to their current addresses: resolved again later, they might point elsewhere.
 */
export async function elsewhere(addresses: readonly string[], signal: AbortSignal): Promise<string[]> {
  const found = await withSharedSignal(signal, (shared) =>
    Promise.all(
      addresses.map(async (address) => {
        const target = parseHostPort(address);
        if (!target) return [];
        const { hosts } = await probeName(target.host, shared);
        return hosts
          .filter((host) => !isOwn(host))
          .map((host) => formatHostPort({ host, port: target.port }));
      }),
    ),
  );
  return found.flat();
}

/** Whether an address is one of this machine now. */
function isOwn(address: string): boolean {
  const { host } = canonicalHost(address);
  const own = Object.values(networkInterfaces()).flatMap(
    (infos) => infos?.map((info) => canonicalAddress(info.address)) ?? [],
  );
  return own.includes(host) || OWN_NETWORKS.some((network) => contains(network, host));
}
