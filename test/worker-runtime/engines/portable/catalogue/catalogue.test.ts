import { describe, expect, it } from "vitest";
import { portableCatalogue } from "../../../../../worker-runtime/engines/portable/catalogue/ask-catalogue.js";
import { catalogueOf } from "../../../../../worker-runtime/engines/portable/catalogue/catalogue.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";

const kernel = (op: string, more: object = {}) =>
  ({ kind: "pure", op, types: {}, create: () => () => [], ...more }) as const;

describe("the catalogue of kernels", () => {
  it("has op, device type and dtypes of each, equal ones once", () => {
    const registry = new KernelRegistry().add(
      kernel("Neg", { types: { T: ["float32"] } }),
      kernel("Neg", { types: { T: ["float32"] }, priority: 1 }),
      kernel("Neg", { deviceType: "GPU", types: { T: ["float32"] } }),
      kernel("Abs"),
    );
    expect(catalogueOf(registry)).toEqual([
      { op: "Abs", deviceType: "CPU", types: {} },
      { op: "Neg", deviceType: "CPU", types: { T: ["float32"] } },
      { op: "Neg", deviceType: "GPU", types: { T: ["float32"] } },
    ]);
  });

  it("is had from a thread of its own, and has every op", async () => {
    const entries = await portableCatalogue(new AbortController().signal);
    const ops = new Set(entries.map(({ op }) => op));
    // The thread runs what was built last, the test what is there now.
    expect(ops.size).toBeGreaterThan(createKernelRegistry().ops().length / 2);
    expect(ops).toContain("MatMul");
  });

  it("is not waited for when nobody wants it any more", async () => {
    const aborted = AbortSignal.abort();
    await expect(portableCatalogue(aborted)).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    const controller = new AbortController();
    const asked = portableCatalogue(controller.signal);
    controller.abort();
    await expect(asked).rejects.toMatchObject({ code: StatusCode.CANCELLED });
  });

  it("says so when the thread fails", async () => {
    const missing = portableCatalogue(new AbortController().signal, "/no/such/thread.js");
    await expect(missing).rejects.toMatchObject({ code: StatusCode.INTERNAL });
  });
});
