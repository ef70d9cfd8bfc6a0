import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { letValueGo } from "../../../../../worker-runtime/engines/portable/memory/held-tensor.js";
import { ReceivePool } from "../../../../../worker-runtime/engines/portable/memory/receive-pool.js";
import {
  borrowing,
  lastingTensor,
  ReceivedTensor,
} from "../../../../../worker-runtime/engines/portable/memory/received-tensor.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

const FLOATS = 2 ** 18;

/** A held tensor in the memory of a pool, as a message brings it. */
function received() {
  const pool = new ReceivePool();
  const numbers = new Float32Array(pool.allocate(FLOATS * 4)).fill(3);
  const tensor = ReceivedTensor.lend(new Tensor("float32", [FLOATS], numbers), pool);
  if (!(tensor instanceof ReceivedTensor)) {
    throw new Error("It is not lent.");
  }
  tensor.hold();
  return { pool, tensor };
}

async function isGivenBack({ pool, tensor }: ReturnType<typeof received>): Promise<boolean> {
  letValueGo(tensor);
  await turn();
  return pool.idleBytes > 0;
}

describe("the memory of a received tensor", () => {
  test("is used again once its last holder has let it go", async () => {
    const { pool, tensor } = received();
    tensor.hold();
    expect(borrowing(() => tensor.data[FLOATS - 1])).toBe(3);
    expect([tensor.size, tensor.byteLength]).toEqual([FLOATS, FLOATS * 4]);
    tensor.letGo();
    await turn();
    expect(pool.idleBytes).toBe(0);
    expect(await isGivenBack({ pool, tensor })).toBe(true);
    expect(() => tensor.data).toThrow(expect.objectContaining({ code: StatusCode.INTERNAL }));
  });

  test("is left to the garbage collector if someone may have kept it", async () => {
    const one = received();
    const { data } = one.tensor;
    expect(await isGivenBack(one)).toBe(false);
    expect(data[0]).toBe(3);
    const another = received();
    const lasting = lastingTensor(another.tensor);
    expect(lasting).not.toBeInstanceOf(ReceivedTensor);
    expect(await isGivenBack(another)).toBe(false);
  });

  test.each([
    ["a copy", (input: Tensor) => new Tensor("float32", [1], Float32Array.of(Number(input.data[0]))), true],
    ["itself", (input: Tensor) => input, true],
    ["another shape of it", (input: Tensor) => input.reshape([FLOATS / 2, 2]), false],
    [
      "a part of it",
      (input: Tensor) => new Tensor("float32", [1], (input.data as Float32Array).subarray(5, 6)),
      false,
    ],
  ])("where a kernel returns %s", async (_, kernel, isUsedAgain) => {
    const one = received();
    const [output] = borrowing(() => [kernel(one.tensor)], [one.tensor]);
    expect(output?.size).toBeGreaterThan(0);
    expect(await isGivenBack(one)).toBe(isUsedAgain);
  });

  test("of another kind, or with another tensor in it, is never lent", () => {
    const pool = new ReceivePool();
    const half = new Tensor(
      "float32",
      [FLOATS / 2],
      new Float32Array(pool.allocate(FLOATS * 4), 0, FLOATS / 2),
    );
    expect(ReceivedTensor.lend(half, pool)).toBe(half);
    for (const tensor of [Tensor.of([1, 2]), Tensor.of("text")]) {
      expect(ReceivedTensor.lend(tensor, pool)).toBe(tensor);
    }
  });
});
