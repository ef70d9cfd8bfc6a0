/** Discovery beside others who use mDNS: another responder on the same port, and those who mean no good. */
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { peerMissing, repositoryRoot } from "../support/peers.js";
import { startAvahi } from "./support/daemons.js";
import { allSeeAll, DiscoveringHost, deviceIdFor } from "./support/discovering-host.js";
import { type Host, Network } from "./support/network.js";

const HOSTILE_SENDER = join(repositoryRoot, "test", "net", "fixtures", "hostile-sender.py");

let network: Network;
afterEach(() => network?.dispose());

async function makeNetwork(): Promise<readonly [Host, Host, Host]> {
  network = await Network.create(3);
  const [one, two, three] = network.hosts;
  if (one === undefined || two === undefined || three === undefined) throw new Error("Three were made.");
  return [one, two, three];
}

interface Browsed {
  readonly port: string;
  readonly addresses: string[];
  readonly texts: string;
}

const BROWSE_MILLIS = 30_000;

/** Asks avahi until it has resolved exactly these machines (and what it announces itself). */
async function browseUntil(host: Host, deviceIds: readonly string[]): Promise<Map<string, Browsed>> {
  const from = performance.now();
  for (;;) {
    const lines = await host.run("avahi-browse", [
      "--resolve",
      "--parsable",
      "--terminate",
      "_tensordeck._tcp",
    ]);
    const found = new Map<string, Browsed>();
    for (const line of lines.split("\n")) {
      const [kind, , , name = "", , , , address = "", port = "", texts = ""] = line.split(";");
      if (kind !== "=") continue;
      const addresses = [...(found.get(name)?.addresses ?? []), address];
      found.set(name, { port, addresses, texts });
    }
    const names = [...found.keys()].filter((name) => name !== deviceIdFor("by avahi")).sort();
    if (JSON.stringify(names) === JSON.stringify([...deviceIds].sort())) return found;
    if (performance.now() - from > BROWSE_MILLIS) throw new Error(`avahi-browse found: ${lines}`);
  }
}

describe.skipIf(peerMissing("namespaces"))("discovery beside others", () => {
  test("outlives garbage, lies and floods, and still sees who is honest", async () => {
    const hosts = await makeNetwork();
    const first = await DiscoveringHost.start(hosts[0]);
    const flood = await hosts[1].spawn("python3", [HOSTILE_SENDER, hosts[1].address4], { ready: /flooded/ });
    const honest = await DiscoveringHost.start(hosts[2]);
    await first.waitFor(({ sightings }) => sightings.some(({ deviceId }) => deviceId === honest.deviceId));
    const invented = first.latest.sightings.filter(({ deviceId }) => deviceId !== honest.deviceId);
    expect(invented.length).toBeGreaterThan(0);
    expect(invented.length).toBeLessThanOrEqual(16);
    // An address that is none of the network's is not believed.
    const addresses = invented.flatMap((sighting) => sighting.addresses);
    expect(addresses).toContain(hosts[1].address4);
    expect(addresses.every((address) => address.startsWith("10.77.0."))).toBe(true);
    await flood.stop();
  });

  test.skipIf(peerMissing("avahi"))(
    "gets along with avahi on the same machine, which finds us as we find what it announces",
    async () => {
      const hosts = await makeNetwork();
      const [one, two, three] = hosts;
      // One has both, so that two responders share the port.
      const avahis = await Promise.all([startAvahi(one), startAvahi(three)]);
      const [first, second] = [await DiscoveringHost.start(one), await DiscoveringHost.start(two)];
      const id = deviceIdFor("by avahi");
      const texts = [`id=${id}`, "name=By avahi", "port=2345", "version=0.9"];
      await three.spawn("avahi-publish", ["-s", id, "_tensordeck._tcp", "2345", ...texts], {
        ready: /Established/,
      });
      for (const host of [first, second]) {
        const seen = await host.waitFor(({ sightings }) => sightings.some(({ deviceId }) => deviceId === id));
        const published = seen.sightings.find(({ deviceId }) => deviceId === id);
        expect(published).toMatchObject({ name: "By avahi", port: 2345, version: "0.9" });
        expect(published?.addresses).toContain(three.address4);
      }
      await allSeeAll([first, second], undefined, [{ deviceId: id }]);
      for (const host of [one, three]) {
        const found = await browseUntil(host, [first.deviceId, second.deviceId]);
        expect(found.get(second.deviceId)).toMatchObject({ port: "2220" });
        expect(found.get(second.deviceId)?.texts).toContain(`"name=host2"`);
        expect(found.get(second.deviceId)?.addresses).toContain(two.address4);
      }
      await second.process.stop();
      await browseUntil(three, [first.deviceId]);
      // Neither took the other for a conflict.
      for (const avahi of avahis) expect(avahi.output()).not.toMatch(/conflict|withdraw/i);
    },
  );
});
