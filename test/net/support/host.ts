/** One host of a test's network; see network.ts. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PeerProcess, SpawnPeerOptions } from "../../support/processes.js";
import type { CommandOptions, CommandResult, Namespace } from "./namespace.js";

/** How bad a host's connection is. Both apply in each direction. */
export interface LinkQuality {
  /** Share of packets that are lost, in percent. */
  readonly lossPercent: number;
  readonly delayMillis: number;
}

interface Families {
  readonly ipv4: boolean;
  readonly ipv6: boolean;
}

const POOR_LINK = join(dirname(fileURLToPath(import.meta.url)), "poor-link.py");

export class Host {
  readonly name: string;
  readonly #space: Namespace;
  readonly #switch: Namespace;
  readonly #index: number;
  readonly #families: Families;
  readonly #relays = new Map<number, PeerProcess>();

  /** Hosts are made by Network.create. */
  constructor(space: Namespace, fabric: Namespace, index: number, families: Families) {
    this.name = space.hostname;
    this.#space = space;
    this.#switch = fabric;
    this.#index = index;
    this.#families = families;
  }

  /** "10.77.0.1"; on another segment than the first, by its number. */
  get address4(): string {
    return this.address4On(0);
  }

  /** "fd77::1" */
  get address6(): string {
    return this.address6On(0);
  }

  address4On(segment: number): string {
    return `10.${77 + segment}.0.${this.#index}`;
  }

  address6On(segment: number): string {
    return `fd${77 + segment}::${this.#index.toString(16)}`;
  }

  /** Process that holds the host's namespaces, for `nsenter -t`. */
  get pid(): number {
    return this.#space.pid;
  }

  /** Program and arguments that run a command on the host, for whoever starts processes in a way of its own. */
  commandLine(command: string, args: readonly string[], cwd?: string): [string, ...string[]] {
    return this.#space.commandLine(command, args, cwd);
  }

  /** TCP ports at which the network, and not only the host itself, can probe. */
  async openPorts(): Promise<number[]> {
    const sockets = await this.run("ss", ["-ltnH"]);
    return sockets.split("\n").flatMap((line) => {
      const local = line.trim().split(/\s+/)[3] ?? "";
      const port = Number(local.slice(local.lastIndexOf(":") + 1));
      return local === "" || /^(127\.|\[::1\]|\[::ffff:127\.)/.test(local) ? [] : [port];
    });
  }

  /** Runs a command to its end and gives what it wrote to stdout. @throws Error with its output when it fails. */
  run(command: string, args: readonly string[] = [], options: CommandOptions = {}): Promise<string> {
    return this.#space.run(command, args, options);
  }

  /** Runs a command to its end, whatever that is. */
  exec(command: string, args: readonly string[] = [], options: CommandOptions = {}): Promise<CommandResult> {
    return this.#space.exec(command, args, options);
  }

  /** Starts a process; with `ready`, resolves once it has printed a line that matches. */
  spawn(command: string, args: readonly string[] = [], options: SpawnPeerOptions = {}): Promise<PeerProcess> {
    return this.#space.spawn(command, args, options);
  }

  /**
   * Connects a new interface, `eth<segment>`, to a segment of the network. Segment 0 is connected from the beginning.
   */
  async connect(segment: number): Promise<void> {
    const port = this.#port(segment);
    const device = `eth${segment}`;
    await this.#switch.run("sh", [
      "-ec",
      `ip link add ${port} type veth peer name ${device} netns ${this.pid}
       ip link set ${port} master br${segment} up`,
    ]);
    if (!this.#families.ipv6) await this.#writeSysctl(`net/ipv6/conf/${device}/disable_ipv6`, "1");
    await this.setLink(true, segment);
  }

  /** Removes the interface of a segment, as pulling a USB adapter does. */
  async disconnect(segment: number): Promise<void> {
    await this.setQuality(undefined, segment);
    await this.#switch.run("ip", ["link", "delete", this.#port(segment)]);
  }

  /** Takes the interface down as an administrator does, or up again with all its addresses. */
  async setLink(up: boolean, segment = 0): Promise<void> {
    const device = `eth${segment}`;
    await this.run("ip", ["link", "set", device, up ? "up" : "down"]);
    if (!up) return;
    const { ipv4, ipv6 } = this.#families;
    if (ipv4) await this.run("ip", ["address", "replace", `${this.address4On(segment)}/24`, "dev", device]);
    if (ipv6) {
      await this.run("ip", ["address", "replace", `${this.address6On(segment)}/64`, "dev", device, "nodad"]);
    }
  }

  /** Pulls the network cable, or plugs it in. The interface keeps its addresses and loses its carrier. */
  async setCable(plugged: boolean, segment = 0): Promise<void> {
    await this.#switch.run("ip", ["link", "set", this.#port(segment), plugged ? "up" : "down"]);
  }

  /** Whether the interface says that it can multicast. */
  async setMulticast(on: boolean, segment = 0): Promise<void> {
    await this.run("ip", ["link", "set", `eth${segment}`, "multicast", on ? "on" : "off"]);
  }

  /**
   * Makes the host's connection lose and delay packets, or (undefined) lets it be good again. A relay on the switch's side
   * does it, since the kernel's netem is not built in everywhere; it passes some ten thousand packets a second.
   */
  async setQuality(quality: LinkQuality | undefined, segment = 0): Promise<void> {
    const port = this.#port(segment);
    const relay = this.#relays.get(segment);
    if (relay !== undefined) {
      this.#relays.delete(segment);
      await relay.stop("SIGKILL");
      await this.#switch.run("ip", ["link", "delete", `${port}a`]);
      await this.#switch.run("ip", ["link", "set", port, "master", `br${segment}`]);
    }
    if (quality === undefined) return;
    await this.#switch.run("sh", [
      "-ec",
      `ip link set ${port} nomaster
       ip link add ${port}a type veth peer name ${port}b
       ip link set ${port}a up
       ip link set ${port}b master br${segment} up`,
    ]);
    const { lossPercent, delayMillis } = quality;
    const args = [POOR_LINK, port, `${port}a`, String(lossPercent), String(delayMillis)];
    this.#relays.set(segment, await this.#switch.spawn("python3", args, { ready: /ready/ }));
  }

  /** Called by Network.create: writes the names of all hosts into /etc/hosts. */
  async nameHosts(hosts: readonly Host[]): Promise<void> {
    const lines = ["127.0.0.1 localhost", "::1 localhost"];
    for (const host of hosts) {
      if (this.#families.ipv4) lines.push(`${host.address4} ${host.name} ${host.name}.test`);
      if (this.#families.ipv6) lines.push(`${host.address6} ${host.name} ${host.name}.test`);
    }
    await this.run("sh", ["-c", "cat > /etc/hosts"], { input: `${lines.join("\n")}\n` });
  }

  /** Ends all processes on the host. Called by Network.dispose. */
  async dispose(): Promise<void> {
    await this.#space.dispose();
  }

  /** The switch's end of the cable. */
  #port(segment: number): string {
    return `port${this.#index}-${segment}`;
  }

  async #writeSysctl(name: string, value: string): Promise<void> {
    await this.run("sh", ["-c", `echo ${value} > /proc/sys/${name}`]);
  }
}
