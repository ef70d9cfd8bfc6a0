import { describe, expect, test } from "vitest";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { differences, Program } from "../session-programs.js";

const floats = (values: number[]) => Tensor.of(values, "float32");

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

describe.skipIf(peerMissing("tensorflow"))("reference variables against TensorFlow", () => {
  test("are assigned, read, counted up and refused", async () => {
    expect(await differences(referencePrograms())).toEqual([]);
  }, 120_000);
});
