import { setMaxListeners } from "node:events";
import { fileURLToPath } from "node:url";
import { getHeapStatistics } from "node:v8";
import { afterEach, describe, expect, test } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { ComputePool } from "../../../../../worker-runtime/engines/portable/compute/compute-pool.js";
import { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { memoryBudget } from "../../../../../worker-runtime/engines/portable/kernels/support/memory-budget.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { cancelled, StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { node, type, typeList } from "../executor/graph-fixture.js";

const never = new AbortController().signal;
setMaxListeners(0, never);

function kernelNode(def: NodeDef): KernelNode {
  return new KernelNode(def, bundledOpRegistry().require(def.op));
}

const addFloats = (name = "add") => kernelNode(node("AddV2", name, ["a", "b"], { T: type("float32") }));

let pool = new ComputePool();
afterEach(() => pool.close());

function makePool(options: ConstructorParameters<typeof ComputePool>[0]): ComputePool {
  pool = new ComputePool(options);
  return pool;
}

test("computes on a thread what the kernel computes; the inputs stay as they are", async () => {
  const compute = makePool({ threads: 1 });
  const whole = new Float32Array([9, 1, 2]);
  // A view on a part of a larger buffer.
  const a = new Tensor("float32", [2], whole.subarray(1));
  const add = addFloats();
  for (let i = 0; i < 3; i += 1) {
    const [sum] = await compute.run(add, "CPU", [a, Tensor.of([10, 20])], never);
    expect(sum).toBeInstanceOf(Tensor);
    expect(sum?.toArray()).toEqual([11, 22]);
  }
  expect(whole).toEqual(new Float32Array([9, 1, 2]));
});

test("strings travel, as do outputs that are inputs handed on", async () => {
  const compute = makePool({ threads: 1 });
  const identity = kernelNode(node("IdentityN", "i", ["a", "b"], { T: typeList("string", "float32") }));
  const outputs = await compute.run(identity, "CPU", [Tensor.of(["ä", "b"]), Tensor.of([1, 2])], never);
  expect(outputs.map((output) => output.toArray())).toEqual([
    ["ä", "b"],
    [1, 2],
  ]);
});

test("an error of the kernel keeps its code, and the thread goes on", async () => {
  const compute = makePool({ threads: 1 });
  const add = addFloats();
  await expect(
    compute.run(add, "CPU", [Tensor.of([1, 2]), Tensor.of([1, 2, 3])], never),
  ).rejects.toMatchObject({
    code: StatusCode.INVALID_ARGUMENT,
  });
  const unknown = kernelNode(node("NoOp", "n"));
  await expect(compute.run(unknown, "CPU", [], never)).rejects.toMatchObject({ code: StatusCode.INTERNAL });
  const [sum] = await compute.run(add, "CPU", [Tensor.of(1), Tensor.of(2)], never);
  expect(sum?.item()).toBe(3);
});

describe("with a limit of what the process has", () => {
  const MIB = 2 ** 20;
  afterEach(() => memoryBudget.limitResident(Number.POSITIVE_INFINITY));

  const tile = (name: string) =>
    kernelNode(node("Tile", name, ["a", "b"], { T: type("uint8"), Tmultiples: type("int32") }));
  const tiled = (compute: ComputePool, mib: number) =>
    compute.run(
      tile(`tile${mib}`),
      "CPU",
      [new Tensor("uint8", [MIB], new Uint8Array(MIB)), Tensor.of([mib], "int32")],
      never,
    );

  test("a thread counts what the others have, and goes on after a refusal", async () => {
    memoryBudget.limitResident(getHeapStatistics().external_memory + 300 * MIB);
    const compute = makePool({ threads: 1 });
    const [held] = await tiled(compute, 150);
    await expect(tiled(compute, 180)).rejects.toMatchObject({
      code: StatusCode.RESOURCE_EXHAUSTED,
      message: expect.stringMatching(
        /^OOM when allocating tensor with shape\[[\d,]+\] and type uint8; this task has /,
      ),
    });
    const [small] = await tiled(compute, 20);
    expect([held?.size, small?.size]).toEqual([150 * MIB, 20 * MIB]);
  });

  test("a thread has garbage of the thread that answers gRPC collected before it refuses", async () => {
    memoryBudget.limitResident(getHeapStatistics().external_memory + 300 * MIB);
    const compute = makePool({ threads: 1 });
    // The tensor is not kept, so that it is garbage when the next one is made.
    const tiledSize = async () => (await tiled(compute, 180))[0]?.size;
    for (let i = 0; i < 3; i += 1) {
      expect(await tiledSize()).toBe(180 * MIB);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
});

test("threads end after a rest, and others start when there is something to do again", async () => {
  const compute = makePool({ threads: 1, idleMillis: 1 });
  const add = addFloats();
  for (let i = 0; i < 2; i += 1) {
    const [sum] = await compute.run(add, "CPU", [Tensor.of(i), Tensor.of(2)], never);
    expect(sum?.item()).toBe(i + 2);
    await expect.poll(() => compute.threads).toBe(0);
  }
});

test("more kernels than threads keep, and more jobs than threads", async () => {
  const compute = makePool({ threads: 2 });
  const nodes = Array.from({ length: 300 }, (_, i) => addFloats(`add${i}`));
  for (const round of [1, 2]) {
    const sums = await Promise.all(
      nodes.map(async (each, i) => {
        const [sum] = await compute.run(each, "CPU", [Tensor.of(i), Tensor.of(round)], never);
        return sum?.item();
      }),
    );
    expect(sums).toEqual(nodes.map((_, i) => i + round));
  }
});

test("a call that is cancelled ends at once; a kernel that goes on loses its thread, which the next call replaces", async () => {
  const compute = makePool({ threads: 1, graceMillis: 1 });
  const controller = new AbortController();
  const huge = new Tensor("float32", [1 << 23], new Float32Array(1 << 23));
  const add = addFloats();
  const running = compute.run(add, "CPU", [huge, huge], controller.signal);
  const queued = compute.run(add, "CPU", [Tensor.of(1), Tensor.of(2)], controller.signal);
  controller.abort(cancelled("enough"));
  await expect(running).rejects.toThrow("enough");
  await expect(queued).rejects.toThrow("enough");
  await expect(compute.run(add, "CPU", [Tensor.of(1), Tensor.of(2)], controller.signal)).rejects.toThrow(
    "enough",
  );
  const [sum] = await compute.run(add, "CPU", [Tensor.of(1), Tensor.of(2)], never);
  expect(sum?.item()).toBe(3);
});

test("a thread that dies fails its call, and another one takes the next", async () => {
  const script = fileURLToPath(new URL("fixtures/mortal-thread.mjs", import.meta.url));
  const compute = makePool({ threads: 1, script });
  const add = addFloats();
  const deadly = compute.run(add, "CPU", [], never);
  const queued = compute.run(add, "CPU", [Tensor.of([1, 2])], never);
  await expect(deadly).rejects.toMatchObject({
    code: StatusCode.INTERNAL,
    message: "A compute thread ended during its work.",
  });
  expect((await queued).map((output) => output.toArray())).toEqual([[1, 2]]);
});

test("a thread that cannot start fails the calls that it was started for", async () => {
  const compute = makePool({
    threads: 1,
    script: fileURLToPath(new URL("fixtures/no-such.mjs", import.meta.url)),
  });
  await expect(compute.run(addFloats(), "CPU", [Tensor.of(1)], never)).rejects.toMatchObject({
    code: StatusCode.INTERNAL,
    message: expect.stringContaining("A compute thread failed: "),
  });
});

test("closing ends the calls that wait", async () => {
  const compute = makePool({ threads: 1 });
  const add = addFloats();
  const calls = [0, 1].map(() => compute.run(add, "CPU", [Tensor.of(1), Tensor.of(2)], never));
  const ended = Promise.allSettled(calls);
  await compute.close();
  for (const result of await ended) {
    expect(result).toMatchObject({ status: "rejected", reason: { code: StatusCode.CANCELLED } });
  }
  await expect(compute.run(add, "CPU", [], never)).rejects.toMatchObject({ code: StatusCode.CANCELLED });
});
