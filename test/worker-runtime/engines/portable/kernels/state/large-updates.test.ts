import { expect, test } from "vitest";
import {
  elementsOf,
  SLICE_ELEMENTS,
  slicesOf,
} from "../../../../../../worker-runtime/engines/portable/kernels/state/training/run-slices.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import fc from "../../../../../support/seeded-check.js";
import { MiniSession, Program } from "../session-programs.js";

test("slices of runs are the same elements in the same order", () => {
  const run = fc.record({ at: fc.nat(100), from: fc.nat(100), length: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(run), fc.integer({ min: 1, max: 9 }), (runs, limit) => {
      const slices = [...slicesOf(runs, limit)];
      const elements = (list: typeof runs) =>
        list.flatMap(({ at, from, length }) => Array.from({ length }, (_, i) => [at + i, from + i]));
      expect(slices.flatMap((slice) => elements([...slice]))).toEqual(elements(runs));
      for (const slice of slices) {
        expect(elementsOf(slice)).toBeLessThanOrEqual(limit);
      }
    }),
  );
});

test("updates of a large variable let others in, lose nothing and change no tensor that was read", async () => {
  const { graph } = new Program("large");
  const size = 2 * SLICE_ELEMENTS + 7;
  const dtype = "float32";
  const ones = new Tensor(dtype, [size], new Float32Array(size).fill(1));
  const variable = graph.op("VarHandleOp", [], { dtype, shape: [size], shared_name: "v" });
  const value = graph.op("Placeholder", [], { dtype });
  const assign = graph.op("AssignVariableOp", [variable, value], { dtype });
  const read = graph.op("ReadVariableOp", [variable], { dtype });
  const descend = graph.op("ResourceApplyGradientDescent", [variable, 1, value]);
  const session = new MiniSession();
  const run = (...operations: (typeof assign)[]) =>
    session.run({ operations, feeds: new Map([[value, ones]]) });
  await run(assign);
  const [first, second, [between]] = await Promise.all([run(descend), run(descend), run(read)]);
  expect([first, second]).toEqual([[], []]);
  const seen = Float32Array.from(between?.data as Float32Array);
  const [after] = await run(read);
  // Compared in bulk: matchers would take their time with so many elements.
  const isAll = (data: unknown, expected: number) =>
    data instanceof Float32Array && data.every((element) => element === expected);
  expect(isAll(after?.data, -1)).toBe(true);
  expect(isAll(ones.data, 1)).toBe(true);
  const now = between?.data as Float32Array;
  expect(now.every((element, i) => element === seen[i])).toBe(true);
});
