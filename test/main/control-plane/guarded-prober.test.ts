import { hostname, networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { elsewhere, guardedProber } from "../../../main/control-plane/guarded-prober.js";

const asked: string[] = [];
const prober = guardedProber(
  async ({ address }) => {
    asked.push(address);
    return [];
  },
  (port) => port === 2222,
);

const ownAddresses = Object.values(networkInterfaces()).flatMap(
  (infos) => infos?.filter(({ address }) => !address.startsWith("fe80")).map(({ address }) => address) ?? [],
);

test.each([
  "127.0.0.1",
  "127.1.2.3",
  "localhost",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "2130706433",
  hostname(),
  ...ownAddresses.map((address) => (address.includes(":") ? `[${address}]` : address)),
])("a service of this machine is not looked for at %s", async (host) => {
  const layers = await prober({ address: `${host}:22`, kind: "task" });
  expect(layers.map(({ layer, outcome }) => [layer, outcome]).slice(1)).toEqual([
    ["ping", "skipped"],
    ["tcp", "failed"],
    ["http2", "skipped"],
    ["status", "skipped"],
  ]);
  expect(asked).toEqual([]);
});

test("tasks of this machine are dialled, and others whatever their port", async () => {
  for (const address of ["localhost:2222", "192.0.2.1:22", "nowhere.invalid:22", "no address"]) {
    await prober({ address, kind: "task" });
    expect(asked.pop()).toBe(address);
  }
});

test("another machine's agent is not looked for on this one", async () => {
  const given = ["127.0.0.1:22", "192.0.2.1:2220", "localhost:2220", "[::1]:1", "[2001:db8::1]:2220"];
  expect(await elsewhere(given, new AbortController().signal)).toEqual([
    "192.0.2.1:2220",
    "[2001:db8::1]:2220",
  ]);
});
