/** An interface that is gone when its socket joins. What mDNS does on a network is in test/net. */
import { expect, it } from "vitest";
import type { NetworkInterface } from "../../../../main/peers/discovery/interfaces.js";
import { MdnsInterface } from "../../../../main/peers/discovery/mdns-interface.js";

const machine = { deviceId: "a2".repeat(26), name: "gpu-pc", port: 2220, version: "1.0.0" };

it("fails without ending the process, and can be closed", async () => {
  const gone: NetworkInterface = {
    name: "gone0",
    // The address is of the block for documentation: no interface has it, so nothing is joined and nothing sent. (By IPv6 the
    // system would take its default interface for one that is gone.)
    addresses4: ["192.0.2.1"],
    addresses6: [],
    scope: "gone0",
    multicast: true,
    isOnLink: () => false,
  };
  let mdns: MdnsInterface | undefined;
  const failed = new Promise<void>((changed) => {
    mdns = new MdnsInterface(gone, 4, () => machine, 120, {
      heard: () => undefined,
      gone: () => undefined,
      changed,
      isPairedAt: () => false,
    });
  });
  await failed;
  expect(mdns?.error).toMatchObject({ syscall: "addMembership" });
  expect(mdns?.heardItself).toBe(false);
  // An error of multicast-dns after a failure would be thrown now.
  await new Promise((resolve) => setImmediate(resolve));
  await mdns?.close(true);
});
