/**
 * Dialling for other machines. They may ask what this one reaches, which is no way to find out which services it has that
 * listen for its own programs only: on itself it dials the ports of tasks and tunnels, and tells all others as closed.
 */
import { networkInterfaces } from "node:os";
import { parseHostPort } from "../../worker-runtime/cluster/address.js";
import { withSharedSignal } from "../../worker-runtime/rpc/shared-signal.js";
import { canonicalAddress, contains } from "../firewall/addresses.js";
import { probeName } from "../reachability/layers/name.js";
import { failed, skipped } from "../reachability/layers/result.js";
import type { Prober } from "../reachability/probe.js";

/** Loopback, and "any address", by which systems take a program to the same machine. */
const OWN_NETWORKS = ["127.0.0.0/8", "0.0.0.0/8", "::1", "::"];
const NOT_TRIED = "not tried";

/** @param isKnown Whether a port of this machine is one that a cluster has to do with. */
export function guardedProber(prober: Prober, isKnown: (port: number) => boolean): Prober {
  return async (request) => {
    const target = parseHostPort(request.address);
    if (!target || isKnown(target.port)) return await prober(request);
    const name = await probeName(target.host, request.signal ?? new AbortController().signal);
    if (!name.hosts.some(isOwn)) return await prober(request);
    const behind = request.kind === "task" ? (["http2", "status"] as const) : (["tls"] as const);
    return [
      name.result,
      skipped("ping", NOT_TRIED),
      failed("tcp", "refused", 0, "leads to that machine itself, where no task of the cluster has this port"),
      ...behind.map((layer) => skipped(layer, NOT_TRIED)),
    ];
  };
}

/** Those of the addresses, "host:port" each, that do not lead to this machine: no other machine's agent is there. */
export async function elsewhere(addresses: readonly string[], signal: AbortSignal): Promise<string[]> {
  const here = await withSharedSignal(signal, (shared) =>
    Promise.all(
      addresses.map(async (address) => {
        const host = parseHostPort(address)?.host;
        return host !== undefined && (await probeName(host, shared)).hosts.some(isOwn);
      }),
    ),
  );
  return addresses.filter((_, place) => !here[place]);
}

/** Whether an address is one of this machine now. */
function isOwn(address: string): boolean {
  const plain = canonicalAddress(address);
  if (plain === undefined) return false;
  const own = Object.values(networkInterfaces()).flatMap((infos) => infos?.map((info) => info.address) ?? []);
  return own.includes(plain) || OWN_NETWORKS.some((network) => contains(network, plain));
}
