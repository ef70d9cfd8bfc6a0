/**
 * A local network of hosts for tests, each a set of Linux namespaces on this machine (see namespace.ts): its own
 * interfaces, addresses, host name, /etc and /run; files and processes are shared with the machine. The switch between
 * them is a bridge in a namespace of its own, so nothing of this machine's own network is touched. Needs root:
 *
 *     describe.skipIf(peerMissing("namespaces"))("…", () => {
 *       const network = await Network.create(2);
 *       const [one, two] = network.hosts;
 *       await one.run("ping", ["-c", "1", two.address4]);   // throws when it fails; exec() gives the exit status
 *       const peer = await one.spawn("node", ["server.js"], { ready: /listening/ });
 *       await network.dispose();                             // ends all processes inside, too
 */
import { Host } from "./host.js";
import { Namespace } from "./namespace.js";

export { Host, type LinkQuality } from "./host.js";
export type { CommandOptions, CommandResult } from "./namespace.js";

export interface NetworkOptions {
  /** Host names, one for each host; default host1, host2, … */
  readonly names?: readonly string[];
  /** Whether hosts have IPv4 addresses; default true. */
  readonly ipv4?: boolean;
  /** Whether hosts have IPv6 addresses at all, link-local ones included; default true. */
  readonly ipv6?: boolean;
}

export class Network {
  readonly hosts: readonly Host[];
  readonly #switch: Namespace;

  private constructor(fabric: Namespace, hosts: readonly Host[]) {
    this.#switch = fabric;
    this.hosts = hosts;
  }

  /**
   * Makes hosts on one local network. The n-th has the addresses 10.77.0.n and fd77::n on its interface eth0, and every
   * host knows the others' names (as name and as name.test).
   */
  static async create(count: number, options: NetworkOptions = {}): Promise<Network> {
    const names = Array.from({ length: count }, (_, index) => options.names?.[index] ?? `host${index + 1}`);
    const fabric = await Namespace.create("switch");
    const namespaces = await Promise.all(names.map((name) => Namespace.create(name)));
    // Frames are passed on as they come: no addresses on the switch, no waiting for multicast reports.
    await fabric.run("sh", ["-c", "echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6"]);
    const families = { ipv4: options.ipv4 ?? true, ipv6: options.ipv6 ?? true };
    const hosts = namespaces.map((space, index) => new Host(space, fabric, index + 1, families));
    const network = new Network(fabric, hosts);
    try {
      await network.addSegment(0);
      await Promise.all(hosts.map((host) => host.connect(0)));
      await Promise.all(hosts.map((host) => host.nameHosts(hosts)));
    } catch (error) {
      await network.dispose();
      throw error;
    }
    return network;
  }

  /**
   * Adds another local network, to which hosts can be connected by their next interface (`host.connect(segment)`).
   *
   * @param segment 1, 2, …: its hosts have addresses 10.(77 + segment).0.n and fd(77 + segment)::n.
   */
  async addSegment(segment: number): Promise<void> {
    await this.#switch.run("ip", ["link", "add", `br${segment}`, "type", "bridge", "mcast_snooping", "0"]);
    await this.#switch.run("ip", ["link", "set", `br${segment}`, "up"]);
  }

  /** The host with this name. */
  host(name: string): Host {
    const found = this.hosts.find((host) => host.name === name);
    if (found === undefined) throw new Error(`There is no host ${name}.`);
    return found;
  }

  /** Ends all processes on the hosts and removes the network. Safe to call twice. */
  async dispose(): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.dispose()));
    await this.#switch.dispose();
  }
}

/** Whether a TCP connection from a host to an address opens within two seconds. */
export async function connects(from: Host, address: string, port: number): Promise<boolean> {
  const program = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 2)";
  return (await from.exec("python3", ["-c", program, address, String(port)])).code === 0;
}
