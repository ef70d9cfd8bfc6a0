/** Network interfaces of a Linux machine and the local networks behind them. */
import { z } from "zod";
import { canonicalAddress } from "../../../../worker-runtime/cluster/host.js";
import type { FirewallScope } from "../../../api/firewall.js";
import { isInnerInterface } from "../../../machine/addresses.js";
import { problem } from "../../../shared/problems.js";
import {
  contains,
  type Family,
  familyOf,
  isPrivate,
  type Network,
  networkOf,
  peerNetwork,
} from "../addresses.js";

export interface AdapterAddress {
  readonly adapter: string;
  readonly address: string;
  readonly prefixLength: number;
}

const addressListSchema = z.array(
  z.object({
    ifname: z.string().optional(),
    operstate: z.string().optional(),
    addr_info: z
      .array(z.object({ local: z.string().optional(), prefixlen: z.number().optional() }))
      .optional(),
  }),
);

/** Reads `ip -json address show`. Loopback and bridges to guests of the machine are left out. */
export function readAdapters(json: string): AdapterAddress[] {
  const parsed = addressListSchema.safeParse(parseJson(json));
  if (!parsed.success) return [];
  return parsed.data.flatMap(({ ifname, addr_info: addresses }) => {
    if (ifname === undefined || ifname === "lo" || isInnerInterface(ifname)) return [];
    return (addresses ?? []).flatMap(({ local, prefixlen }) => {
      const address = local === undefined ? undefined : canonicalAddress(local);
      return address === undefined || prefixlen === undefined
        ? []
        : [{ adapter: ifname, address, prefixLength: prefixlen }];
    });
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A network that may connect, and the interface that leads to it. */
export interface Source extends Network {
  /** Absent if it is not known, as for a machine in another network. */
  readonly adapter?: string;
}

/** Link-local addresses are those of the local network by definition, on any interface. */
const LINK_LOCAL = "fe80::/10";

/**
 * Who may connect, as networks.
 *
 * @throws ProblemError INVALID_ARGUMENT for a peer that is no address, FAILED_PRECONDITION when the machine is in no
 *   private network.
 */
export function sourcesOf(scope: FirewallScope, addresses: readonly AdapterAddress[]): Source[] {
  if (scope.kind === "peer") {
    const peer = peerNetwork(scope.address);
    const adapter = addresses.find((own) => {
      const network = networkOf(own.address, own.prefixLength);
      return network !== undefined && contains(network.text, peer.text);
    })?.adapter;
    return [{ ...peer, ...(adapter !== undefined && { adapter }) }];
  }
  const sources = addresses.flatMap(({ adapter, address, prefixLength }): Source[] => {
    if (!isPrivate(address)) return [];
    if (contains(LINK_LOCAL, address)) return [{ family: "ipv6", text: LINK_LOCAL, adapter }];
    const network = networkOf(address, prefixLength);
    return network === undefined ? [] : [{ ...network, adapter }];
  });
  const distinct = [
    ...new Map(sources.map((source) => [`${source.text} ${source.adapter}`, source])).values(),
  ];
  if (distinct.every(({ text }) => text === LINK_LOCAL)) {
    throw problem("FAILED_PRECONDITION", "This machine is in no private network that could be let in.", {
      reason: "Its addresses are public ones, or it has none.",
      remedy: "Let a single machine in by its address instead.",
    });
  }
  return distinct.sort((one, other) => (one.text < other.text ? -1 : one.text > other.text ? 1 : 0));
}

/** Addresses in networks that the internet routes; a local network is never opened there. */
export function publicAddresses(addresses: readonly AdapterAddress[]): AdapterAddress[] {
  return addresses.filter(({ address }) => !isPrivate(address));
}

/** The sources that a rule of one family can name. */
export function ofFamily(sources: readonly Source[], family: Family): Source[] {
  return sources.filter(({ text }) => familyOf(text) === family);
}
