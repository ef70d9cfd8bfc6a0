import { describe, expect, test } from "vitest";
import { pingCommand, readPing } from "../../../../main/network/reachability/layers/ping.js";

describe("ping", () => {
  test("is given the system's own arguments", () => {
    expect(pingCommand("192.168.1.20", "linux").args).toEqual(["-n", "-c", "1", "-W", "1", "192.168.1.20"]);
    expect(pingCommand("192.168.1.20", "darwin").args).toContain("1000");
    expect(pingCommand("fd00::1", "darwin").program).toBe("ping6");
    expect(pingCommand("192.168.1.20", "win32").args).toEqual(["-n", "1", "-w", "1000", "192.168.1.20"]);
  });

  test.each([
    ["Linux", "64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.613 ms", "ok", 0.613],
    ["Windows", "Reply from 192.168.1.20: bytes=32 time<1ms TTL=128", "ok", 1],
    ["German Windows", "Antwort von 192.168.1.20: Bytes=32 Zeit=3ms TTL=128", "ok", 3],
    ["an unreachable host", "Reply from 192.168.1.5: Destination host unreachable.", "failed", undefined],
    ["silence", "1 packets transmitted, 0 received, 100% packet loss, time 0ms", "failed", undefined],
  ])("is read from the words of %s", (_system, stdout, outcome, millis) => {
    const result = readPing(stdout, "", 1000);
    expect(result.outcome).toBe(outcome);
    if (millis !== undefined) expect(result.millis).toBe(millis);
  });

  test("is skipped where the account may not", () => {
    expect(readPing("", "ping: socktype: SOCK_RAW: Operation not permitted", 3).outcome).toBe("skipped");
  });
});
