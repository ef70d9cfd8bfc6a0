/** The list of machines that were heard of: what it takes, what it drops, and how much it keeps. */
import { describe, expect, it } from "vitest";
import type { Heard } from "../../../../main/peers/discovery/records.js";
import { type Origin, Sightings } from "../../../../main/peers/discovery/sightings.js";

const deviceId = "a2".repeat(26);

function heard(more: Partial<Heard> = {}): Heard {
  return { deviceId, name: "gpu-pc", port: 2220, version: "1", addresses: [], lifetime: 120, ...more };
}

function from(source: string, network = "eth0"): Origin {
  const isOnLink = (address: string) => /^(192\.168\.1\.|fe80|fd00)/.test(address);
  return { network, scope: network, source, isOnLink };
}

describe("sightings", () => {
  it("collect the addresses of all networks, the likeliest first, link-local ones with their scope", () => {
    const sightings = new Sightings();
    const addresses = ["192.168.1.5", "fe80::5", "fd00::5", "8.8.8.8", "127.0.0.1"];
    expect(sightings.hear(heard({ addresses }), from("fe80::5"), 0)).toBe(true);
    expect(sightings.hear(heard({ addresses }), from("192.168.1.5"), 0)).toBe(false);
    expect(sightings.hear(heard(), from("192.168.1.7", "wlan0"), 0)).toBe(true);
    expect(sightings.list()).toHaveLength(1);
    expect(sightings.list()[0]?.addresses).toEqual(["192.168.1.5", "192.168.1.7", "fd00::5", "fe80::5%eth0"]);
    expect(sightings.forgetNetwork("eth0")).toBe(true);
    expect(sightings.list()[0]?.addresses).toEqual(["192.168.1.7"]);
  });

  it("end with their time, a goodbye or their last network", () => {
    const sightings = new Sightings();
    sightings.hear(heard({ lifetime: 10 }), from("192.168.1.5"), 0);
    expect(sightings.expire(9_999)).toBe(false);
    sightings.hear(heard({ lifetime: 10 }), from("192.168.1.5"), 5_000);
    expect(sightings.expire(10_000)).toBe(false);
    sightings.extend(40_000);
    expect(sightings.expire(39_999)).toBe(false);
    expect(sightings.expire(40_000)).toBe(true);
    expect(sightings.list()).toEqual([]);

    sightings.hear(heard(), from("192.168.1.5"), 0);
    expect(sightings.forget(deviceId, "wlan0")).toBe(false);
    expect(sightings.forget(deviceId, "eth0")).toBe(true);
    expect(sightings.list()).toEqual([]);
  });

  it("change with the name, and not with the time", () => {
    const sightings = new Sightings();
    sightings.hear(heard(), from("192.168.1.5"), 0);
    expect(sightings.hear(heard(), from("192.168.1.5"), 1)).toBe(false);
    expect(sightings.hear(heard({ name: "other" }), from("192.168.1.5"), 2)).toBe(true);
    expect(sightings.list()[0]?.name).toBe("other");
  });

  it("are bounded, in total and for one sender, but for paired machines", () => {
    const paired = "z7".repeat(26);
    const sightings = new Sightings((id) => id === paired);
    const digits = "abcdefghijklmnopqrstuvwxyz234567";
    let made = 0;
    const invented = () => {
      made += 1;
      const word = [made >> 10, made >> 5, made].map((part) => digits[part & 31]).join("");
      return heard({ deviceId: word.padEnd(52, "z") });
    };
    for (let count = 0; count < 100; count += 1) sightings.hear(invented(), from("192.168.1.66"), 0);
    expect(sightings.list()).toHaveLength(16);
    for (let count = 0; count < 4000; count += 1)
      sightings.hear(invented(), from(`192.168.1.${count % 250}`), 0);
    expect(sightings.list()).toHaveLength(2048);
    expect(sightings.hear(heard({ deviceId: paired }), from("192.168.1.66"), 0)).toBe(true);
    expect(sightings.get(paired)?.addresses).toEqual(["192.168.1.66"]);
    // Whoever goes makes room, also at his address.
    expect(sightings.expire(120_000)).toBe(true);
    expect(sightings.hear(invented(), from("192.168.1.66"), 120_000)).toBe(true);
    expect(sightings.list()).toHaveLength(1);
  });
});
