import { describe, expect, it } from "vitest";
import { KernelListService } from "../../../../main/runs/ops/kernel-list-service.js";

const kernel = { op: "Neg", deviceType: "CPU", types: { T: ["float32"] } };

describe("the list of the portable engine's kernels", () => {
  it("is asked for once", async () => {
    let asked = 0;
    const list = new KernelListService({
      version: "1.2.3",
      ask: async () => {
        asked++;
        return [kernel];
      },
    });
    const [first, second] = await Promise.all([list.list(), list.list()]);
    expect(first).toEqual({ version: "1.2.3", kernels: [kernel] });
    expect(second).toEqual(first);
    expect(asked).toBe(1);
  });

  it("is tried again after it could not be had, and not waited for once the application ends", async () => {
    let fail = true;
    let signalled: AbortSignal | undefined;
    const list = new KernelListService({
      version: "1.2.3",
      ask: async (signal) => {
        signalled = signal;
        if (fail) throw new Error("no");
        return [];
      },
    });
    await expect(list.list()).rejects.toThrow("no");
    fail = false;
    expect((await list.list()).kernels).toEqual([]);
    list.dispose();
    expect(signalled?.aborted).toBe(true);
  });
});
