import { describe, expect, test } from "vitest";
import type { Operation } from "../../../../../../worker-runtime/graph/graph.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { differences, Program } from "../session-programs.js";

const floats = (values: number[]) => Tensor.of(values, "float32");
const ints = (values: number[]) => Tensor.of(values, "int32");

function resourcePrograms(): readonly Program[] {
  const programs: Program[] = [];
  const make = (title: string, build: (program: Program) => void) => {
    const program = new Program(title);
    build(program);
    programs.push(program);
  };
  make("a variable's life", (p) => {
    const v = p.variableHandle();
    const dtype = "float32";
    const value = p.placeholder(dtype);
    const assign = p.graph.op("AssignVariableOp", [v, value], { dtype });
    const read = p.graph.op("ReadVariableOp", [v], { dtype });
    const add = p.graph.op("AssignAddVariableOp", [v, value], { dtype });
    const sub = p.graph.op("AssignSubVariableOp", [v, value], { dtype });
    const initialized = p.graph.op("VarIsInitializedOp", [v]);
    const shape = p.graph.op("VariableShape", [v], { out_type: "int64" });
    const destroy = p.graph.op("DestroyResourceOp", [v], { ignore_lookup_error: true });
    p.run([initialized])
      .run([read])
      .run([shape])
      .run([add], [[value, floats([1])]]);
    p.run([assign], [[value, floats([1, 2])]])
      .run([initialized])
      .run([read])
      .run([shape]);
    p.run([add], [[value, floats([1, 2])]])
      .run([read])
      .run([sub], [[value, floats([0.1, 2])]])
      .run([read]);
    p.run([add], [[value, floats([1])]])
      .run([assign], [[value, floats([1])]])
      .run([read]);
    p.run([destroy])
      .run([destroy])
      .run([initialized])
      .run([read])
      .run([add], [[value, floats([1])]]);
  });
  make("an assigned tensor stays as it was", (p) => {
    const v = p.variableHandle();
    const constant = p.graph.op("Const", [], { value: floats([1, 2]), dtype: "float32" });
    const assign = p.graph.op("AssignVariableOp", [v, constant], { dtype: "float32" });
    const add = p.graph.op("AssignAddVariableOp", [v, constant], { dtype: "float32" });
    p.run([assign])
      .run([add])
      .run([add])
      .run([constant, p.graph.op("ReadVariableOp", [v], { dtype: "float32" })]);
  });
  make("wrong dtypes", (p) => {
    const v = p.variableHandle();
    const other = p.variableHandle("int32");
    p.run([p.graph.op("AssignVariableOp", [v, floats([1])], { dtype: "float32" })]);
    p.run([p.graph.op("AssignVariableOp", [other, ints([1])], { dtype: "int32" })]);
    p.run([p.graph.op("ReadVariableOp", [other], { dtype: "int32" })]);
  });
  make("gathers", (p) => {
    const v = p.variableHandle();
    const indices = p.placeholder("int32");
    const gather = p.graph.op("ResourceGather", [v, indices], { dtype: "float32" });
    const batched = p.graph.op("ResourceGather", [v, indices], { dtype: "float32", batch_dims: 1 });
    const nd = p.graph.op("ResourceGatherNd", [v, indices], { dtype: "float32" });
    p.run([gather], [[indices, ints([0])]]);
    p.run([
      p.graph.op("AssignVariableOp", [v, floats([1, 2, 3, 4, 5, 6]).reshape([3, 2])], { dtype: "float32" }),
    ]);
    for (const at of [ints([2, 0, 2]), Tensor.of(1, "int32"), Tensor.of([[0, 5]], "int32"), ints([])]) {
      p.run([gather], [[indices, at]]);
    }
    p.run(
      [batched],
      [
        [
          indices,
          Tensor.of(
            [
              [0, 1, 1],
              [1, 0, 0],
              [0, 0, 0],
            ],
            "int32",
          ),
        ],
      ],
    );
    for (const at of [
      [[2], [0]],
      [
        [2, 1],
        [0, 0],
      ],
      [[0, 2]],
      [[[1, 1]], [[0, 1]]],
    ]) {
      p.run([nd], [[indices, Tensor.of(at, "int32")]]);
    }
  });
  make("ResourceCountUpTo", (p) => {
    const v = p.variableHandle("int64");
    p.run([p.graph.op("AssignVariableOp", [v, Tensor.of(1n)], { dtype: "int64" })]);
    const count = p.graph.op("ResourceCountUpTo", [v], { limit: 2, T: "int64" });
    p.run([count]).run([count]);
  });
  make("updates that do not fit", (p) => {
    const v = p.variableHandle();
    const accum = p.variableHandle("float32", "a");
    const value = p.placeholder("float32");
    const rate = p.placeholder("float32");
    const dtype = "float32";
    const descent = p.graph.op("ResourceApplyGradientDescent", [v, rate, value]);
    const momentum = p.graph.op("ResourceApplyMomentum", [v, accum, rate, value, 0.9]);
    const indices = p.placeholder("int32");
    const sparse = p.graph.op("ResourceSparseApplyAdagrad", [v, accum, rate, value, indices]);
    const one: readonly [Operation, Tensor] = [rate, Tensor.of(1, dtype)];
    p.run([descent], [one, [value, floats([1])]]);
    p.run([p.graph.op("AssignVariableOp", [v, floats([1, 2]).reshape([2, 1])], { dtype })]);
    p.run([descent], [one, [value, floats([1])]]);
    p.run(
      [descent],
      [
        [rate, floats([1, 2])],
        [value, floats([1, 2]).reshape([2, 1])],
      ],
    );
    p.run([momentum], [one, [value, floats([1, 2]).reshape([2, 1])]]);
    p.run([p.graph.op("AssignVariableOp", [accum, floats([1, 2])], { dtype })]);
    p.run([momentum], [one, [value, floats([1, 2]).reshape([2, 1])]]);
    p.run([p.graph.op("AssignVariableOp", [accum, floats([1, 2]).reshape([2, 1])], { dtype })]);
    const row = floats([1]).reshape([1, 1]);
    p.run([sparse], [one, [value, row], [indices, ints([5])]]);
    p.run([sparse], [one, [value, row], [indices, Tensor.of([[0]], "int32")]]);
    p.run([sparse], [one, [value, row], [indices, ints([0, 1])]]);
    p.run([sparse], [one, [value, floats([1, 2]).reshape([1, 2])], [indices, ints([0])]]);
    p.run([sparse], [one, [value, row], [indices, ints([1])]]);
  });
  make("slices", (p) => {
    const v = p.variableHandle();
    const rows = floats([1, 2, 3, 4, 5, 6]).reshape([3, 2]);
    p.run([p.graph.op("AssignVariableOp", [v, rows], { dtype: "float32" })]);
    const read = p.graph.op("ReadVariableOp", [v], { dtype: "float32" });
    const value = p.placeholder("float32");
    const begin = p.placeholder("int32");
    const end = p.placeholder("int32");
    const strides = p.placeholder("int32");
    const assign = (to: readonly [number[], number[], number[]], by: Tensor, attrs = {}) =>
      p
        .run(
          [p.graph.op("ResourceStridedSliceAssign", [v, begin, end, strides, value], attrs)],
          [
            [begin, ints(to[0])],
            [end, ints(to[1])],
            [strides, ints(to[2])],
            [value, by],
          ],
        )
        .run([read]);
    assign([[0], [2], [1]], floats([9, 8, 7, 6]).reshape([2, 2]));
    assign(
      [
        [2, 1],
        [0, 2],
        [-1, 1],
      ],
      floats([5, 4]).reshape([2, 1]),
    );
    assign(
      [
        [1, 1],
        [2, 2],
        [1, 1],
      ],
      Tensor.of(3, "float32"),
      { shrink_axis_mask: 3 },
    );
    assign(
      [
        [0, 1],
        [0, 2],
        [2, 1],
      ],
      floats([2, 1]),
      { begin_mask: 1, end_mask: 1, shrink_axis_mask: 2 },
    );
    const w = p.graph.op("VariableV2", [], { dtype: "float32", shape: [3] }, "w");
    p.run([p.graph.op("Assign", [w, floats([1, 2, 3])])]);
    p.run([p.graph.op("StridedSliceAssign", [w, ints([1]), ints([3]), ints([1]), floats([7, 8])])]);
  });
  make("a handle of another kind", (p) => {
    const queue = p.graph.op("FIFOQueueV2", [], { component_types: ["float32"], shared_name: "q" });
    p.run([p.graph.op("QueueSizeV2", [p.variableHandle()])]);
    p.run([p.graph.op("AssignAddVariableOp", [queue, 1], { dtype: "float32" })]);
  });
  return programs;
}

describe.skipIf(peerMissing("tensorflow"))("resource variables against TensorFlow", () => {
  test("are assigned, read, gathered from and refused", async () => {
    expect(await differences(resourcePrograms())).toEqual([]);
  }, 120_000);
});
