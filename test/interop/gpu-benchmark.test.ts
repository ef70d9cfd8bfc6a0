/** The GPU benchmark's clusters, on a software Vulkan, and what its table says where there is nothing to measure. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { listAdapters } from "../../worker-runtime/engines/portable/gpu/list-adapters.js";
import { Session } from "../../worker-runtime/session/session.js";
import { gpuLack } from "../bench/gpu.js";
import { startMeasuredCluster } from "../bench/portable-clusters.js";
import { hasFailed, rowText, tableText } from "../bench/report.js";
import { peerMissing, vulkanEnvironment } from "../support/peers.js";

describe.skipIf(peerMissing("tensorflow", "vulkan"))("the GPU benchmark", () => {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-bench-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    { kind: "portable", types: ["CPU"] },
    { kind: "portable-gpu", types: ["CPU", "GPU"] },
  ] as const)("workers of $kind have $types and multiply", async ({ kind, types }) => {
    // With this variable a task that is not told otherwise uses the software adapter.
    const variables = { ...vulkanEnvironment(), TENSORDECK_SOFTWARE_GPU: "1" };
    const cluster = await startMeasuredCluster(kind, 1, folder, variables);
    const session = new Session(cluster.target);
    try {
      const devices = await session.listDevices();
      const ofWorker = devices.filter(({ name }) => name.includes("/job:worker/"));
      expect(ofWorker.map(({ deviceType }) => deviceType).sort()).toEqual(types);
      expect(devices.filter(({ name }) => name.includes("/job:ps/"))).toHaveLength(1);
      const times = await cluster.measure("mat_mul");
      expect(times.map((millis) => millis > 0)).toEqual([true, true, true]);
    } finally {
      await session.close();
      await cluster.stop();
    }
  });

  test("software is no GPU to be measured", async () => {
    expect(gpuLack(await listAdapters(undefined, vulkanEnvironment()))).toMatch(
      /^no GPU was found, only software: .*SwiftShader/,
    );
  });
});

test("a machine without a GPU has none to measure, which the table says and which is no failure", () => {
  expect(gpuLack({ problem: "There is no Vulkan loader." })).toBe(
    "no GPU was found: There is no Vulkan loader.",
  );
  const adapter = { name: "GPU A", kind: "integrated", memoryBytes: 1, vendor: 0, number: 0 } as const;
  expect(gpuLack({ adapters: [adapter] })).toBeUndefined();
  const lack = gpuLack({ adapters: [] });
  expect(lack).toBe("no GPU was found");
  const unmeasured = { what: "MLP", unit: "steps/s", ours: undefined, theirs: undefined };
  const row = { ...unmeasured, lack: lack ?? "" };
  expect([row, unmeasured].map(hasFailed)).toEqual([false, true]);
  expect(rowText(row)).toBe("MLP: no GPU was found");
  expect(tableText([row])).toMatch(/MLP +steps\/s .* no GPU was found\n$/);
});

test("what is wanted of ours alone has its unit and does not depend on theirs", () => {
  const target = { better: "lower", goal: 50, limit: 50, of: "ours" } as const;
  const row = { what: "GetStatus", unit: "ms", theirs: 7, target };
  expect(rowText({ ...row, ours: 12.4 })).toBe(
    "GetStatus: 12.4 ms, Python 7.00 ms, ratio 1.77 (goal <= 50.0 ms, limit <= 50.0 ms: goal)",
  );
  expect(rowText({ ...row, ours: 50.1 })).toMatch(/: missed\)$/);
  expect(rowText({ ...row, ours: undefined })).toMatch(/: failed\)$/);
});
