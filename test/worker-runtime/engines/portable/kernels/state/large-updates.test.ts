import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
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
  const [before] = await run(read);
  const [first, second] = await Promise.all([run(descend), run(descend)]);
  expect([first, second]).toEqual([[], []]);
  const [after] = await run(read);
  expect(isAll(after, -1)).toBe(true);
  expect(isAll(before, 1)).toBe(true);
  expect(isAll(ones, 1)).toBe(true);
});

/** Compared in bulk: matchers would take their time with so many elements. */
function isAll(tensor: Tensor | undefined, expected: number): boolean {
  return tensor?.data instanceof Float32Array && tensor.data.every((element) => element === expected);
}

/** A large variable of each kind, with operations on it that take it whole. */
function largeVariable(isResource: boolean, useLocking: boolean) {
  const { graph } = new Program("large");
  const size = 3 * SLICE_ELEMENTS + 7;
  const dtype = "float32";
  const resource = isResource ? "Resource" : "";
  const suffix = isResource ? "VariableOp" : "";
  const variable = isResource
    ? graph.op("VarHandleOp", [], { dtype, shape: [size], shared_name: "v" })
    : graph.op("VariableV2", [], { dtype, shape: [size] });
  const value = graph.op("Placeholder", [], { dtype });
  const locking = { use_locking: useLocking };
  const indices = graph.op("Placeholder", [], { dtype: "int32" });
  const operations = {
    assign: graph.op(`Assign${suffix}`, [variable, value]),
    read: isResource ? graph.op("ReadVariableOp", [variable], { dtype }) : graph.op("Identity", [variable]),
    subtract: graph.op(`AssignSub${suffix}`, [variable, value]),
    descend: graph.op(`${resource}ApplyGradientDescent`, [variable, 1, value], locking),
    scatter: graph.op(`${resource}ScatterAdd`, [variable, indices, value], isResource ? {} : locking),
  };
  const ends = graph.op("Const", [], { value: Tensor.of([0, size - 1], "int32"), dtype: "int32" });
  const gather = isResource
    ? graph.op("ResourceGather", [variable, ends], { dtype })
    : graph.op("Gather", [variable, ends]);
  const session = new MiniSession();
  const tensorOf = (element: number) => new Tensor(dtype, [size], new Float32Array(size).fill(element));
  const rows = new Tensor(
    "int32",
    [size],
    Int32Array.from({ length: size }, (_, i) => i),
  );
  const run = (operation: typeof value, element = 1) =>
    session.run({
      operations: [operation],
      feeds: new Map([
        [value, tensorOf(element)],
        [indices, rows],
      ]),
    });
  return { ...operations, gather, run };
}

describe.each([
  [true, true],
  [false, true],
  [false, false],
])("while a large variable (resource: %s, use_locking: %s) is updated", (isResource, useLocking) => {
  test.each(["descend", "subtract", "scatter"] as const)(
    "by %s, readers see all of it or nothing",
    async (kind) => {
      const { run, assign, read, gather, ...updates } = largeVariable(isResource, useLocking);
      await run(assign, 0);
      let isUpdated = false;
      const update = run(updates[kind], kind === "scatter" ? -1 : 1).then(() => {
        isUpdated = true;
      });
      // The update has begun when the loop has gone round, and done the first of its parts.
      await setImmediate();
      expect(isUpdated).toBe(false);
      const [[seen], [ends]] = await Promise.all([run(read), run(gather)]);
      expect(isAll(seen, -1)).toBe(true);
      expect(ends?.toArray()).toEqual([-1, -1]);
      await update;
    },
  );

  test("other updates come after it, whole", async () => {
    const { run, assign, read, descend, subtract } = largeVariable(isResource, useLocking);
    await run(assign, 0);
    const first = run(descend);
    await setImmediate();
    const others = [run(assign, 5), run(subtract, 2)];
    await Promise.all([first, ...others]);
    const [after] = await run(read);
    expect(isAll(after, 3)).toBe(true);
  });

  test("others get their turns, also while a value is assigned", async () => {
    const { run, assign, subtract } = largeVariable(isResource, useLocking);
    await run(assign, 0);
    for (const operation of isResource ? [subtract] : [assign, subtract]) {
      let isDone = false;
      const update = run(operation).then(() => {
        isDone = true;
      });
      await setImmediate();
      expect(isDone).toBe(false);
      await update;
    }
  });
});
