import { expect, it } from "vitest";
import { stepTargets } from "../../../worker-runtime/session/step-targets.js";

it("separates what is fed from what is fetched by the node of a fetched tensor, where nothing else does", () => {
  expect(stepTargets(["x:0"], [], ["z:1"])).toEqual(["z"]);
  expect(stepTargets(["x:0"], ["train"], ["z:0"])).toEqual(["train"]);
  expect(stepTargets([], [], ["z:0"])).toEqual([]);
  expect(stepTargets(["x:0"], [], [])).toEqual([]);
});
