import { describe, expect, test } from "vitest";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { differences, Program } from "../session-programs.js";

const floats = (values: number[]) => Tensor.of(values, "float32");
const ints = (values: number[]) => Tensor.of(values, "int32");

function scatterPrograms(): readonly Program[] {
  const kinds = ["Update", "Add", "Sub", "Mul", "Div", "Min", "Max"];
  const programs: Program[] = [];
  for (const kind of kinds) {
    for (const dtype of ["float32", "int32", "int64", "float64"] as const) {
      for (const resource of [false, true]) {
        const p = new Program(`${resource ? "Resource" : ""}Scatter${kind} ${dtype}`);
        const v = resource
          ? p.variableHandle(dtype)
          : p.graph.op("VariableV2", [], { dtype, shape: [3, 2] }, "v");
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
      const v = resource
        ? p.variableHandle()
        : p.graph.op("VariableV2", [], { dtype: "float32", shape: [3, 2] }, "v");
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

describe.skipIf(peerMissing("tensorflow"))("scatter updates against TensorFlow", () => {
  test("of reference and resource variables", async () => {
    expect(await differences([...scatterPrograms(), ...scatterNdPrograms()])).toEqual([]);
  }, 120_000);
});
