import { describe, expect, test } from "vitest";
import {
  canonicalAddress,
  canonicalHost,
  isLinkLocalIpv6,
  isLoopback,
} from "../../../worker-runtime/cluster/host.js";

describe("a host as it is dialled", () => {
  test.each([
    ["127.0.0.1", "127.0.0.1"],
    ["127.0.0.1.", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["0x7f000001", "127.0.0.1"],
    ["0X7F.1", "127.0.0.1"],
    ["0177.0.0.01", "127.0.0.1"],
    ["0", "0.0.0.0"],
    ["::ffff:127.0.0.1", "127.0.0.1"],
    ["::ffff:7f00:1", "127.0.0.1"],
    ["0:0:0:0:0:FFFF:7F00:0001", "127.0.0.1"],
    ["::127.0.0.1", "127.0.0.1"],
    ["::ffff:0:127.0.0.1", "127.0.0.1"],
    ["64:ff9b::7f00:1", "127.0.0.1"],
    ["64:ff9b:1::7f00:1", "127.0.0.1"],
    ["0:0::1", "::1"],
    ["::", "::"],
    ["FE80:0::1", "fe80::1"],
    ["GPU-PC.Local.", "gpu-pc.local"],
    ["localhost.", "localhost"],
    ["1.2.3.4.5", "1.2.3.4.5"],
    ["256.1.1.1", "256.1.1.1"],
    ["10.0.0.7x", "10.0.0.7x"],
    ["a%31", "a"],
  ])("%s is %s", (text, host) => {
    expect(canonicalHost(text).host).toBe(host);
  });

  test("the interface of a link-local address is kept beside it", () => {
    expect(canonicalHost("fe80::1%br-lan.5")).toEqual({ host: "fe80::1", zone: "br-lan.5" });
    expect(canonicalHost("::1%lo")).toEqual({ host: "::1", zone: "lo" });
  });
});

describe("an address that a rule can name", () => {
  test.each([
    ["192.168.1.7", "192.168.1.7"],
    ["::FFFF:c0a8:107", "192.168.1.7"],
    ["fe80::1%eth0", "fe80::1"],
    ["64:ff9b::c0a8:107", "64:ff9b::c0a8:107"],
    ["::7f00:1", "::7f00:1"],
  ])("%s is %s", (text, address) => {
    expect(canonicalAddress(text)).toBe(address);
  });

  test.each([
    "22",
    "0x7f.1",
    "192.168.1",
    "192.168.1.256",
    "192.168.01.1",
    "host",
    "",
    "fe80::1%e;rm",
    ":::",
    "1.2.3.4.",
    "[::1]",
  ])("%s is none", (text) => {
    expect(canonicalAddress(text)).toBeUndefined();
  });
});

test.each([
  "localhost",
  "LOCALHOST.",
  "app.localhost",
  "localhost.localdomain",
  "ip6-localhost",
  "127.8.9.1",
  "0x7f.1",
  "::1",
  "::1%lo",
  "::ffff:7f00:1",
  "64:ff9b::127.0.0.1",
  "0.0.0.0",
  "0",
  "::",
])("%s is the machine that dials it", (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(["localhost.example.org", "128.0.0.1", "::2", "::ffff:10.0.0.1", "127.0.0.1.example.org"])(
  "%s is not",
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);

test.each([
  ["fe80::1%eth0", true],
  ["FEBF::1", true],
  ["fec0::1", false],
  ["169.254.1.1", false],
])("%s is link-local: %s", (host, linkLocal) => {
  expect(isLinkLocalIpv6(host)).toBe(linkLocal);
});
