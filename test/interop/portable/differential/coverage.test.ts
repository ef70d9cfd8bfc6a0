import { expect, test } from "vitest";
import { createKernelRegistry } from "../../../../worker-runtime/engines/portable/kernels/all.js";
import { coverage, exemptOps } from "./covered-ops.js";

const registered = createKernelRegistry().ops();

test("every op of the engine is compared with TensorFlow's", () => {
  const covered = coverage();
  const unproven = registered.filter((op) => !covered.has(op) && exemptOps[op] === undefined);
  expect(unproven).toEqual([]);
});

test("exemptions are of ops that the engine has and nothing else covers", () => {
  const covered = coverage();
  expect(Object.keys(exemptOps).filter((op) => covered.has(op))).toEqual([]);
});
