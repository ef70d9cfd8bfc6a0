import { describe, expect, test } from "vitest";
import { isExempt, proxySettings } from "../../../../main/network/reachability/proxies.js";

test("proxy variables are found in either spelling, without passwords", () => {
  expect(
    proxySettings({
      HTTPS_PROXY: "http://me:secret@proxy:3128",
      grpc_proxy: "http://other:1",
      http_proxy: "",
      no_proxy: "localhost, .lan",
      NO_GRPC_PROXY: "10.0.0.0/8",
      PATH: "/usr/bin",
    }),
  ).toEqual({
    variables: { HTTPS_PROXY: "http://…@proxy:3128", grpc_proxy: "http://other:1" },
    noProxy: ["localhost", ".lan", "10.0.0.0/8"],
  });
});

describe("a host is exempt", () => {
  test.each([
    ["gpu-pc", "gpu-pc", true],
    ["gpu-pc.lan", ".lan", true],
    ["gpu-pc.lan", "*.lan", true],
    ["gpu-pc.wlan", "lan", false],
    ["192.168.1.20", "192.168.0.0/16", true],
    ["192.169.1.20", "192.168.0.0/16", false],
    ["200.1.2.3", "200.1.2.0/24", true],
    ["gpu-pc", "192.168.0.0/16", false],
    ["anything", "*", true],
    ["anything", "0.0.0.0/99", false],
  ])("%s by %s: %s", (host, entry, exempt) => {
    expect(isExempt(host, [entry])).toBe(exempt);
  });
});
