/** Starts fixtures/discovering-host.ts on hosts, and reads what it prints. */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DiscoveryState } from "../../../main/api/machines.js";
import type { DiscoveryOptions, Sighting } from "../../../main/peers/discovery/discovery.js";
import type { PeerProcess } from "../../support/processes.js";
import type { Host } from "./network.js";

const FIXTURE = join(dirname(fileURLToPath(import.meta.url)), "..", "fixtures", "discovering-host.ts");

export interface DiscoveryEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly state: DiscoveryState;
  readonly sightings: readonly Sighting[];
}

/** A device ID for tests, made of a name. */
export function deviceIdFor(name: string): string {
  const digits = "abcdefghijklmnopqrstuvwxyz234567";
  const hash = createHash("sha512").update(name).digest();
  return Array.from(hash.subarray(0, 52), (byte) => digits[byte % 32]).join("");
}

export class DiscoveringHost {
  readonly deviceId: string;
  readonly process: PeerProcess;

  private constructor(deviceId: string, process: PeerProcess) {
    this.deviceId = deviceId;
    this.process = process;
  }

  /** Resolves when discovery has just begun. Its device ID is `deviceIdFor` the host's name. */
  static async start(host: Host, options: Partial<DiscoveryOptions> = {}): Promise<DiscoveringHost> {
    const deviceId = options.deviceId ?? deviceIdFor(host.name);
    const all: DiscoveryOptions = {
      deviceId,
      name: host.name,
      port: 2220,
      version: "1.2.3",
      scope: "lan",
      ...options,
    };
    const args = ["--import", "tsx", FIXTURE, JSON.stringify(all)];
    return new DiscoveringHost(deviceId, await host.spawn(process.execPath, args, { ready: /"state"/ }));
  }

  /** All that was printed so far, the first when it began. */
  events(): DiscoveryEvent[] {
    const lines = this.process.stdout().split("\n").slice(0, -1);
    return lines.filter((line) => line.startsWith("{")).map((line): DiscoveryEvent => JSON.parse(line));
  }

  /** The state at the moment. */
  get latest(): DiscoveryEvent {
    const event = this.events().at(-1);
    if (event === undefined) throw new Error("Nothing was printed yet.");
    return event;
  }

  /**
   * Resolves with the first event, from now on or from the latest one, that the condition holds for.
   *
   * @throws Error with the latest event when the time runs out.
   */
  async waitFor(
    condition: (event: DiscoveryEvent) => boolean,
    timeoutMillis = 30_000,
  ): Promise<DiscoveryEvent> {
    const from = Math.max(0, this.events().length - 1);
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        clearTimeout(timer);
        this.process.child.stdout?.off("data", check);
        settle();
      };
      const timer = setTimeout(() => {
        const latest = JSON.stringify(this.latest);
        finish(() => reject(new Error(`Not within ${timeoutMillis} ms: ${condition}; at last: ${latest}`)));
      }, timeoutMillis);
      const check = (): void => {
        const event = this.events().slice(from).find(condition);
        if (event !== undefined) finish(() => resolve(event));
      };
      this.process.child.stdout?.on("data", check);
      check();
    });
  }

  /** Resolves when exactly these hosts are seen. */
  async waitForSightings(
    others: readonly { deviceId: string }[],
    timeoutMillis?: number,
  ): Promise<DiscoveryEvent> {
    const wanted = others.map(({ deviceId }) => deviceId).sort();
    const same = ({ sightings }: DiscoveryEvent): boolean =>
      JSON.stringify(sightings.map(({ deviceId }) => deviceId).sort()) === JSON.stringify(wanted);
    return this.waitFor(same, timeoutMillis);
  }
}

/** Starts discovery on all hosts at once. */
export function startAll(
  hosts: readonly Host[],
  options: Partial<DiscoveryOptions> = {},
): Promise<DiscoveringHost[]> {
  return Promise.all(hosts.map((host) => DiscoveringHost.start(host, options)));
}

/**
 * Resolves when every one sees all others, and whoever else is named, with the milliseconds from when the last of them
 * began until then.
 */
export async function allSeeAll(
  all: readonly DiscoveringHost[],
  timeoutMillis?: number,
  others: readonly { deviceId: string }[] = [],
): Promise<number> {
  const seen = await Promise.all(
    all.map((one) => {
      const wanted = [...all.filter((other) => other !== one), ...others];
      return one.waitForSightings(wanted, timeoutMillis);
    }),
  );
  const lastStart = Math.max(...all.map((one) => one.events()[0]?.at ?? 0));
  return Math.max(...seen.map(({ at }) => at)) - lastStart;
}
