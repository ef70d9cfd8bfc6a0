import { describe, expect, test } from "vitest";
import type { StagingLimits } from "../../../../../../worker-runtime/engines/portable/kernels/state/staging/staging-area.js";
import { StagingMap } from "../../../../../../worker-runtime/engines/portable/kernels/state/staging/staging-map.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";

const never = new AbortController().signal;
const value = (...numbers: number[]) => Tensor.of(numbers, "float32");
const map = (limits: Partial<StagingLimits> = {}, width = 1) =>
  new StagingMap({ capacity: 0, memoryBytes: 0, ...limits }, width, true);
const one = (...numbers: number[]) => ({ indices: [0], values: [value(...numbers)] });

describe("staging maps", () => {
  test("a take waits for its key, and for all of its parts", async () => {
    const staging = map({}, 2);
    const early = staging.take(5n, [0, 1], never);
    await staging.put(4n, { indices: [0, 1], values: [value(1), value(2)] }, never);
    await staging.put(5n, { indices: [1], values: [value(4)] }, never);
    expect([staging.size, staging.incompleteSize]).toEqual([1, 1]);
    await staging.put(5n, { indices: [0], values: [value(3)] }, never);
    expect(await early).toEqual([value(3), value(4)]);
    expect(await staging.takeAny([0, 1], never)).toEqual({ key: 4n, values: [value(1), value(2)] });
  });

  test("a put waits for room among the keys and in bytes", async () => {
    const staging = map({ capacity: 1, memoryBytes: 8 });
    await expect(staging.put(1n, one(1, 2, 3), never)).rejects.toMatchObject({
      codeName: "RESOURCE_EXHAUSTED",
    });
    await staging.put(1n, one(1, 2), never);
    const late = staging.put(2n, one(3, 4), never);
    expect(await staging.take(1n, [0], never)).toEqual([value(1, 2)]);
    await late;
    expect(await staging.peek(2n, [0], never)).toEqual([value(3, 4)]);
  });

  test("who waits ends with its signal, or with the map", async () => {
    const staging = map();
    const controller = new AbortController();
    const aborted = staging.take(1n, [0], controller.signal);
    const removed = staging.peek(2n, [0], never);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ codeName: "CANCELLED" });
    staging.dispose();
    await expect(removed).rejects.toMatchObject({ codeName: "CANCELLED" });
  });
});
