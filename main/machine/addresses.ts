/** The addresses of this machine at which others may reach it. */
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { isLinkLocalIpv6 } from "../../worker-runtime/cluster/host.js";

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** Bridges and links of containers and virtual machines: their networks end on this machine. */
const innerInterface =
  /^(?:docker|br-|virbr|lxcbr|lxdbr|veth|cni|flannel|cali|podman|vmnet|vboxnet|vEthernet|bridge\d)/i;
/** Virtual private networks: others may be in them, but the local network is the better route. */
const privateNetwork = /^(?:tun|tap|utun|wg|tailscale|ts|zt|ppp|ipsec)\d*/i;

/** Whether an interface leads only to guests of this machine. */
export function isInnerInterface(name: string): boolean {
  return innerInterface.test(name);
}

/**
 * The likeliest first: IPv4 before IPv6, the local network's before others. Loopback and link-local IPv6 addresses are left
 * out (the latter mean nothing without an interface of the one who dials), and so are networks of containers unless there
 * is nothing else.
 */
export function reachableAddresses(interfaces: Interfaces = networkInterfaces()): string[] {
  const all = Object.entries(interfaces).flatMap(([name, infos]) =>
    (infos ?? [])
      .filter((info) => !info.internal && !isLinkLocalIpv6(info.address))
      .map((info) => ({ name, address: info.address, rank: rankOf(name, info.address) })),
  );
  const outer = all.filter(({ name }) => !isInnerInterface(name));
  // Sorting is stable: the system's order decides among equals.
  return (outer.length > 0 ? outer : all).sort((a, b) => a.rank - b.rank).map(({ address }) => address);
}

function rankOf(name: string, address: string): number {
  const away = privateNetwork.test(name) ? 10 : 0;
  if (address.includes(":")) return away + 4;
  // An address that a machine assigned to itself without a DHCP server.
  if (address.startsWith("169.254.")) return away + 5;
  return away + (isPrivateIpv4(address) ? 0 : 1);
}

function isPrivateIpv4(address: string): boolean {
  return /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(address);
}
