import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  type DeviceMemory,
  DeviceTensor,
} from "../../../../../worker-runtime/engines/portable/gpu/device-tensor.js";
import { GpuMemory } from "../../../../../worker-runtime/engines/portable/gpu/gpu-memory.js";
import { ReferenceVariable } from "../../../../../worker-runtime/engines/portable/resources/reference-variable.js";
import { ResourceVariable } from "../../../../../worker-runtime/engines/portable/resources/resource-variable.js";
import { alone } from "../../../../../worker-runtime/engines/portable/resources/variable.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

/** Memory that remembers what was asked of it. */
class Memory implements DeviceMemory {
  readonly isGpu = true;
  readonly name = "/device:GPU:0";
  readonly freed: number[] = [];
  reads = 0;

  async read(handle: number): Promise<ArrayBuffer> {
    this.reads += 1;
    return Float32Array.of(handle, 2).buffer;
  }

  free(handle: number): void {
    this.freed.push(handle);
  }
}

const step = new AbortController();

function tensorOn(memory: Memory, handle = 7): DeviceTensor {
  return new DeviceTensor("float32", [2], memory, handle);
}

describe("a tensor on a device", () => {
  test("has its size without being read, and is copied once for all who ask", async () => {
    const memory = new Memory();
    const tensor = tensorOn(memory);
    expect([tensor.size, tensor.byteLength, tensor.shape]).toEqual([2, 8, [2]]);
    expect(memory.reads).toBe(0);
    const copy = await tensor.toHost(step);
    expect(copy.toArray()).toEqual([7, 2]);
    expect(await tensor.toHost(step)).toBe(copy);
    expect(memory.reads).toBe(1);
  });

  test("is never waited for by code that reads its elements at once", () => {
    const memory = new Memory();
    const tensor = tensorOn(memory);
    expect(() => tensor.toArray()).toThrow(
      expect.objectContaining({
        code: StatusCode.INTERNAL,
        message:
          "A float32 tensor of shape [2] on /device:GPU:0 was read before it had been copied to the host.",
      }),
    );
    expect(memory.reads).toBe(0);
  });

  test("is freed by the last who lets it go, once", async () => {
    const memory = new Memory();
    const tensor = tensorOn(memory);
    tensor.hold();
    tensor.hold();
    tensor.letGo();
    await nextTurn();
    expect(memory.freed).toEqual([]);
    tensor.letGo();
    tensor.freeUnlessHeld();
    await nextTurn();
    expect(memory.freed).toEqual([7]);
    expect(() => tensor.handle).toThrow("after it had been freed");
  });

  test("stays where somebody takes it in the same turn", async () => {
    const memory = new Memory();
    const tensor = tensorOn(memory);
    tensor.hold();
    tensor.letGo();
    tensor.hold();
    await nextTurn();
    expect(memory.freed).toEqual([]);
  });
});

describe.each([
  ["resource", () => new ResourceVariable({ dtype: "float32", name: "v" })],
  ["reference", () => new ReferenceVariable({ dtype: "float32", name: "v" })],
] as const)("a %s variable", (_, make) => {
  test("keeps the tensor on the device until it has another value", async () => {
    const memory = new Memory();
    const variable = make();
    const tensor = tensorOn(memory, 1);
    variable.assign(tensor);
    expect(variable.value).toBe(tensor);
    await nextTurn();
    expect(memory.freed).toEqual([]);
    variable.assign(tensorOn(memory, 2));
    await nextTurn();
    expect(memory.freed).toEqual([1]);
    variable.assign(Tensor.of([3, 4], "float32"));
    await nextTurn();
    expect(memory.freed).toEqual([1, 2]);
    expect(variable.value?.toArray()).toEqual([3, 4]);
  });

  test("frees it when it is removed", async () => {
    const memory = new Memory();
    const variable = make();
    variable.assign(tensorOn(memory));
    variable.dispose();
    await nextTurn();
    expect(memory.freed).toEqual([7]);
  });

  test("has its own memory for an update by a kernel", async () => {
    const memory = new Memory();
    const variable = make();
    variable.assign(tensorOn(memory));
    await alone([variable], step, () => {
      const { data } = variable.writable() ?? Tensor.of([], "float32");
      (data as Float32Array).fill(9);
    });
    expect(variable.value?.toArray()).toEqual([9, 9]);
    await nextTurn();
    expect(memory.freed).toEqual([7]);
  });
});

test("the memory of a GPU is counted, and refuses more than it has in TensorFlow's words", () => {
  const memory = new GpuMemory("/device:GPU:0", 100);
  memory.take(60, "float32", [15]);
  expect(() => memory.take(60, "float32", [3, 5])).toThrow(
    expect.objectContaining({
      code: StatusCode.RESOURCE_EXHAUSTED,
      message: expect.stringContaining(
        "OOM when allocating tensor with shape[3,5] and type float on /device:GPU:0 by allocator",
      ),
    }),
  );
  memory.give(60);
  memory.take(100, "float32", [25]);
  expect(memory.usedBytes).toBe(100);
});
