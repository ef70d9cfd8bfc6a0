import { describe, expect, it } from "vitest";
import { progressOf } from "../../../main/scripts/line-progress.js";

describe("the progress in a line", () => {
  it.each([
    ["Epoch 5/12", { unit: "epoch", done: 5, total: 12 }],
    ["epoch 5 of 12, step 7", { unit: "epoch", done: 5, total: 12 }],
    ["step 1240 loss 0.2871 acc 0.8962", { unit: "step", done: 1240 }],
    ["INFO: global_step=17, loss = 0.5", { unit: "step", done: 17 }],
    ["epoch: 3 step 40/100", { unit: "step", done: 40, total: 100 }],
  ])("%s", (line, progress) => {
    expect(progressOf(line)).toEqual(progress);
  });

  it.each(["epochs are counted from 1", "stepping stone 5", "wrote ckpt-1000, 2.7 MB", "steps per second 3"])(
    "is not in: %s",
    (line) => {
      expect(progressOf(line)).toBeUndefined();
    },
  );
});
