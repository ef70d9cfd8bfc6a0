/** Regions of float16, which are computed in float32. */
import { expect, it } from "vitest";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { arg, node, ret, type } from "../executor/graph-fixture.js";
import { startTask } from "./regions-fixture.js";

it("a half of which another node needs only the shape can be an output", async () => {
  const task = startTask();
  const T = type("float16");
  const graph = task.register([
    arg("x", 0, "float16"),
    node("Neg", "negative", ["x"], { T }),
    node("OnesLike", "ones", ["negative"], { T }),
    node("Neg", "minus_ones", ["ones"], { T }),
    ret("negative", 0, "float16"),
    ret("minus_ones", 1, "float16"),
  ]);
  expect(await graph.run({ args: [Tensor.of([1, 2], "float16")] })).toEqual([
    Tensor.of([-1, -2], "float16"),
    Tensor.of([-1, -1], "float16"),
  ]);
  expect(task.log).toEqual([]);
  expect(task.regions.sessions).toBe(1);
});
