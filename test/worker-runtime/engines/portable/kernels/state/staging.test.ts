import { describe, expect, test } from "vitest";
import {
  StagingArea,
  type StagingLimits,
} from "../../../../../../worker-runtime/engines/portable/kernels/state/staging/staging-area.js";
import type { Value } from "../../../../../../worker-runtime/engines/portable/values.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";

const never = new AbortController().signal;
const tuple = (...values: number[]): readonly Value[] => [Tensor.of(values, "float32")];
const area = (limits: Partial<StagingLimits> = {}) =>
  new StagingArea({ capacity: 0, memoryBytes: 0, ...limits });

describe("staging areas", () => {
  test("a put waits for room, and a take for a tuple", async () => {
    const staging = area({ capacity: 1 });
    const early = staging.take(never);
    await staging.put(tuple(1), never);
    expect(await early).toEqual(tuple(1));
    await staging.put(tuple(2), never);
    const late = staging.put(tuple(3), never);
    expect(staging.size).toBe(1);
    expect(await staging.take(never)).toEqual(tuple(2));
    await late;
    expect(await staging.peek(0, never)).toEqual(tuple(3));
  });

  test("bytes are counted", async () => {
    const staging = area({ memoryBytes: 12 });
    await expect(staging.put(tuple(1, 2, 3, 4), never)).rejects.toMatchObject({
      codeName: "RESOURCE_EXHAUSTED",
    });
    await staging.put(tuple(1, 2), never);
    const second = staging.put(tuple(3, 4), never);
    staging.clear();
    await second;
    expect(await staging.take(never)).toEqual(tuple(3, 4));
  });

  test("who waits ends with its signal, or with the area", async () => {
    const staging = area();
    const controller = new AbortController();
    const aborted = staging.take(controller.signal);
    const removed = staging.peek(3, never);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ codeName: "CANCELLED" });
    staging.dispose();
    await expect(removed).rejects.toMatchObject({ codeName: "CANCELLED" });
  });
});
