import { describe, expect, it } from "vitest";
import { MetricsSampler } from "../../../main/tasks/metrics-sampler.js";
import { parseLinuxUsage, parsePsUsage } from "../../../main/tasks/process-usage.js";
import { usageReader } from "../../../main/tasks/usage-reader.js";
import { windowsUsageReader } from "../../../main/tasks/windows-usage.js";

describe("what a process uses", () => {
  it("is read from /proc, whatever the program is called", () => {
    const stat = `42 (node (a) b) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 11 0 5000 1000 2000`;
    expect(parseLinuxUsage(stat, "Name:\tnode\nVmRSS:\t  2048 kB\n")).toEqual({
      cpuMillis: 3000,
      memoryBytes: 2048 * 1024,
    });
    // A process that has ended and was not yet waited for has no memory.
    expect(parseLinuxUsage(stat, "Name:\tnode\n")).toBeUndefined();
  });

  it("is read from ps, with days and with fractions of seconds", () => {
    const output = "  10  2048 0:01.50\n 11 1024 01:02:03\n  12  1 2-00:00:01\nnonsense\n";
    expect([...parsePsUsage(output)]).toEqual([
      [10, { cpuMillis: 1500, memoryBytes: 2048 * 1024 }],
      [11, { cpuMillis: 3_723_000, memoryBytes: 1024 * 1024 }],
      [12, { cpuMillis: 172_801_000, memoryBytes: 1024 }],
    ]);
  });

  it("is on Windows that of a process and of all that it started, but not of an older one's number", async () => {
    const processes = [
      { pid: 10, parent: 1, created: 100n, cpuMillis: 1, memoryBytes: 10 },
      { pid: 11, parent: 10, created: 110n, cpuMillis: 2, memoryBytes: 20 },
      { pid: 12, parent: 11, created: 120n, cpuMillis: 4, memoryBytes: 40 },
      // Its parent had the number before, and has ended.
      { pid: 13, parent: 10, created: 90n, cpuMillis: 8, memoryBytes: 80 },
      // A task that another task's process started is measured by itself.
      { pid: 14, parent: 10, created: 130n, cpuMillis: 16, memoryBytes: 160 },
    ];
    const read = windowsUsageReader({
      // One that has ended since, and the idle process, which is its own parent.
      list: () =>
        [...processes, { pid: 15, parent: 12 }, { pid: 0, parent: 0 }].map((process) => ({
          name: "x.exe",
          ...process,
        })),
      measure: (pid) => processes.find((process) => process.pid === pid),
    });
    expect([...(await read([10, 14, 99]))]).toEqual([
      [10, { cpuMillis: 7, memoryBytes: 70 }],
      [14, { cpuMillis: 16, memoryBytes: 160 }],
    ]);
  });

  it("is absent on Windows where its libraries do not answer", async () => {
    const refuse = () => {
      throw new Error("koffi has no binary here");
    };
    expect(await windowsUsageReader({ list: refuse, measure: refuse })([10])).toEqual(new Map());
  });

  it("is that of this process here", async () => {
    const usage = await usageReader()([process.pid, 2 ** 30]);
    expect([...usage.keys()]).toEqual([process.pid]);
    expect(usage.get(process.pid)?.memoryBytes).toBeGreaterThan(10 << 20);
  });

  it("gives the share of the processor between two readings", async () => {
    const readings = [1000, 2500];
    const samples: number[] = [];
    const sampler = new MetricsSampler(
      () => [7],
      (measured) => samples.push(measured.get(7)?.cpuPercent ?? -1),
      async () => new Map([[7, { cpuMillis: readings.shift() ?? 0, memoryBytes: 1 }]]),
    );
    await sampler.sample(10_000);
    await sampler.sample(11_000);
    expect(samples).toEqual([0, 150]);
  });
});
