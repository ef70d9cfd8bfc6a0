import { expect, test } from "vitest";
import { createLoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import { isFasterOnOneThread } from "../../../../../worker-runtime/engines/portable/regions/plan.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { nodeOf } from "../kernels/op-case.js";

test("small gradients of convolutions run on one thread; large ones and inference run on several", () => {
  const lowerings = createLoweringRegistry();
  const attrs = { strides: [1, 1, 1, 1], padding: "SAME" };
  const images = Tensor.of(1, "float32", [1, 2, 2, 1]);
  const sizes = Tensor.of([1, 1, 1, 1], "int32");
  const forward = { lowering: lowerings.find(nodeOf({ op: "Conv2D", inputs: [images, images], attrs })) };
  const backward = {
    lowering: lowerings.find(nodeOf({ op: "Conv2DBackpropFilter", inputs: [images, sizes, images], attrs })),
  };
  expect(isFasterOnOneThread([forward, backward], 3e6)).toBe(true);
  expect(isFasterOnOneThread([forward, backward], 1e9)).toBe(false);
  expect(isFasterOnOneThread([forward, forward], 3e6)).toBe(false);
});

test("small nodes run on one thread", () => {
  const members = [{ lowering: undefined }, { lowering: undefined }];
  expect(isFasterOnOneThread(members, 60_000)).toBe(true);
  expect(isFasterOnOneThread(members, 300_000)).toBe(false);
});
