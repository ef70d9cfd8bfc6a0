import { describe, expect, test } from "vitest";
import { UNKNOWN_RANK } from "../../../../../../worker-runtime/graph/attr-values.js";
import type { Operation } from "../../../../../../worker-runtime/graph/graph.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { differences, Program } from "./session-programs.js";

const floats = (values: number[]) => Tensor.of(values, "float32");
const ints = (values: number[]) => Tensor.of(values, "int32");

function handle(program: Program, dtype = "float32", sharedName = "v"): Operation {
  return program.graph.op(
    "VarHandleOp",
    [],
    { dtype, shape: UNKNOWN_RANK, shared_name: sharedName },
    "handle",
  );
}

function referencePrograms(): readonly Program[] {
  const programs: Program[] = [];
  const make = (title: string, build: (program: Program) => void) => {
    const program = new Program(title);
    build(program);
    programs.push(program);
  };
  make("reads before and after Assign", (p) => {
    const v = p.graph.op("VariableV2", [], { dtype: "float32", shape: [2] }, "v");
    const read = p.graph.op("Identity", [v]);
    const assign = p.graph.op("Assign", [v, floats([1, 2])]);
    const add = p.graph.op("AssignAdd", [v, floats([0.5, 1e-9])]);
    const sub = p.graph.op("AssignSub", [v, floats([1, 1])]);
    const initialized = p.graph.op("IsVariableInitialized", [v]);
    p.run([initialized]).run([read]).run([add]).run([assign]).run([initialized]).run([read]);
    p.run([add]).run([sub]).run([read]).run([v]);
  });
  make("shapes of Assign", (p) => {
    const v = p.graph.op("VariableV2", [], { dtype: "float32", shape: [2] }, "v");
    const value = p.placeholder("float32");
    const strict = p.graph.op("Assign", [v, value]);
    const loose = p.graph.op("Assign", [v, value], { validate_shape: false });
    const add = p.graph.op("AssignAdd", [v, value]);
    p.run([strict], [[value, floats([1, 2, 3])]]);
    p.run([loose], [[value, floats([1, 2, 3])]]);
    p.run([strict], [[value, floats([1, 2])]]);
    p.run([add], [[value, floats([1, 2])]]);
    p.run([add], [[value, floats([1, 2, 3])]]);
  });
  make("integers wrap", (p) => {
    for (const [dtype, most] of [
      ["int32", 2147483647],
      ["uint8", 255],
      ["int8", 127],
      ["int64", 9223372036854775807n],
    ] as const) {
      const v = p.graph.op("VariableV2", [], { dtype, shape: [] }, `v_${dtype}`);
      p.run([p.graph.op("Assign", [v, Tensor.of(most, dtype)])]);
      p.run([p.graph.op("AssignAdd", [v, Tensor.of(1, dtype)])]);
    }
  });
  make("small floats and complex numbers", (p) => {
    for (const dtype of ["float16", "bfloat16"] as const) {
      const v = p.graph.op("VariableV2", [], { dtype, shape: [2] }, `v_${dtype}`);
      p.run([p.graph.op("Assign", [v, Tensor.of([1.5, 1000], dtype)])]);
      p.run([p.graph.op("AssignSub", [v, Tensor.of([0.1, 0.3], dtype)])]);
    }
    const v = p.graph.op("VariableV2", [], { dtype: "complex64", shape: [] }, "v_complex64");
    p.run([p.graph.op("Assign", [v, Tensor.of({ re: 1, im: 2 }, "complex64")])]);
    p.run([p.graph.op("AssignAdd", [v, Tensor.of({ re: 0.5, im: -1 }, "complex64")])]);
  });
  make("CountUpTo", (p) => {
    const v = p.graph.op("VariableV2", [], { dtype: "int32", shape: [] }, "v");
    const count = p.graph.op("CountUpTo", [v], { limit: 2 });
    p.run([count]).run([p.graph.op("Assign", [v, Tensor.of(0, "int32")])]);
    p.run([count])
      .run([count])
      .run([count])
      .run([p.graph.op("Identity", [v])]);
  });
  make("two nodes of one shared name", (p) => {
    const a = p.graph.op("VariableV2", [], { dtype: "float32", shape: [], shared_name: "s" }, "a");
    const b = p.graph.op("VariableV2", [], { dtype: "float32", shape: [], shared_name: "s" }, "b");
    const other = p.graph.op(
      "VariableV2",
      [],
      { dtype: "float32", shape: [], shared_name: "s", container: "c" },
      "other",
    );
    const wrong = p.graph.op("VariableV2", [], { dtype: "int32", shape: [], shared_name: "s" }, "wrong");
    p.run([p.graph.op("Assign", [a, 3])]).run([p.graph.op("Identity", [b])]);
    p.run([p.graph.op("IsVariableInitialized", [other])]).run([wrong]);
  });
  make("names that may not be", (p) => {
    const v = p.graph.op("VariableV2", [], { dtype: "float32", shape: [], shared_name: "_s" }, "v");
    p.run([p.graph.op("IsVariableInitialized", [v])]);
  });
  make("containers that may not be", (p) => {
    const v = p.graph.op("VariableV2", [], { dtype: "float32", shape: [], container: "a b" }, "v");
    p.run([p.graph.op("IsVariableInitialized", [v])]);
  });
  make("temporary variables", (p) => {
    const v = p.graph.op("TemporaryVariable", [], { dtype: "float32", shape: [2] }, "v");
    const assign = p.graph.op("Assign", [v, floats([1, 2])]);
    const add = p.graph.op("AssignAdd", [assign, floats([1, 2])]);
    p.run([p.graph.op("DestroyTemporaryVariable", [add], { var_name: "v" })]);
  });
  return programs;
}

function scatterPrograms(): readonly Program[] {
  const kinds = ["Update", "Add", "Sub", "Mul", "Div", "Min", "Max"];
  const programs: Program[] = [];
  for (const kind of kinds) {
    for (const dtype of ["float32", "int32", "int64", "float64"] as const) {
      for (const resource of [false, true]) {
        const p = new Program(`${resource ? "Resource" : ""}Scatter${kind} ${dtype}`);
        const v = resource ? handle(p, dtype) : p.graph.op("VariableV2", [], { dtype, shape: [3, 2] }, "v");
        const start = Tensor.of([10, -7, 9, 4, 5, -6], dtype).reshape([3, 2]);
        const prefix = resource ? "Resource" : "";
        const indices = p.placeholder("int32");
        const updates = p.placeholder(dtype);
        const assign = p.graph.op(
          resource ? "AssignVariableOp" : "Assign",
          [v, start],
          resource ? { dtype } : {},
        );
        const read = resource ? p.graph.op("ReadVariableOp", [v], { dtype }) : p.graph.op("Identity", [v]);
        const scatter = p.graph.op(
          `${prefix}Scatter${kind}`,
          [v, indices, updates],
          resource ? { dtype } : {},
        );
        const run = (at: Tensor, by: Tensor) =>
          p
            .run(
              [scatter],
              [
                [indices, at],
                [updates, by],
              ],
            )
            .run([read]);
        p.run(
          [scatter],
          [
            [indices, ints([0])],
            [updates, Tensor.of([[1, 2]], dtype)],
          ],
        );
        p.run([assign]);
        run(ints([2, 0, 2]), Tensor.of([1, 2, 3, 4, -5, 6], dtype).reshape([3, 2]));
        run(ints([1]), Tensor.of(2, dtype));
        run(
          Tensor.of(
            [
              [1, 0],
              [2, 2],
            ],
            "int32",
          ),
          Tensor.of([1, 2, 3, 4, 5, 6, 7, 8], dtype).reshape([2, 2, 2]),
        );
        run(ints([]).reshape([0]), Tensor.of([], dtype).reshape([0, 2]));
        run(ints([3, 0]), Tensor.of([1, 2, 3, 4], dtype).reshape([2, 2]));
        run(ints([-1]), Tensor.of([1, 2], dtype).reshape([1, 2]));
        run(ints([0, 1]), Tensor.of([1, 2, 3], dtype));
        run(Tensor.of(1, "int32"), Tensor.of([1, 2], dtype));
        programs.push(p);
      }
    }
  }
  return programs;
}

function scatterNdPrograms(): readonly Program[] {
  const programs: Program[] = [];
  for (const kind of ["Update", "Add", "Sub", "Min", "Max"]) {
    for (const resource of [false, true]) {
      if (!resource && (kind === "Min" || kind === "Max")) {
        continue; // TensorFlow has no kernel for them that a session of its own would use.
      }
      const p = new Program(`${resource ? "Resource" : ""}ScatterNd${kind}`);
      const v = resource ? handle(p) : p.graph.op("VariableV2", [], { dtype: "float32", shape: [3, 2] }, "v");
      const start = floats([10, -7, 9, 4, 5, -6]).reshape([3, 2]);
      const indices = p.placeholder("int32");
      const updates = p.placeholder("float32");
      const assign = p.graph.op(
        resource ? "AssignVariableOp" : "Assign",
        [v, start],
        resource ? { dtype: "float32" } : {},
      );
      const read = resource
        ? p.graph.op("ReadVariableOp", [v], { dtype: "float32" })
        : p.graph.op("Identity", [v]);
      const scatter = p.graph.op(`${resource ? "Resource" : ""}ScatterNd${kind}`, [v, indices, updates]);
      const run = (at: Tensor, by: Tensor) =>
        p
          .run(
            [scatter],
            [
              [indices, at],
              [updates, by],
            ],
          )
          .run([read]);
      p.run([assign]);
      run(Tensor.of([[0], [2], [0]], "int32"), floats([1, 2, 3, 4, 5, -6]).reshape([3, 2]));
      run(
        Tensor.of(
          [
            [0, 1],
            [2, 0],
          ],
          "int32",
        ),
        floats([1, 2]),
      );
      run(Tensor.of([[2, 5]], "int32"), floats([1]));
      run(Tensor.of([[7]], "int32"), floats([1, 2]).reshape([1, 2]));
      run(Tensor.of([[0], [1]], "int32"), floats([1, 2, 3]));
      run(Tensor.of([[0, 1]], "int32"), floats([1, 2]).reshape([1, 2]));
      programs.push(p);
    }
  }
  return programs;
}

function resourcePrograms(): readonly Program[] {
  const programs: Program[] = [];
  const make = (title: string, build: (program: Program) => void) => {
    const program = new Program(title);
    build(program);
    programs.push(program);
  };
  make("a variable's life", (p) => {
    const v = handle(p);
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
    const v = handle(p);
    const constant = p.graph.op("Const", [], { value: floats([1, 2]), dtype: "float32" });
    const assign = p.graph.op("AssignVariableOp", [v, constant], { dtype: "float32" });
    const add = p.graph.op("AssignAddVariableOp", [v, constant], { dtype: "float32" });
    p.run([assign])
      .run([add])
      .run([add])
      .run([constant, p.graph.op("ReadVariableOp", [v], { dtype: "float32" })]);
  });
  make("wrong dtypes", (p) => {
    const v = handle(p);
    const other = handle(p, "int32");
    p.run([p.graph.op("AssignVariableOp", [v, floats([1])], { dtype: "float32" })]);
    p.run([p.graph.op("AssignVariableOp", [other, ints([1])], { dtype: "int32" })]);
    p.run([p.graph.op("ReadVariableOp", [other], { dtype: "int32" })]);
  });
  make("gathers", (p) => {
    const v = handle(p);
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
    const v = handle(p, "int64");
    p.run([p.graph.op("AssignVariableOp", [v, Tensor.of(1n)], { dtype: "int64" })]);
    const count = p.graph.op("ResourceCountUpTo", [v], { limit: 2, T: "int64" });
    p.run([count]).run([count]);
  });
  make("updates that do not fit", (p) => {
    const v = handle(p);
    const accum = handle(p, "float32", "a");
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
    const v = handle(p);
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
    p.run([p.graph.op("QueueSizeV2", [handle(p)])]);
    p.run([p.graph.op("AssignAddVariableOp", [queue, 1], { dtype: "float32" })]);
  });
  return programs;
}

describe.skipIf(peerMissing("tensorflow"))("variables against TensorFlow", () => {
  test("reference variables", async () => {
    expect(await differences(referencePrograms())).toEqual([]);
  }, 120_000);

  test("resource variables", async () => {
    expect(await differences(resourcePrograms())).toEqual([]);
  }, 120_000);

  test("scatter updates", async () => {
    expect(await differences([...scatterPrograms(), ...scatterNdPrograms()])).toEqual([]);
  }, 120_000);
});
