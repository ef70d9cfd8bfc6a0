import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LinuxGpuUsage, parseIoreg } from "../../../main/machine/gpu-usage.js";
import { usageOfCounters, WindowsGpuUsage } from "../../../main/machine/windows-gpu-usage.js";

const AMD = 0x1002;
const INTEL = 0x8086;
const SECOND = 1e9;

describe("the load of GPUs on Linux", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), "tensordeck-gpu-usage-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function write(file: string, content: string): void {
    const target = path.join(root, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content);
  }

  function card(number: number, files: Readonly<Record<string, string>>): void {
    for (const [name, content] of Object.entries(files)) {
      write(`sys/class/drm/card${number}/device/${name}`, `${content}\n`);
    }
  }

  /** A process with one descriptor of a GPU, which is shown twice, as after dup. */
  function client(pid: number, fdinfo: string): void {
    for (const descriptor of ["7", "9"]) {
      write(`proc/${pid}/fdinfo/${descriptor}`, fdinfo);
      mkdirSync(path.join(root, `proc/${pid}/fd`), { recursive: true });
      const link = path.join(root, `proc/${pid}/fd/${descriptor}`);
      rmSync(link, { force: true });
      symlinkSync("/dev/dri/renderD128", link);
    }
  }

  test("amdgpu reports it for the device, with its memory", async () => {
    card(0, { vendor: "0x8086" });
    card(1, { vendor: "0x1002", gpu_busy_percent: "37", mem_info_vram_used: "2147483648" });
    write("sys/class/drm/card1-DP-1/status", "connected\n");
    expect(await new LinuxGpuUsage(root).read(AMD)).toEqual({ busyPercent: 37, usedBytes: 2 ** 31 });
  });

  test("of i915 it is what all clients have used since the last reading, of the busiest engine", async () => {
    card(0, { vendor: "0x8086" });
    let nanos = 0;
    const usage = new LinuxGpuUsage(root, () => nanos);
    const i915 = (id: number, render: number, copy: number) =>
      `pos:\t0\nflags:\t02100002\ndrm-driver:\ti915\ndrm-client-id:\t${id}\ndrm-pdev:\t0000:00:02.0\n` +
      `drm-engine-render:\t${render} ns\ndrm-engine-copy:\t${copy} ns\ndrm-engine-capacity-video:\t2\n`;
    client(100, i915(1, 0.5 * SECOND, 0));
    client(200, i915(2, 0, 0));
    expect(await usage.read(INTEL)).toEqual({});
    nanos = 2 * SECOND;
    client(100, i915(1, 1 * SECOND, 0.1 * SECOND));
    client(200, i915(2, 0.3 * SECOND, 0));
    expect(await usage.read(INTEL)).toEqual({ busyPercent: 40 });
    nanos = 3 * SECOND;
    expect(await usage.read(INTEL)).toEqual({ busyPercent: 0 });
  });

  test("xe counts cycles, of the engine's own clock", async () => {
    card(0, { vendor: "0x8086" });
    let nanos = 0;
    const usage = new LinuxGpuUsage(root, () => nanos);
    const xe = (busy: number, total: number) =>
      `drm-driver:\txe\ndrm-client-id:\t11\ndrm-pdev:\t0000:03:00.0\ndrm-cycles-rcs:\t${busy}\n` +
      `drm-total-cycles-rcs:\t${total}\ndrm-cycles-bcs:\t0\ndrm-total-cycles-bcs:\t${total}\n`;
    client(100, xe(1000, 50_000));
    await usage.read(INTEL);
    nanos = SECOND;
    client(100, xe(6000, 60_000));
    expect(await usage.read(INTEL)).toEqual({ busyPercent: 50 });
  });

  test("a card of another maker, or none, reports nothing", async () => {
    expect(await new LinuxGpuUsage(root).read(AMD)).toEqual({});
    card(0, { vendor: "0x10de" });
    expect(await new LinuxGpuUsage(root).read(AMD)).toEqual({});
  });
});

describe("on Windows", () => {
  const engine = (pid: number, luid: string, rest: string) => `pid_${pid}_luid_${luid}_phys_0_eng_${rest}`;
  const [one, other] = ["0x00000000_0x0000C5A9", "0x00000000_0x0000D000"];
  const engines = [
    { instance: engine(1234, one, "0_engtype_3D"), value: 12.4 },
    { instance: engine(4242, one, "0_engtype_3D"), value: 30 },
    { instance: engine(4242, one, "5_engtype_Compute"), value: 1 },
    { instance: engine(4, one, "1_engtype_VideoDecode"), value: 40 },
    { instance: engine(4, other, "0_engtype_3D"), value: 250 },
  ];
  const memory = (value: number) => [
    { instance: `luid_${other}_phys_0`, value: 1 },
    { instance: `luid_${one.toLowerCase()}_phys_0`, value },
  ];

  test("a GPU is as busy as its busiest engine, of all processes", () => {
    expect(usageOfCounters(engines, memory(100), memory(7), { luid: one, kind: "discrete" })).toEqual({
      busyPercent: 42,
      usedBytes: 100,
    });
    expect(usageOfCounters(engines, memory(100), memory(7), { luid: one, kind: "integrated" })).toEqual({
      busyPercent: 42,
      usedBytes: 107,
    });
    expect(usageOfCounters(engines, memory(100), [], { kind: "discrete" })).toEqual({ busyPercent: 100 });
    expect(usageOfCounters([], [], [], { luid: one, kind: "discrete" })).toEqual({});
  });

  test("the counters are opened once, and not asked again where there are none", async () => {
    let opened = 0;
    const answering = new WindowsGpuUsage(() => {
      opened++;
      return { read: async () => [engines, [], []] };
    });
    for (const _ of [1, 2]) {
      expect(await answering.read({ luid: other, kind: "discrete" })).toEqual({ busyPercent: 100 });
    }
    expect(opened).toBe(1);
    const refusing = new WindowsGpuUsage(() => {
      opened++;
      throw new Error("koffi has no binary here");
    });
    for (const _ of [1, 2]) expect(await refusing.read({ kind: "discrete" })).toEqual({});
    expect(opened).toBe(2);
  });
});

test("on a Mac it is in the accelerator's statistics", () => {
  const text = `+-o AGXAcceleratorG13X  <class AGXAcceleratorG13X, id 0x10000048a, registered, matched, active, busy 0 (0 ms), retain 98>
    {
      "IOClass" = "AGXAcceleratorG13X"
      "PerformanceStatistics" = {"In use system memory (driver)"=0,"Alloc system memory"=2413150208,"Tiler Utilization %"=11,"recoveryCount"=0,"lastRecoveryTime"=0,"Renderer Utilization %"=10,"TiledSceneBytes"=65536,"Device Utilization %"=13,"SplitSceneCount"=0,"In use system memory"=628768768}
      "gpu-core-count" = 16
    }
`;
  expect(parseIoreg(text)).toEqual({ busyPercent: 13, usedBytes: 628_768_768 });
  expect(parseIoreg("")).toEqual({});
});
