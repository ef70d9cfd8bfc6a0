/** Regions with tensors that have no elements. */
import { expect, it } from "vitest";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { arg, bool, constant, node, ret, type } from "../executor/graph-fixture.js";
import { startTask } from "./regions-fixture.js";

it("a size that is known to be 1 can be broadcast to 0", async () => {
  const task = startTask();
  const T = type("float32");
  const indexes = type("int32");
  const graph = task.register([
    arg("x", 0, "float32"),
    constant("axis", [0], "int32"),
    constant("none", [0], "int32"),
    node("Sum", "sum", ["x", "axis"], { T, Tidx: indexes, keep_dims: bool(true) }),
    node("BroadcastTo", "broadcast", ["sum", "none"], { T, Tidx: indexes }),
    node("Neg", "negative", ["broadcast"], { T }),
    ret("negative", 0, "float32"),
    ret("sum", 1, "float32"),
  ]);
  expect(await graph.run({ args: [Tensor.of([1, 2], "float32")] })).toEqual([
    Tensor.of([], "float32", [0]),
    Tensor.of([3], "float32"),
  ]);
  expect(task.log).toEqual([]);
});

it("a size can be inferred beside one of 0", async () => {
  const task = startTask();
  const T = type("float32");
  const graph = task.register([
    arg("x", 0, "float32"),
    constant("sizes", [-1, 0], "int32"),
    node("Neg", "negative", ["x"], { T }),
    node("Reshape", "reshaped", ["negative", "sizes"], { T, Tshape: type("int32") }),
    node("Exp", "exponent", ["reshaped"], { T }),
    ret("exponent", 0, "float32"),
  ]);
  const x = Tensor.of([], "float32", [0, 2]);
  expect(await graph.run({ args: [x] })).toEqual([Tensor.of([], "float32", [2, 0])]);
  expect(task.log).toEqual([]);
});
