/** The network interfaces of this machine that may be connected to a local network. */
import { readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** Further interfaces are ignored; a container host has hundreds that no other machine is behind. */
const MOST_INTERFACES = 16;
/** IFF_MULTICAST of linux/if.h */
const MULTICAST_FLAG = 0x1000;

export interface NetworkInterface {
  readonly name: string;
  /** Without scope. */
  readonly addresses4: readonly string[];
  readonly addresses6: readonly string[];
  /** How a scoped IPv6 address names the interface: by its name, on Windows by its number. */
  readonly scope: string;
  /** False where the system reports that the interface does not support multicast. */
  readonly multicast: boolean;
  /** Whether an address (without scope) lies in one of the interface's own networks. */
  readonly isOnLink: (address: string) => boolean;
}

/** All interfaces that are up and have an address, without the loopback one; those with IPv4 first. */
export function localInterfaces(): NetworkInterface[] {
  const found: NetworkInterface[] = [];
  for (const [name, entries = []] of Object.entries(networkInterfaces())) {
    const outward = entries.filter(({ internal }) => !internal);
    if (outward.length === 0) continue;
    const networks = new BlockList();
    let scope = name;
    for (const entry of outward) {
      const prefix = Number(entry.cidr?.split("/")[1]);
      const family = entry.family === "IPv4" ? "ipv4" : "ipv6";
      if (Number.isInteger(prefix)) networks.addSubnet(entry.address, prefix, family);
      if (entry.family === "IPv6" && process.platform === "win32") scope = String(entry.scopeid);
    }
    networks.addSubnet("fe80::", 10, "ipv6");
    const addresses = (family: "IPv4" | "IPv6") =>
      outward.filter((entry) => entry.family === family).map((entry) => entry.address);
    found.push({
      name,
      addresses4: addresses("IPv4"),
      addresses6: addresses("IPv6"),
      scope,
      multicast: canMulticast(name),
      isOnLink: (address) => {
        const version = isIP(address);
        return version !== 0 && networks.check(address, version === 4 ? "ipv4" : "ipv6");
      },
    });
  }
  const withoutIpv4 = ({ addresses4 }: NetworkInterface) => (addresses4.length === 0 ? 1 : 0);
  return found.sort((a, b) => withoutIpv4(a) - withoutIpv4(b)).slice(0, MOST_INTERFACES);
}

/** Text that changes when sockets on the interface have to be reopened. */
export function identityOf(network: NetworkInterface): string {
  return [
    network.name,
    network.scope,
    network.multicast,
    ...network.addresses4,
    "",
    ...network.addresses6,
  ].join(" ");
}

function canMulticast(name: string): boolean {
  if (process.platform !== "linux") return true;
  try {
    return (Number(readFileSync(`/sys/class/net/${name}/flags`, "latin1")) & MULTICAST_FLAG) !== 0;
  } catch {
    // Without /sys this is unknown; the sockets will tell.
    return true;
  }
}
