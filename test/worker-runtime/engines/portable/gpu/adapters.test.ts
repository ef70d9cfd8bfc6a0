import { describe, expect, test } from "vitest";
import {
  type Adapter,
  byPreference,
  isUsedUnasked,
} from "../../../../../worker-runtime/engines/portable/gpu/adapter.js";
import { chooseGpus, providerOf } from "../../../../../worker-runtime/engines/portable/gpu/choose-gpus.js";
import {
  hasGpuProvider,
  listAdapters,
} from "../../../../../worker-runtime/engines/portable/gpu/list-adapters.js";
import { parseMetalReport } from "../../../../../worker-runtime/engines/portable/gpu/metal-adapters.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { peerMissing, vulkanEnvironment } from "../../../../support/peers.js";

function adapter(name: string, kind: Adapter["kind"], vendor = 0x8086, number = 0): Adapter {
  return { name, kind, memoryBytes: 2 ** 30, vendor, number };
}

test("the adapter that WebGPU takes comes first", () => {
  const all = [adapter("llvmpipe", "software"), adapter("UHD", "integrated"), adapter("Arc", "discrete")];
  expect(byPreference(all).map(({ name }) => name)).toEqual(["Arc", "UHD", "llvmpipe"]);
});

test("a program that computes on the processor is used only when asked for", () => {
  expect(isUsedUnasked(adapter("Arc", "discrete"), {})).toBe(true);
  expect(isUsedUnasked(adapter("llvmpipe", "software"), {})).toBe(false);
  expect(isUsedUnasked(adapter("llvmpipe", "software"), { TENSORDECK_SOFTWARE_GPU: "1" })).toBe(true);
});

describe("the provider of an adapter", () => {
  const machine = [
    adapter("Arc", "discrete", 0x8086, 2),
    adapter("RTX 4090", "discrete", 0x10de, 0),
    adapter("T4", "discrete", 0x10de, 1),
  ];

  test("is WebGPU for the best one, DirectML for others, CUDA where its libraries are", () => {
    const windows = ["cpu", "webgpu", "dml"];
    expect(providerOf(0, machine, windows)).toEqual({ name: "webgpu" });
    expect(providerOf(1, machine, windows)).toEqual({ name: "dml", deviceId: 0 });
    expect(providerOf(0, machine, ["cpu", "dml"])).toEqual({ name: "dml", deviceId: 2 });
    expect(providerOf(2, machine, ["cpu", "webgpu", "cuda"])).toEqual({ name: "cuda", deviceId: 1 });
  });

  test("is missing for what WebGPU cannot be told to take", () => {
    expect(providerOf(1, machine, ["cpu", "webgpu"])).toBeUndefined();
  });
});

test("there are GPU providers where ONNX Runtime's package has them", () => {
  expect(hasGpuProvider("linux", "x64")).toBe(true);
  expect(hasGpuProvider("linux", "arm64")).toBe(false);
  expect(hasGpuProvider("win32", "arm64")).toBe(true);
  expect(hasGpuProvider("darwin", "arm64")).toBe(true);
  expect(hasGpuProvider("darwin", "x64")).toBe(false);
});

test("a Mac's GPU has its name and a share of the memory", () => {
  // As `system_profiler SPDisplaysDataType -json` prints it, shortened.
  const report = JSON.stringify({
    SPDisplaysDataType: [
      {
        _name: "Apple M2",
        spdisplays_mtlgpufamilysupport: "spdisplays_metal3",
        sppci_bus: "spdisplays_builtin",
        sppci_cores: "10",
        sppci_device_type: "spdisplays_gpu",
        sppci_model: "Apple M2",
      },
    ],
  });
  expect(parseMetalReport(report, 24 * 2 ** 30)).toEqual([
    { name: "Apple M2", kind: "integrated", memoryBytes: 16 * 2 ** 30, vendor: 0, number: 0 },
  ]);
});

test("no GPU, and none for a parameter server, means no search", async () => {
  const log = () => undefined;
  expect(await chooseGpus({ choice: "none", jobName: "worker", log })).toEqual([]);
  expect(await chooseGpus({ choice: "auto", jobName: "ps", log })).toEqual([]);
  await expect(chooseGpus({ choice: "GPU-5f", jobName: "worker", log })).rejects.toMatchObject({
    code: StatusCode.INVALID_ARGUMENT,
  });
});

describe.skipIf(peerMissing("vulkan"))("on a software Vulkan", () => {
  test("its adapter is found, with a name and memory", async () => {
    const found = await listAdapters(undefined, { ...process.env, ...vulkanEnvironment() });
    expect(found).toEqual({
      adapters: [
        {
          name: expect.stringContaining("SwiftShader"),
          kind: "software",
          memoryBytes: expect.any(Number),
          vendor: expect.any(Number),
          number: 0,
        },
      ],
    });
    const [{ memoryBytes } = { memoryBytes: 0 }] = "adapters" in found ? found.adapters : [];
    expect(memoryBytes).toBeGreaterThan(2 ** 28);
  });

  test("a driver that cannot be loaded is a problem in words", async () => {
    const env = {
      ...process.env,
      ...vulkanEnvironment(),
      VK_ICD_FILENAMES: "/none.json",
      VK_DRIVER_FILES: "/none.json",
    };
    expect(await listAdapters(undefined, env)).toEqual({
      problem: expect.stringContaining("vkCreateInstance"),
    });
  });
});
