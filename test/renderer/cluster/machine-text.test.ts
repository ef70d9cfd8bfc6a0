import { describe, expect, it } from "vitest";
import type { Gpu } from "../../../main/api/machines.js";
import type { GpuLoad } from "../../../main/api/samples.js";
import {
  fingerprintLines,
  gpuTexts,
  hardwareText,
  machineIcon,
  presenceText,
  spokenPresence,
} from "../../../renderer/cluster/machine-text.js";
import { machineOf } from "../support/cluster-states.js";

const gpu = (index: number, more: Partial<Gpu> = {}): Gpu => ({
  index,
  name: "NVIDIA GeForce RTX 4070",
  memoryBytes: 12e9,
  ...more,
});
const used = (index: number, usedBytes: number): GpuLoad => ({ index, usedBytes, processes: [] });

describe("what a machine has", () => {
  it("names its GPUs shortly, with the memory in use where that is known", () => {
    expect(gpuTexts([gpu(0)])).toEqual(["RTX 4070 12 GB"]);
    expect(gpuTexts([gpu(0)], [used(0, 3.1e9)])).toEqual(["RTX 4070 3.1/12 GB"]);
    expect(gpuTexts([gpu(0)], [used(0, 4e8)])).toEqual(["RTX 4070 400 MB/12 GB"]);
  });

  it("takes GPUs of one kind together", () => {
    const many = [gpu(0), gpu(1), gpu(2, { name: "NVIDIA A100" })];
    expect(gpuTexts(many, [used(0, 1e9), used(1, 2e9)])).toEqual(["2 × RTX 4070 3/24 GB", "A100 12 GB"]);
  });

  it("names the preferred engine", () => {
    expect(hardwareText(machineOf("a"))).toBe("8 cores · 16 GB · TensorFlow 2.21.0");
    const portable = { engine: "portable", version: "0.1.0", gpu: false } as const;
    expect(hardwareText(machineOf("a", { engines: [portable] }))).toBe("8 cores · 16 GB · portable engine");
    const withGpu = machineOf("a", {
      gpus: [gpu(0)],
      engines: [
        { engine: "tensorflow", version: "2.21.0", gpu: true },
        { engine: "portable", version: "0.1.0", gpu: false },
      ],
    });
    expect(hardwareText(withGpu)).toBe("RTX 4070 12 GB · TensorFlow 2.21.0 GPU");
    const alone = machineOf("a", { gpus: [gpu(0)], engines: [{ ...portable, gpu: true }] });
    expect(hardwareText(alone)).toBe("RTX 4070 12 GB · portable engine GPU");
  });

  it("claims nothing of a machine that was only discovered", () => {
    expect(hardwareText(machineOf("a", { kind: "discovered" }))).toBe("Discovered, not paired");
    expect(machineIcon(machineOf("a", { kind: "discovered" }))).toBe("unknown");
  });
});

describe("whether a machine is there", () => {
  const at = new Date();
  at.setHours(10, 42, 0, 0);

  it("says since when it is not", () => {
    const gone = machineOf("a", { kind: "paired", presence: "offline", lastSeenAt: at.getTime() });
    expect(presenceText(gone)).toBe("last seen 10:42");
    expect(spokenPresence(gone)).toBe("paired, offline, last seen 10:42");
    const never = machineOf("a", { kind: "paired", presence: "offline" });
    expect(presenceText(never)).toBe("offline");
    expect(spokenPresence(never)).toBe("paired, offline");
  });

  it("leaves it to the dot where it is", () => {
    expect(presenceText(machineOf("a"))).toBe("this machine");
    expect(presenceText(machineOf("a", { kind: "paired" }))).toBe("");
    expect(spokenPresence(machineOf("a", { kind: "paired" }))).toBe("paired, online");
  });
});

describe("fingerprintLines", () => {
  it("groups a device ID without losing a sign", () => {
    const id = "abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrst";
    const lines = fingerprintLines(id);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe("ABCD EFGH IJKL MNOP QRST UVWX YZ23");
    expect(lines.join("").replaceAll(" ", "").toLowerCase()).toBe(id);
  });
});
