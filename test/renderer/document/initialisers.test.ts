import { describe, expect, it } from "vitest";
import { giveFirstValue } from "../../../renderer/document/edits/first-value.js";
import { initialisation, isUninitialised } from "../../../renderer/document/initialisers.js";
import { findProblems } from "../../../renderer/document/problems.js";
import { chosenRun } from "../../../renderer/document/run-inputs.js";
import { inferShapes } from "../../../renderer/document/shapes.js";
import { tensorFromProto } from "../../../worker-runtime/protocol/tensor.js";
import { constant, documentOf, edited, lookup, node, placeholder, reasonOf, type } from "./graphs.js";

function variable(name: string, dims: readonly number[] = []) {
  const dim = dims.map((size) => ({ size: BigInt(size), name: "" }));
  return node(
    name,
    "VariableV2",
    [],
    { dtype: type("float32"), shape: { value: { $case: "shape", value: { dim, unknownRank: false } } } },
    "/job:ps/task:0",
  );
}

const assign = (name: string, to: string, value: string) =>
  node(name, "Assign", [to, value], { T: type("float32") });
const read = (name: string, of: string) => node(name, "Identity", [of], { T: type("float32") });

describe("what has to run before variables can be read", () => {
  const nodes = documentOf([
    constant("zero", "0"),
    placeholder("value"),
    variable("v"),
    variable("w"),
    variable("unused"),
    assign("set_v", "v", "value"),
    assign("v/Assign", "v", "zero"),
    assign("w_init", "w", "zero"),
    assign("unused/Assign", "unused", "zero"),
    node("restored", "RestoreV2", ["path", "names", "slices"]),
    assign("save/Assign", "v", "restored"),
    assign("save/Assign_1", "w", "restored"),
    node("save/restore_all", "NoOp", ["^save/Assign", "^save/Assign_1"]),
    read("v/read", "v"),
    read("w/read", "w"),
    read("unused/read", "unused"),
  ]).nodes;

  it("is the assignment of a first value, not one by hand or from a checkpoint", () => {
    expect(initialisation(nodes, ["v/read"])).toEqual({ targets: ["v/Assign"], missing: [] });
    expect(initialisation(nodes, ["v/read", "w/read"]).targets.toSorted()).toEqual(["v/Assign", "w_init"]);
  });

  it("is the group that runs all of them, also through groups of groups; the smallest one", () => {
    const grouped = new Map(nodes);
    const add = (one: ReturnType<typeof node>) => grouped.set(one.name, one);
    add(node("group/ps0", "NoOp", ["^v/Assign", "^w_init"]));
    add(node("init_all", "NoOp", ["^group/ps0", "^unused/Assign"]));
    add(node("init", "NoOp", ["^group/ps0"]));
    expect(initialisation(grouped, ["v/read", "w/read"]).targets).toEqual(["group/ps0"]);
    expect(initialisation(grouped, ["v/read", "unused/read"]).targets).toEqual(["init_all"]);
  });

  it("names variables that nothing gives a value, and nothing where no variable is needed", () => {
    const bare = documentOf([variable("v"), read("r", "v"), constant("c", "1")]).nodes;
    expect(initialisation(bare, ["r"])).toEqual({ targets: [], missing: ["v"] });
    expect(initialisation(bare, ["c"])).toEqual({ targets: [], missing: [] });
  });
});

describe("giving a variable a first value", () => {
  it("adds zeros of its shape on its device and the node that assigns them", () => {
    const before = documentOf([variable("v", [2, 3]), read("r", "v")]);
    const after = edited(before, giveFirstValue(before, lookup, ["v"]));
    expect([...after.nodes.keys()]).toEqual(["v", "r", "v/initial_value", "v/Assign"]);
    expect(after.nodes.get("v/Assign")).toMatchObject({
      input: ["v", "v/initial_value"],
      device: "/job:ps/task:0",
    });
    expect(initialisation(after.nodes, ["r"])).toEqual({ targets: ["v/Assign"], missing: [] });
    const value = after.nodes.get("v/initial_value")?.attr.get("value")?.value;
    if (value?.$case !== "tensor") throw new Error("no value");
    expect(tensorFromProto(value.value).toArray()).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    const shapes = inferShapes(after.nodes, lookup);
    expect(shapes.outputs.get("v/initial_value")?.[0]).toEqual([2, 3]);
    expect(findProblems(after, lookup, shapes, true).size).toBe(0);
  });

  it("is not done in every run", () => {
    const before = documentOf([variable("v"), read("r", "v")]);
    const after = edited(before, giveFirstValue(before, lookup, ["v"]));
    expect(chosenRun(after, lookup).fetches).toEqual(["r:0"]);
  });

  it("works for resource variables", () => {
    const { attr } = variable("v", [4]);
    const handle = { ...node("v", "VarHandleOp"), attr };
    const before = documentOf([handle, node("r", "ReadVariableOp", ["v"], { dtype: type("float32") })]);
    const after = edited(before, giveFirstValue(before, lookup, ["v"]));
    expect(after.nodes.get("v/Assign")?.op).toBe("AssignVariableOp");
    expect(findProblems(after, lookup, inferShapes(after.nodes, lookup), true).size).toBe(0);
  });

  it("asks for a shape where there is none", () => {
    const before = documentOf([variable("v", [-1])]);
    expect(reasonOf(giveFirstValue(before, lookup, ["v"]))).toMatch(/v has no fixed shape/);
  });
});

it("recognises TensorFlow's words for a variable without a value", () => {
  const problem = (code: string, message: string, details?: string) => ({
    code,
    message,
    ...(details === undefined ? {} : { details }),
  });
  expect(isUninitialised(problem("FAILED_PRECONDITION", "Attempting to use uninitialized value v"))).toBe(
    true,
  );
  expect(
    isUninitialised(
      problem(
        "FAILED_PRECONDITION",
        "r failed",
        "Error while reading resource variable v from Container: localhost",
      ),
    ),
  ).toBe(true);
  expect(isUninitialised(problem("FAILED_PRECONDITION", "The queue is closed"))).toBe(false);
  expect(isUninitialised(problem("INVALID_ARGUMENT", "uninitialized value"))).toBe(false);
});
