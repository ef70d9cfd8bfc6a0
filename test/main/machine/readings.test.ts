import { describe, expect, test } from "vitest";
import { isInnerInterface, reachableAddresses } from "../../../main/machine/addresses.js";
import { gpuReader, parseGpus } from "../../../main/machine/gpus.js";
import {
  availableBytes,
  metricsBetween,
  parseNetDev,
  parseProcStat,
  readMachine,
  trafficOf,
} from "../../../main/machine/metrics.js";
import { nameOfSwVers, osName, prettyName } from "../../../main/machine/os-name.js";
import type { AdaptersAnswer } from "../../../worker-runtime/engines/portable/gpu/adapter.js";

function at(address: string, internal = false) {
  const family = address.includes(":") ? ("IPv6" as const) : ("IPv4" as const);
  const rest = { address, internal, netmask: "", mac: "", cidr: null };
  return family === "IPv6" ? { ...rest, family, scopeid: 0 } : { ...rest, family };
}

describe("addresses", () => {
  test("the local network's come first, those that mean nothing elsewhere not at all", () => {
    const addresses = reachableAddresses({
      lo: [at("127.0.0.1", true), at("::1", true)],
      docker0: [at("172.17.0.1")],
      "br-5f1d": [at("172.18.0.1")],
      tailscale0: [at("100.64.0.7"), at("fd7a::7")],
      eth0: [at("fe80::1"), at("2001:db8::20"), at("192.168.1.20")],
      wlan0: [at("169.254.3.4")],
      enp3s0: [at("203.0.113.9")],
    });
    expect(addresses).toEqual([
      "192.168.1.20",
      "203.0.113.9",
      "2001:db8::20",
      "169.254.3.4",
      "100.64.0.7",
      "fd7a::7",
    ]);
  });

  test("inside a container its link is all there is", () => {
    expect(reachableAddresses({ veth0: [at("10.0.0.2")] })).toEqual(["10.0.0.2"]);
    expect(isInnerInterface("veth12ab")).toBe(true);
    expect(isInnerInterface("eth0")).toBe(false);
  });
});

describe("GPUs", () => {
  const devices = `0, GPU-aaa, 143771, 512, 3, NVIDIA H200
1, GPU-bbb, 15360, [N/A], [Not Supported], NVIDIA T4, rev. B
`;
  const processes = "GPU-aaa, 4242, 498, /usr/bin/python3 a,b\nGPU-aaa, 77, [N/A], node\n";

  test("devices with their processes", () => {
    const MEBIBYTE = 2 ** 20;
    expect(parseGpus(devices, processes)).toEqual([
      {
        index: 0,
        name: "NVIDIA H200",
        memoryBytes: 143_771 * MEBIBYTE,
        usedBytes: 512 * MEBIBYTE,
        busyPercent: 3,
        processes: [
          { pid: 4242, name: "/usr/bin/python3 a,b", memoryBytes: 498 * MEBIBYTE },
          { pid: 77, name: "node", memoryBytes: 0 },
        ],
      },
      { index: 1, name: "NVIDIA T4, rev. B", memoryBytes: 15_360 * MEBIBYTE, processes: [] },
    ]);
    expect(parseGpus("No devices were found\n", "")).toEqual([]);
  });

  test("a driver that does not tell of processes still has its devices", async () => {
    const { signal } = new AbortController();
    const gpus = await gpuReader(async ([question]) => {
      if (question?.startsWith("--query-gpu")) return devices;
      throw new Error("not supported");
    })(signal);
    expect(gpus.map(({ name }) => name)).toEqual(["NVIDIA H200", "NVIDIA T4, rev. B"]);
  });

  test("without NVIDIA's driver, the best GPU of another maker is there; a program on the processor is none", async () => {
    const { signal } = new AbortController();
    const found = (answer: AdaptersAnswer) =>
      gpuReader(
        async () => {
          throw new Error("ENOENT");
        },
        async () => answer,
        async ({ vendor }) => (vendor === 0x1002 ? { busyPercent: 7 } : {}),
      )(signal);
    const radeon = {
      name: "Radeon RX 7900",
      kind: "discrete",
      memoryBytes: 2e10,
      vendor: 0x1002,
      number: 1,
    } as const;
    const software = { ...radeon, name: "llvmpipe", kind: "software" } as const;
    expect(await found({ adapters: [radeon, { ...radeon, kind: "integrated" }, software] })).toEqual([
      { index: 0, name: "Radeon RX 7900", memoryBytes: 2e10, busyPercent: 7, processes: [] },
    ]);
    expect(await found({ adapters: [software] })).toEqual([]);
    expect(await found({ problem: "There is no Vulkan loader." })).toEqual([]);
  });

  test("adapters are listed once, and never in place of an NVIDIA driver that fails for a moment", async () => {
    const { signal } = new AbortController();
    const adapter = { name: "GPU", kind: "discrete", memoryBytes: 2e10, vendor: 0x1002, number: 0 } as const;
    let listed = 0;
    const adapters = async (): Promise<AdaptersAnswer> => {
      listed++;
      return { adapters: [adapter] };
    };
    let hasDriver = false;
    const ask = async () => {
      if (!hasDriver) throw new Error("ENOENT");
      return "0, GPU-1, 1000, 1, 1, NVIDIA T4";
    };
    const other = gpuReader(ask, adapters);
    expect(await other(signal)).toEqual(await other(signal));
    expect(listed).toBe(1);
    hasDriver = true;
    const nvidia = gpuReader(ask, adapters);
    expect(await nvidia(signal)).toHaveLength(1);
    hasDriver = false;
    expect(await nvidia(signal)).toEqual([]);
    expect(listed).toBe(1);
  });
});

describe("load", () => {
  test("shares and rates between two readings", () => {
    const before = {
      at: 1000,
      busyMillis: 100,
      totalMillis: 1000,
      memoryUsedBytes: 1,
      network: { received: 10, sent: 5 },
    };
    const after = {
      at: 3000,
      busyMillis: 350,
      totalMillis: 2000,
      memoryUsedBytes: 7,
      network: { received: 2010, sent: 0 },
    };
    expect(metricsBetween(before, after)).toEqual({
      at: 3000,
      cpuPercent: 25,
      memoryUsedBytes: 7,
      receivedBytesPerSecond: 1000,
      // The interface began anew.
      sentBytesPerSecond: 0,
    });
  });

  test("the time of all cores together", () => {
    const stat = "cpu  100 20 30 800 50 1 2 3 7 0\ncpu0 1 1 1 1\nintr 5\n";
    expect(parseProcStat(stat)).toEqual({ busyMillis: 1560, totalMillis: 10_060 });
    expect(parseProcStat("")).toBeUndefined();
  });

  test("what passes a container's link is not counted twice", () => {
    const netDev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 1000 1 0 0 0 0 0 0 1000 1 0 0 0 0 0 0
  eth0: 500 1 0 0 0 0 0 0 70 1 0 0 0 0 0 0
veth12:  300 1 0 0 0 0 0 0 30 1 0 0 0 0 0 0
`;
    expect(parseNetDev(netDev)).toEqual({ received: 500, sent: 70 });
    expect(parseNetDev("veth0: 300 1 0 0 0 0 0 0 30 1 0 0 0 0 0 0")).toEqual({ received: 300, sent: 30 });
  });

  test("on Windows only network cards count, unless there is none", () => {
    const other = { isLoopback: false, isHardware: false };
    const loopback = { ...other, name: "Loopback", isLoopback: true, received: 1000, sent: 1000 };
    const ethernet = { ...other, name: "Ethernet", isHardware: true, received: 500, sent: 70 };
    const tunnel = { ...other, name: "Tunnel", received: 300, sent: 30 };
    expect(trafficOf([loopback, ethernet, tunnel])).toEqual({ received: 500, sent: 70 });
    expect(trafficOf([loopback, tunnel])).toEqual({ received: 300, sent: 30 });
  });

  test("memory that the system would give back counts as free", () => {
    expect(availableBytes("MemTotal:  16 kB\nMemFree: 1 kB\nMemAvailable:   12 kB\n")).toBe(12 * 1024);
    expect(availableBytes("MemFree: 1 kB\n")).toBeUndefined();
  });

  test("this machine can be read", async () => {
    const reading = await readMachine(5);
    expect(reading.at).toBe(5);
    expect(reading.totalMillis).toBeGreaterThan(0);
    expect(reading.memoryUsedBytes).toBeGreaterThan(2 ** 20);
  });
});

test("names of systems", async () => {
  expect(prettyName('NAME="Debian"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')).toBe(
    "Debian GNU/Linux 12 (bookworm)",
  );
  expect(prettyName("PRETTY_NAME='My \\$ystem'\n")).toBe("My $ystem");
  expect(prettyName("NAME=x\n")).toBeUndefined();
  expect(nameOfSwVers("ProductName:\t\tmacOS\nProductVersion:\t\t15.1\nBuildVersion: 24B83\n")).toBe(
    "macOS 15.1",
  );
  expect(await osName()).not.toBe("");
});
