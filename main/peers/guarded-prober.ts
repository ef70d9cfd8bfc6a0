/**
 * Dialling for other machines. They may ask what this one reaches, which is no way to find out which services it has that
 * listen for its own programs only: on itself it dials the ports of tasks and tunnels, and tells all others as closed.
 */
import { networkInterfaces } from "node:os";
import { formatHostPort, parseHostPort } from "../../worker-runtime/cluster/address.js";
import { canonicalAddress, canonicalHost } from "../../worker-runtime/cluster/host.js";
import { withSharedSignal } from "../../worker-runtime/rpc/shared-signal.js";
import { contains } from "../network/firewall/addresses.js";
import { probeName } from "../network/reachability/layers/name.js";
import { failed } from "../network/reachability/layers/result.js";
import { type Prober, proberUnless } from "../network/reachability/probe.js";

/** Loopback, and "any address", by which systems take a program to the same machine. */
const OWN_NETWORKS = ["127.0.0.0/8", "0.0.0.0/8", "::1", "::"];

/**
 * @param isKnown Whether a port of this machine is one that a cluster has to do with.
 * @param probe Makes the prober that does not dial what it is told; replaced in tests.
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
 * Those of the addresses, "host:port" each, that do not lead to this machine, where no other machine's agent is. Names come
 * out as the addresses that they lead to now: asked about again, they might lead elsewhere.
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
