import { type AddressInfo, createServer, type Server } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { elsewhere, guardedProber } from "../../../main/peers/guarded-prober.js";
import { parseHostPort } from "../../../worker-runtime/cluster/address.js";
import { unhandledRejectionsDuring } from "../../support/rejections.js";

let accepted = 0;

/** Listens at a port of all addresses, as a service does that only this machine's programs are to reach. */
async function listenOn(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "::", resolve));
  return (server.address() as AddressInfo).port;
}

/** Knows nothing but a port of a task. */
const prober = guardedProber((port) => port === 2222);

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
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:7f00:0001]",
  "[::1%lo]",
  "[64:ff9b::7f00:1]",
  "[::127.0.0.1]",
  "2130706433",
  "0x7f.1",
  "0177.0.0.1",
  "127.1",
  "0",
  "localhost.",
  "app.localhost",
  hostname(),
  ...ownAddresses.map((address) => (address.includes(":") ? `[${address}]` : address)),
])("a service of this machine is not looked for at %s", async (host) => {
  const listener = createServer((socket) => {
    accepted++;
    socket.destroy();
  });
  const port = await listenOn(listener);
  const layers = await prober({ address: `${host}:${port}`, kind: "task" });
  await new Promise((resolve) => listener.close(resolve));
  // A name that this machine's resolver does not know leads nowhere, and that is all that is told.
  if (layers[0]?.outcome === "failed") return;
  expect(layers.map(({ layer, outcome }) => [layer, outcome]).slice(1)).toEqual([
    ["ping", "skipped"],
    ["tcp", "failed"],
    ["http2", "skipped"],
    ["status", "skipped"],
  ]);
  expect(accepted).toBe(0);
});

test("tasks of this machine are dialled, and others whatever their port", async () => {
  const dialled: string[] = [];
  const known = guardedProber(
    (port) => port === 2222,
    (refusal) => async (request) => {
      const { host, port } = parseHostPort(request.address) ?? { host: "", port: 0 };
      if (!refusal(host, port)) dialled.push(request.address);
      return [];
    },
  );
  const addresses = ["127.0.0.1:2222", "192.0.2.1:22", "[2001:db8::1]:22"];
  for (const address of [...addresses, "127.0.0.1:22"]) await known({ address, kind: "task" });
  expect(dialled).toEqual(addresses);
});

test("another machine's agent is not looked for on this one", async () => {
  const given = [
    "[::ffff:7f00:1]:22",
    "127.0.0.1:22",
    "192.0.2.1:2220",
    "localhost:2220",
    "[::1]:1",
    "[2001:db8::1]:2220",
  ];
  expect(await elsewhere(given, new AbortController().signal)).toEqual([
    "192.0.2.1:2220",
    "[2001:db8::1]:2220",
  ]);
});

test("a name that nobody knows leads to no agent, and to no fault", async () => {
  const unhandled = await unhandledRejectionsDuring(async () => {
    const found = await elsewhere(
      ["no-such-machine.invalid:2220", "localhost:2220"],
      new AbortController().signal,
    );
    expect(found).toEqual([]);
  });
  expect(unhandled).toEqual([]);
});
