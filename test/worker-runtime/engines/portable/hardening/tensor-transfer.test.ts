import { expect, test } from "vitest";
import {
  packCopies,
  packResults,
  unpack,
} from "../../../../../worker-runtime/engines/portable/compute/tensor-transfer.js";
import { withoutPauses, withPauses } from "../../../../../worker-runtime/engines/portable/pauses.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

test("tensors are the same after they travelled, large ones and many strings included", async () => {
  const tensors = [
    new Tensor(
      "float32",
      [3, 100_001],
      new Float32Array(300_003).map((_, i) => i),
    ),
    Tensor.of([1n, -(2n ** 63n)], "int64"),
    Tensor.of([{ re: 1, im: -2 }], "complex64"),
    Tensor.of([], "bool"),
    Tensor.of(Array.from({ length: 5000 }, (_, i) => "x".repeat(i % 7))),
    Tensor.of("alone"),
    Tensor.of([], "string"),
  ];
  const packed = await withPauses(packCopies(tensors));
  const sent = structuredClone(packed.tensors, { transfer: [...packed.transfer] });
  expect(withoutPauses(unpack(sent))).toEqual(tensors);
});

test("short strings share memory in small pieces, so that one does not keep all others alive", () => {
  const texts = Array.from({ length: 3000 }, (_, i) => (i % 500 === 7 ? "long ".repeat(2000) : `text ${i}`));
  const sent = withoutPauses(packCopies([Tensor.of(texts)])).tensors;
  const [strings = Tensor.of([], "string")] = withoutPauses(unpack(sent));
  expect(strings.toArray()).toEqual(texts);
  const buffers = new Set((strings.data as readonly Uint8Array[]).map(({ buffer }) => buffer));
  const longTexts = 6;
  const bytes = texts.join("").length;
  expect(buffers.size).toBeLessThan(texts.length / 100);
  expect(buffers.size).toBeGreaterThan(longTexts);
  expect(Math.max(...[...buffers].map(({ byteLength }) => byteLength))).toBeLessThan(bytes / 4);
});

test("the event loop goes round while much is copied", async () => {
  const large = new Tensor("float64", [2 ** 24], new Float64Array(2 ** 24));
  let rounds = 0;
  let isCopying = true;
  const count = () => {
    rounds += 1;
    if (isCopying) setImmediate(count);
  };
  setImmediate(count);
  await withPauses(packCopies([large]));
  isCopying = false;
  expect(rounds).toBeGreaterThan(0);
});

test("results move; what is part of something larger, or sent twice, is copied", () => {
  const own = Tensor.of([1, 2, 3]);
  const whole = new Float32Array([9, 4, 5]);
  const part = new Tensor("float32", [2], whole.subarray(1));
  const { tensors, transfer } = withoutPauses(packResults([own, own, part]));
  expect(transfer[0]).toBe((own.data as Float32Array).buffer);
  expect(new Set(transfer).size).toBe(3);
  expect(withoutPauses(unpack(tensors)).map((tensor) => tensor.toArray())).toEqual([
    [1, 2, 3],
    [1, 2, 3],
    [4, 5],
  ]);
});
