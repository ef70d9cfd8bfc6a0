import { describe, expect, test } from "vitest";
import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { FunctionDef } from "../../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../../../protos/generated/tensorflow/types.js";
import { lowerFunctions } from "../../../../../worker-runtime/engines/portable/master/lower-functions.js";
import { typeAttr } from "../../../../../worker-runtime/graph/attr-values.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { callNode, caseNode, ifNode, unaryFunction, whileNode } from "./function-makers.js";
import { constant, functionAttr, handle, node } from "./node-makers.js";
import { kernels } from "./session-parts.js";

function lowered(functions: readonly FunctionDef[], ...nodes: NodeDef[]): Map<string, NodeDef> {
  const library = { function: [...functions], gradient: [], registeredGradients: [] };
  const ops = bundledOpRegistry().withFunctions(library);
  return new Map(lowerFunctions(nodes, library, { ops, facts: kernels }).map((node) => [node.name, node]));
}

function outline(nodes: ReadonlyMap<string, NodeDef>): string[] {
  return [...nodes.values()].map(({ name, op, input }) => `${name} = ${op}(${input.join(", ")})`);
}

test("a function that says nothing of tasks stays a call", () => {
  const nodes = lowered([unaryFunction("f", "Mul", 2, "/cpu:0")], constant("k", 1), callNode("c", "f", "k"));
  expect(nodes.get("c")?.op).toBe("PartitionedCall");
});

test("a call becomes its body, under a node of its name", () => {
  const nodes = lowered([unaryFunction("f", "Mul", 2, "/task:1")], constant("k", 1), {
    ...callNode("c", "f", "k", "/job:ps/device:CPU:0"),
    input: ["k", "^k"],
  });
  expect(outline(nodes)).toEqual([
    "k = Const()",
    "c/start = NoOp(^k)",
    "c/body/x = Identity(k)",
    "c/body/value = Const(^c/start)",
    "c/body/result = Mul(c/body/x, c/body/value)",
    "c = IdentityN(c/body/result, ^c/start)",
  ]);
  // The caller says what the body does not.
  expect(nodes.get("c/body/result")?.device).toBe("/job:ps/task:1/device:CPU:0");
});

test("an If becomes Switches and Merges", () => {
  const functions = [unaryFunction("double", "Mul", 2, "/task:1"), unaryFunction("half", "Mul", 0.5)];
  const nodes = lowered(
    functions,
    constant("p", true, "", "bool"),
    constant("k", 1),
    ifNode("c", "p", "k", "double", "half"),
  );
  expect(nodes.get("c/then/x")?.input).toEqual(["c/switch_0:1"]);
  expect(nodes.get("c/else/x")?.input).toEqual(["c/switch_0"]);
  expect(nodes.get("c/merge_0")?.input).toEqual(["c/else/result", "c/then/result"]);
  // A constant of a branch runs only where the branch does.
  expect(nodes.get("c/then/value")?.input).toEqual(["^c/then_pivot"]);
  expect(nodes.get("c")?.input).toEqual(["c/merge_0", "^c/done"]);
});

test("a condition that is no boolean is made one by its truth", () => {
  const functions = [unaryFunction("double", "Mul", 2, "/task:1"), unaryFunction("half", "Mul", 0.5)];
  const choice = ifNode("c", "p", "k", "double", "half");
  choice.attr.set("Tcond", typeAttr("int32"));
  const nodes = lowered(functions, constant("p", 3, "", "int32"), constant("k", 1), choice);
  expect(nodes.get("c/truth")).toMatchObject({ op: "ToBool", input: ["p"] });
  expect(nodes.get("c/decision")?.input).toEqual(["c/truth", "c/truth"]);
  expect(nodes.get("c/switch_0")?.input).toEqual(["k", "c/truth"]);
});

test("a loop goes on by the truth of what its condition answers", () => {
  const functions = [unaryFunction("rest", "Sub", 1), unaryFunction("less", "Sub", 2, "/task:1")];
  const nodes = lowered(functions, constant("k", 1), whileNode("w", "k", "rest", "less"));
  expect(nodes.get("w/truth")).toMatchObject({ op: "ToBool", input: ["w/cond/result"] });
  expect(nodes.get("w/condition")?.input).toEqual(["w/truth"]);
});

test("a Case becomes _SwitchNs and Merges of as many ends as it has branches", () => {
  const functions = [
    unaryFunction("double", "Mul", 2, "/task:1"),
    unaryFunction("half", "Mul", 0.5),
    unaryFunction("more", "Add", 1),
  ];
  const index = constant("p", 1, "", "int32");
  const choice = caseNode("c", "p", "k", "double", "half", "more");
  const nodes = lowered(functions, index, constant("k", 1), { ...choice, input: [...choice.input, "^k"] });
  expect(nodes.get("c/decision")).toMatchObject({ op: "_SwitchN", input: ["p", "p", "^k"] });
  expect(nodes.get("c/switch_0")).toMatchObject({ op: "_SwitchN", input: ["k", "p"] });
  for (const name of ["c/decision", "c/switch_0"]) {
    expect(nodes.get(name)?.attr.get("num_outs")?.value).toEqual({ $case: "i", value: 3n });
  }
  expect([0, 1, 2].map((i) => nodes.get(`c/branch${i}/x`)?.input)).toEqual([
    ["c/switch_0"],
    ["c/switch_0:1"],
    ["c/switch_0:2"],
  ]);
  // A constant of a branch runs only where the branch does.
  expect(nodes.get("c/branch2_pivot")?.input).toEqual(["c/decision:2"]);
  expect(nodes.get("c/branch2/value")?.input).toEqual(["^c/branch2_pivot"]);
  const ends = ["c/branch0/result", "c/branch1/result", "c/branch2/result"];
  expect(nodes.get("c/merge_0")).toMatchObject({ op: "Merge", input: ends });
  expect(nodes.get("c/merge_0")?.attr.get("N")?.value).toEqual({ $case: "i", value: 3n });
  expect(nodes.get("c/done")?.input).toEqual(["c/branch0_done", "c/branch1_done", "c/branch2_done"]);
  expect(nodes.get("c")?.input).toEqual(["c/merge_0", "^c/done"]);
});

test("a Case without a branch is for its worker to refuse", () => {
  const functions = [unaryFunction("double", "Mul", 2, "/task:1")];
  const index = constant("p", 0, "", "int32");
  const nodes = lowered(functions, index, constant("k", 1), caseNode("c", "p", "k"));
  expect(nodes.get("c")?.op).toBe("StatelessCase");
});

test("a While becomes a loop", () => {
  const functions = [unaryFunction("below", "Less", 10), unaryFunction("double", "Mul", 2, "/task:1")];
  const nodes = lowered(functions, constant("k", 1), whileNode("w", "k", "below", "double"));
  expect(nodes.get("w/merge_0")?.input).toEqual(["w/enter_0", "w/next_0"]);
  expect(nodes.get("w/condition")?.input).toEqual(["w/cond/result"]);
  expect(nodes.get("w/switch_0")?.input).toEqual(["w/merge_0", "w/condition"]);
  expect(nodes.get("w/next_0")?.input).toEqual(["w/body/result"]);
  expect(nodes.get("w")?.input).toEqual(["w/exit_0"]);
});

test("functions within functions are lowered, too, but not without end", () => {
  const outer = unaryFunction("outer", "Mul", 2);
  const calls = (callee: string): FunctionDef => ({
    ...outer,
    nodeDef: [callNode("result", callee, "x")],
    ret: new Map([["y", "result:output:0"]]),
  });
  const nodes = lowered(
    [calls("inner"), unaryFunction("inner", "Mul", 2, "/task:1")],
    constant("k", 1),
    callNode("c", "outer", "k"),
  );
  expect(nodes.get("c/body/result/body/result")?.op).toBe("Mul");
  const endless = { ...calls("outer"), nodeDef: [callNode("result", "outer", "x", "/task:1")] };
  expect(() => lowered([endless], constant("k", 1), callNode("c", "outer", "k"))).toThrow("endlessly");
});

describe("a call with variables", () => {
  const sum = FunctionDef.fromPartial({
    signature: {
      name: "sum",
      inputArg: [
        { name: "a", type: DataType.DT_RESOURCE },
        { name: "b", type: DataType.DT_RESOURCE },
      ],
      outputArg: [{ name: "y", type: DataType.DT_FLOAT }],
    },
    nodeDef: [
      node("x", "ReadVariableOp", ["a"], { dtype: typeAttr("float32") }),
      node("y", "ReadVariableOp", ["b"], { dtype: typeAttr("float32") }),
      node("z", "AddV2", ["x:value:0", "y:value:0"], { T: typeAttr("float32") }),
    ],
    ret: new Map([["y", "z:z:0"]]),
  });
  const call = node("c", "StatefulPartitionedCall", ["v", "same"], {
    f: functionAttr("sum"),
  });
  const same = node("same", "Identity", ["w"], { T: typeAttr("resource") });

  test("of several tasks becomes its body", () => {
    const nodes = lowered([sum], handle("v", "/job:ps/task:0"), handle("w", "/job:ps/task:1"), same, call);
    expect(nodes.get("c/body/z")?.input).toEqual(["c/body/x", "c/body/y"]);
  });

  test("of one task stays a call, and so does one whose variables may be anywhere", () => {
    for (const device of ["/job:ps/task:0", "/cpu:0", ""]) {
      const nodes = lowered([sum], handle("v", "/job:ps/task:0"), handle("w", device), same, call);
      expect(nodes.get("c")?.op).toBe("StatefulPartitionedCall");
    }
  });

  test("of a graph that is extended becomes its body, too", () => {
    const before = new Map(
      [handle("v", "/job:ps/task:0"), handle("w", "/job:ps/task:1"), same].map((one) => [one.name, one]),
    );
    const library = { function: [sum], gradient: [], registeredGradients: [] };
    const ops = bundledOpRegistry().withFunctions(library);
    const nodes = lowerFunctions([call], library, { ops, facts: kernels }, (name) => before.get(name));
    expect(nodes.map(({ name }) => name)).toContain("c/body/z");
  });

  test("and a loop: handles are taken anew in every iteration, and leave it as they came", () => {
    const condition = unaryWithHandles("goesOn", "Less", DataType.DT_BOOL);
    const body = unaryWithHandles("turn", "AddV2", DataType.DT_FLOAT);
    const loop = node("loop", "While", ["k", "v", "w"], {
      T: typeListAttr([DataType.DT_FLOAT, DataType.DT_RESOURCE, DataType.DT_RESOURCE]),
      cond: functionAttr("goesOn"),
      body: functionAttr("turn"),
    });
    const after = node("after", "ReadVariableOp", ["loop:2"], { dtype: typeAttr("float32") });
    const nodes = lowered(
      [condition, body],
      constant("k", 1),
      handle("v", "/job:ps/task:0"),
      handle("w", "/job:ps/task:1"),
      loop,
      after,
    );
    expect(nodes.get("loop/cond_handle_1")?.input).toEqual(["loop/enter_1", "^loop/merge_0"]);
    expect(nodes.get("loop/body_handle_2")?.input).toEqual(["loop/enter_2", "^loop/body_pivot"]);
    expect(nodes.get("loop/body/b")?.input).toEqual(["loop/body_handle_2"]);
    expect(nodes.get("after")?.input).toEqual(["w"]);
    expect(nodes.get("loop")?.input.slice(0, 3)).toEqual(["loop/exit_0", "loop/exit_0", "loop/exit_0"]);
  });
});

/** x op b, where b is read from the second of two variables; a body answers the variables, too. */
function unaryWithHandles(name: string, op: string, type: DataType): FunctionDef {
  const handles = ["a", "b"].map((arg) => ({ name: arg, type: DataType.DT_RESOURCE }));
  const isBody = type === DataType.DT_FLOAT;
  return FunctionDef.fromPartial({
    signature: {
      name,
      inputArg: [{ name: "x", type: DataType.DT_FLOAT }, ...handles],
      outputArg: [
        { name: "y", type },
        ...(isBody ? handles.map((arg) => ({ ...arg, name: `${arg.name}_out` })) : []),
      ],
    },
    nodeDef: [
      node("read", "ReadVariableOp", ["b"], { dtype: typeAttr("float32") }),
      node("result", op, ["x", "read:value:0"], { T: typeAttr("float32") }),
    ],
    ret: new Map([
      ["y", "result:z:0"],
      ...(isBody
        ? ([
            ["a_out", "a"],
            ["b_out", "b"],
          ] as const)
        : []),
    ]),
  });
}

function typeListAttr(type: DataType[]): AttrValue {
  const list = { s: [], i: [], f: [], b: [], type, shape: [], tensor: [], func: [] };
  return { value: { $case: "list", value: list } };
}
