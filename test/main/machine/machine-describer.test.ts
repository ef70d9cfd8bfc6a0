import { hostname } from "node:os";
import { afterEach, expect, test } from "vitest";
import type { MachineSample } from "../../../main/api/samples.js";
import type { GpuReading } from "../../../main/machine/gpus.js";
import { MachineDescriber } from "../../../main/machine/machine-describer.js";
import { until } from "../support/until.js";

let describer: MachineDescriber | undefined;

afterEach(() => describer?.dispose());

interface Settings {
  name: string;
  port: number | undefined;
  gpus: GpuReading[];
  gpuReadings: number;
}

function make(settings: Settings): MachineDescriber {
  describer = new MachineDescriber({
    name: () => settings.name,
    agentPort: () => settings.port,
    engines: () => [{ engine: "tensorflow", version: "2.21.0", gpu: true }],
    taskOfPid: (pid) => (pid === 42 ? "t1" : undefined),
    listGpus: async () => {
      settings.gpuReadings++;
      return settings.gpus;
    },
  });
  return describer;
}

test("what it is, and that it changed", async () => {
  const gpu: GpuReading = {
    index: 0,
    name: "NVIDIA T4",
    memoryBytes: 1,
    processes: [
      { pid: 42, name: "node", memoryBytes: 1 },
      { pid: 43, name: "python", memoryBytes: 2 },
    ],
  };
  const settings: Settings = { name: "", port: undefined, gpus: [gpu], gpuReadings: 0 };
  const machine = make(settings);
  let changes = 0;
  machine.onChange(() => changes++);
  await machine.start();
  expect(changes).toBe(1);
  const description = machine.description();
  expect(description).toMatchObject({ name: hostname(), platform: process.platform, arch: process.arch });
  expect(description.osName).not.toBe("");
  expect(description.agentPort).toBeUndefined();
  // How much of it is used is measured, and no part of what the machine is.
  expect(description.gpus).toEqual([{ index: 0, name: "NVIDIA T4", memoryBytes: 1 }]);
  const samples: MachineSample[] = [];
  const stop = machine.onSample((sample) => samples.push(sample));
  await until("a sample", () => samples.length > 0);
  stop();
  expect(samples[0]?.gpus[0]?.processes.map(({ taskId }) => taskId)).toEqual(["t1", undefined]);

  machine.tellChanges();
  expect(changes).toBe(1);
  settings.name = "gpu-pc";
  settings.port = 2220;
  machine.tellChanges();
  expect(changes).toBe(2);
  expect(machine.description()).toMatchObject({ name: "gpu-pc", agentPort: 2220 });
});

test("it samples while there are listeners, and not otherwise", async () => {
  const settings: Settings = { name: "pi", port: 2220, gpus: [], gpuReadings: 0 };
  const machine = make(settings);
  await machine.start();
  const samples: MachineSample[] = [];
  const stop = machine.onSample((sample) => samples.push(sample));
  await until("two samples", () => samples.length >= 2);
  stop();
  const [first, second] = samples;
  if (!first || !second) throw new Error("no samples");
  expect(second.at - first.at).toBeGreaterThan(500);
  for (const { cpuPercent, memoryUsedBytes } of samples) {
    expect(cpuPercent).toBeGreaterThanOrEqual(0);
    expect(cpuPercent).toBeLessThanOrEqual(100);
    expect(memoryUsedBytes).toBeGreaterThan(0);
  }
  // Nothing is asked of nvidia-smi where it found nothing.
  expect(settings.gpuReadings).toBe(1);
});
