import { describe, expect, it } from "vitest";
import { contains, isPrivate, networkOf, peerNetwork } from "../../../../main/network/firewall/addresses.js";
import { portChunks, portRanges, portsIn, portText } from "../../../../main/network/firewall/ports.js";
import { canonicalAddress } from "../../../../worker-runtime/cluster/host.js";
import fc from "../../../support/seeded-check.js";

describe("addresses", () => {
  it.each([
    ["192.168.1.31", "192.168.1.31"],
    ["::ffff:192.168.1.31", "192.168.1.31"],
    ["FE80:0:0:0:0:0:0:1%eth0", "fe80::1"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ])("%s is %s", (text, canonical) => {
    expect(canonicalAddress(text)).toBe(canonical);
  });

  it.each([
    "fe80::1%:",
    "",
    "gpu-pc",
    "1.2.3",
    "1.2.3.4/24",
    "01.2.3.4",
    "1.2.3.4 ",
    "::1::",
    "fe80::1%a;b",
    "[::1]",
    "0x7f.1",
  ])("'%s' is none", (text) => {
    expect(canonicalAddress(text)).toBeUndefined();
  });

  it.each(["0.0.0.0", "::", "224.0.0.251", "ff02::fb", "0.0.0.0/0", "any", "gpu-pc.local"])(
    "a rule cannot be for '%s' alone",
    (text) => {
      expect(() => peerNetwork(text)).toThrow("is not the address of a machine");
    },
  );

  it.each([
    ["192.168.1.31", 24, "192.168.1.0/24"],
    ["10.1.2.3", 13, "10.0.0.0/13"],
    ["fd77::1:2:3:4", 64, "fd77::/64"],
    ["fd77:1234:5678:9abc::1", 57, "fd77:1234:5678:9a80::/57"],
  ])("%s/%i lies in %s", (address, length, network) => {
    expect(networkOf(address, length)?.text).toBe(network);
    expect(contains(network, address)).toBe(true);
  });

  it("have no network of their own where they have no neighbours", () => {
    expect(networkOf("100.64.1.1", 32)).toBeUndefined();
    expect(networkOf("10.0.0.1", 0)).toBeUndefined();
    expect(networkOf("fd00::1", 128)).toBeUndefined();
  });

  it("lie in the network that is made of them, and keep to harmless characters", () => {
    const addressAndLength = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 31 })),
      fc.tuple(fc.ipV6(), fc.integer({ min: 1, max: 127 })),
    );
    fc.assert(
      fc.property(addressAndLength, ([address, length]) => {
        // A mapped address is the IPv4 address in it, whose networks are shorter.
        fc.pre(canonicalAddress(address)?.includes(":") === address.includes(":"));
        const network = networkOf(address, length);
        expect(network?.text).toMatch(/^[0-9a-f.:]+\/\d+$/);
        expect(contains(network?.text ?? "", address)).toBe(true);
      }),
    );
  });

  it("are private or not", () => {
    for (const address of ["10.0.0.1", "172.31.0.1", "192.168.0.1", "fd00::1", "fe80::1", "169.254.1.1"]) {
      expect(isPrivate(address)).toBe(true);
    }
    for (const address of ["8.8.8.8", "172.32.0.1", "2001:db8::1", "no address"]) {
      expect(isPrivate(address)).toBe(false);
    }
  });
});

describe("ports", () => {
  it("are joined to ranges and read back", () => {
    const ranges = portRanges([2225, 2220, 2222, 2223, 2224, 2222]);
    expect(portText(ranges)).toBe("2220, 2222–2225");
    expect(portsIn(portText(ranges))).toEqual([2220, 2222, 2223, 2224, 2225]);
  });

  it("survive the way through any text", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 65_535 }), { maxLength: 64 }), (ports) => {
        const ranges = portRanges(ports);
        expect(portsIn(portText(ranges, ",", ":"))).toEqual([...ports].sort((a, b) => a - b));
        const chunks = portChunks(ranges);
        expect(chunks.flat()).toEqual(ranges);
        for (const chunk of chunks) {
          const size = chunk.reduce((sum, { first, last }) => sum + (first === last ? 1 : 2), 0);
          expect(size).toBeLessThanOrEqual(15);
        }
      }),
    );
  });

  it.each([0, 65_536, 1.5, Number.NaN, -1])("%d is none", (port) => {
    expect(() => portRanges([port])).toThrow("is not a port");
  });
});
