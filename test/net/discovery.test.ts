/** Discovery between hosts in network namespaces: who sees whom, how soon, and how it ends. */
import { afterEach, describe, expect, test } from "vitest";
import { peerMissing } from "../support/peers.js";
import { allSeeAll, DiscoveringHost, deviceIdFor, startAll } from "./support/discovering-host.js";
import { type Host, Network, type NetworkOptions } from "./support/network.js";

/** Nothing is searched for, and nothing is forgotten, by the clock: who is seen has announced itself or answered. */
const NEVER = { searchEveryMillis: 3_600_000, lifetimeSeconds: 3600 };

let network: Network;
afterEach(() => network?.dispose());

async function makeNetwork(
  count: number,
  options?: NetworkOptions,
): Promise<readonly [Host, Host, ...Host[]]> {
  network = await Network.create(count, options);
  const [one, two, ...more] = network.hosts;
  if (one === undefined || two === undefined) throw new Error("Two hosts at least.");
  return [one, two, ...more];
}

describe.skipIf(peerMissing("namespaces"))("discovery", () => {
  test("lets four hosts that start together see each other soon, and never themselves", async () => {
    const hosts = await makeNetwork(4);
    const all = await startAll(hosts, { timing: NEVER });
    const millis = await allSeeAll(all);
    console.log(`4 hosts saw each other ${millis} ms after the last of them began.`);
    const [first] = all;
    expect((await first?.waitFor(({ state }) => state.state === "on"))?.state).toEqual({ state: "on" });
    const second = first?.latest.sightings.find(({ deviceId }) => deviceId === deviceIdFor("host2"));
    expect(second).toMatchObject({ name: "host2", port: 2220, version: "1.2.3" });
    expect(second?.addresses.slice(0, 2)).toEqual([hosts[1].address4, hosts[1].address6]);
    expect(second?.addresses[2]).toMatch(/^fe80::.*%eth0$/);
  });

  test("lets a host that comes later and one that was there see each other soon", async () => {
    const [one, two] = await makeNetwork(2);
    const first = await DiscoveringHost.start(one, { timing: NEVER });
    await first.waitFor(({ state }) => state.state === "on");
    const second = await DiscoveringHost.start(two, { timing: NEVER });
    const millis = await allSeeAll([first, second]);
    console.log(`A later host and an earlier one saw each other after ${millis} ms.`);
  });

  test("says goodbye: who closes is gone at once", async () => {
    const all = await startAll(await makeNetwork(4), { timing: NEVER });
    await allSeeAll(all);
    const [leaving, ...staying] = all;
    await leaving?.process.stop();
    expect(leaving?.process.stdout()).toContain("closed");
    await Promise.all(staying.map((one) => one.waitForSightings(staying.filter((other) => other !== one))));
  });

  test("forgets who was killed when its time has run out, not before, and not who lives", async () => {
    // Who lives is heard several times in its time, also on a machine that does much else.
    const timing = { lifetimeSeconds: 6, searchEveryMillis: 800 };
    const all = await startAll(await makeNetwork(3), { timing });
    await allSeeAll(all);
    const [killed, one, other] = all;
    const died = Date.now();
    await killed?.process.stop("SIGKILL");
    const gone = await one?.waitForSightings(other ? [other] : []);
    expect((gone?.at ?? 0) - died).toBeGreaterThan(1000);
    // The living are heard again and again, and never leave the list.
    const everSince = one?.events().filter(({ at }) => at > died) ?? [];
    expect(everSince.every(({ sightings }) => sightings.some(({ name }) => name === "host3"))).toBe(true);
  });

  test("works where packets are lost and late", async () => {
    const hosts = await makeNetwork(4);
    await Promise.all(hosts.map((host) => host.setQuality({ lossPercent: 20, delayMillis: 100 })));
    const all = await startAll(hosts, { timing: { searchEveryMillis: 2000 } });
    const millis = await allSeeAll(all);
    console.log(`With 20 % loss and 100 ms delay at each host: ${millis} ms.`);
  });

  test("sees a machine with two networks as one with the addresses of both, and follows as they come and go", async () => {
    const hosts = await makeNetwork(2);
    const [one, two] = hosts;
    const [first, second] = await startAll(hosts);
    if (first === undefined || second === undefined) throw new Error("Two were started.");
    await allSeeAll([first, second]);
    await network.addSegment(1);
    await Promise.all([one.connect(1), two.connect(1)]);
    const both = await first.waitFor(
      ({ sightings }) => sightings[0]?.addresses.includes(two.address4On(1)) === true,
    );
    expect(both.sightings.length).toBe(1);
    expect(both.sightings[0]?.addresses).toContain(two.address4);
    await second.waitFor(({ sightings }) => sightings[0]?.addresses.includes(one.address4On(1)) === true);
    await one.disconnect(1);
    await first.waitFor(({ sightings }) => sightings[0]?.addresses.includes(two.address4On(1)) === false);
    expect(first.latest.sightings[0]?.addresses).toContain(two.address4);
  });

  test("begins to work when a network comes, and says what is missing until then", async () => {
    const hosts = await makeNetwork(2);
    const [one] = hosts;
    await one.setLink(false);
    const [first, second] = await startAll(hosts);
    if (first === undefined || second === undefined) throw new Error("Two were started.");
    const missing = await first.waitFor(({ state }) => state.state === "unavailable");
    expect(missing.state.problem?.reason).toBe("This machine is not connected to a network.");
    await one.setLink(true);
    await first.waitFor(({ state, sightings }) => state.state === "on" && sightings.length === 1);
    await second.waitForSightings([first]);
    await one.setLink(false);
    await first.waitFor(({ state, sightings }) => state.state === "unavailable" && sightings.length === 0);
  });

  test("works with IPv6 alone", async () => {
    const hosts = await makeNetwork(4, { ipv4: false });
    const all = await startAll(hosts);
    await allSeeAll(all);
    const addresses = all[0]?.latest.sightings[0]?.addresses ?? [];
    expect(addresses.length).toBe(2);
    expect(addresses.every((address) => address.includes(":"))).toBe(true);
  });

  test("works with IPv4 alone", async () => {
    const all = await startAll(await makeNetwork(2, { ipv6: false }));
    await allSeeAll(all);
    expect(all[0]?.latest.sightings[0]?.addresses).toEqual([network.host("host2").address4]);
  });

  test("tells machines of the same name apart, and hears of a new name", async () => {
    const all = await startAll(await makeNetwork(3), { name: "gpu-pc" });
    await allSeeAll(all);
    expect(all[0]?.latest.sightings.map(({ name }) => name)).toEqual(["gpu-pc", "gpu-pc"]);
    const before = Date.now();
    all[1]?.process.child.kill("SIGUSR2");
    const renamed = [all[0], all[2]].map((one) =>
      one?.waitFor(({ sightings }) => sightings.some(({ name }) => name === "Renamed")),
    );
    await Promise.all(renamed);
    // It was never gone in between.
    const everSince = all[2]?.events().filter(({ at }) => at > before) ?? [];
    expect(everSince.map(({ sightings }) => sightings.length)).toEqual(everSince.map(() => 2));
  });

  test("tells two installations on one machine apart, which see each other", async () => {
    const [one] = await makeNetwork(2);
    const [desktop, agent] = await Promise.all([
      DiscoveringHost.start(one),
      DiscoveringHost.start(one, { deviceId: deviceIdFor("second"), port: 2221 }),
    ]);
    await allSeeAll([desktop, agent]);
    expect(desktop.latest.sightings[0]).toMatchObject({ deviceId: agent.deviceId, port: 2221 });
    expect(desktop.latest.sightings[0]?.addresses).toContain(one.address4);
  });

  test("says that a network does not multicast, and works when it does", async () => {
    const hosts = await makeNetwork(2);
    const [one] = hosts;
    await one.setMulticast(false);
    const all = await startAll(hosts);
    const said = await all[0]?.waitFor(({ state }) => state.state === "unavailable");
    expect(said?.state.problem?.reason).toMatch(/^The network "eth0" does not carry/);
    expect(said?.state.problem?.remedy).toMatch(/by its address/);
    await one.setMulticast(true);
    await allSeeAll(all);
  });

  test.skipIf(peerMissing("nftables")).each([
    ["comes in", "input", /comes back: a firewall on this machine probably/],
    ["goes out", "output", /firewall on this machine does not let mDNS out/],
  ])("says so when a firewall here drops what %s", async (_way, hook, reason) => {
    const [one] = await makeNetwork(2);
    const rules = `table inet t { chain c { type filter hook ${hook} priority 0; udp dport 5353 drop; }; }`;
    await one.run("nft", [rules]);
    const host = await DiscoveringHost.start(one);
    const said = await host.waitFor(({ state }) => state.state === "unavailable");
    expect(said.state.problem?.reason).toMatch(reason);
  });

  test("says who keeps the port to himself, and works when he is gone", async () => {
    const hosts = await makeNetwork(2);
    const [one] = hosts;
    const script = `import socket
for family, any in (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::"):
    holder = socket.socket(family, socket.SOCK_DGRAM)
    if family == socket.AF_INET6: holder.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    holder.bind((any, 5353)); globals()[any] = holder
print("held", flush=True); import signal; signal.pause()`;
    const holder = await one.spawn("python3", ["-c", script], { ready: /held/ });
    const all = await startAll(hosts);
    const said = await all[0]?.waitFor(({ state }) => state.state === "unavailable");
    expect(said?.state.problem?.reason).toMatch(/keeps the mDNS port, UDP 5353, to itself/);
    await holder.stop();
    await allSeeAll(all);
    expect((await all[0]?.waitFor(({ state }) => state.state === "on"))?.state.problem).toBeUndefined();
  });

  test("looks again after a sleep", async () => {
    const hosts = await makeNetwork(2);
    const [one, two] = hosts;
    // Nobody asks by the clock: only waking up can be what finds the other.
    const timing = { searchEveryMillis: 3_600_000 };
    const first = await DiscoveringHost.start(one, { timing });
    await first.waitFor(({ state }) => state.state === "on");
    first.process.child.kill("SIGSTOP");
    await one.setCable(false);
    const second = await DiscoveringHost.start(two, { timing });
    await second.waitFor(({ state }) => state.state === "on");
    // The last announcement of the second one is over, and the first has slept for long enough to notice.
    await new Promise((resolve) => setTimeout(resolve, 7500));
    await one.setCable(true);
    first.process.child.kill("SIGCONT");
    await allSeeAll([first, second]);
  });

  test("does nothing at all on the loopback scope", async () => {
    const hosts = await makeNetwork(2);
    const [quiet, loud] = await startAll(hosts, { scope: "loopback" });
    expect(quiet?.latest.state).toEqual({ state: "off" });
    expect(loud?.latest.sightings).toEqual([]);
    expect(await hosts[0].run("sh", ["-c", "cat /proc/net/udp /proc/net/udp6"])).not.toContain(":14E9");
  });
});
