import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { probe } from "../../../../main/peers/registry/probing.js";
import { freePort } from "../../../support/processes.js";
import { warningsDuring } from "../../../support/warnings.js";

test("a machine with many addresses answers at one of them", async () => {
  const closed = await Promise.all(Array.from({ length: 15 }, async () => `127.0.0.1:${await freePort()}`));
  const server = createServer((socket) => socket.on("error", () => undefined).resume());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const open = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { signal } = new AbortController();
  const warnings = await warningsDuring(async () => {
    expect(await probe([...closed, open], signal)).toBe(true);
    expect(await probe(closed, signal)).toBe(false);
    expect(await probe([], signal)).toBe(false);
  });
  expect(warnings).toEqual([]);
  // No probe's connection is left.
  await new Promise((resolve) => server.close(resolve));
});
