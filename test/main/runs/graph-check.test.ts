import { describe, expect, it } from "vitest";
import { ProblemError } from "../../../main/api/wire.js";
import { checkGraph } from "../../../main/runs/graph-check.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";

function node(name: string, op: string, ...input: string[]): NodeDef {
  const type = { value: { $case: "type" as const, value: DataType.DT_FLOAT } };
  return NodeDef.fromPartial({
    name,
    op,
    input,
    attr: new Map([
      ["T", type],
      ["dtype", type],
    ]),
  });
}

function check(nodes: NodeDef[], fetches: string[], targets: string[] = []) {
  return checkGraph({
    graph: GraphDef.encode(GraphDef.fromPartial({ node: nodes })).finish(),
    feeds: [],
    fetches,
    targets,
    steps: 1,
    trace: false,
    softPlacement: true,
    logDevicePlacement: false,
  });
}

function problemOfCheck(...given: Parameters<typeof check>) {
  try {
    check(...given);
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
  }
  throw new Error("no problem was found");
}

describe("a graph that cannot be run", () => {
  it("because nodes depend on each other says which, in the direction of the data", () => {
    const nodes = [
      node("before", "Const"),
      node("a", "AddV2", "before", "c"),
      node("b", "Neg", "a"),
      node("c", "Neg", "b", "^before"),
      node("after", "Neg", "c"),
    ];
    const problem = problemOfCheck(nodes, ["after"]);
    expect(problem.message).toMatch(/^[abc] depends on itself through other nodes\.$/);
    expect(problem.reason).toMatch(/a → b → c → a|b → c → a → b|c → a → b → c/);
    expect(["a", "b", "c"]).toContain(problem.node);
  });

  it("because a node depends on itself says so, also for a control input", () => {
    expect(problemOfCheck([node("a", "Neg", "a")], ["a"])).toMatchObject({
      message: "a depends on itself.",
      node: "a",
    });
    expect(problemOfCheck([node("a", "NoOp", "^a")], [], ["a"]).node).toBe("a");
  });

  it("because the output that is fetched is not there or is a handle names the node", () => {
    expect(problemOfCheck([node("a", "Const")], ["a:3"])).toMatchObject({
      message: "a has no output 3.",
      node: "a",
    });
    expect(problemOfCheck([node("v", "VarHandleOp")], ["v"])).toMatchObject({
      message: "v:0 has no value that could be fetched.",
      remedy: expect.stringContaining("ReadVariableOp"),
      node: "v",
    });
  });
});

describe("a graph that can be run", () => {
  it("may go back to itself in a loop", () => {
    const nodes = [
      node("start", "Const"),
      node("enter", "Enter", "start"),
      node("merge", "Merge", "enter", "next"),
      node("next", "NextIteration", "merge"),
      node("exit", "Exit", "merge"),
    ];
    expect(check(nodes, ["exit"]).fetches).toEqual(["exit:0"]);
  });

  it("may have ops that are not known here", () => {
    expect(check([node("own", "MyOwnOp")], ["own:2"]).fetches).toEqual(["own:2"]);
  });
});
