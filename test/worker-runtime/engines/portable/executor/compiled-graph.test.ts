import { describe, expect, test } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import {
  arg,
  binary,
  constant,
  countingLoop,
  DEVICE,
  environment,
  int,
  node,
  ret,
  text,
  type,
} from "./graph-fixture.js";

const env = environment();
const T = type("int32");
const one = constant("one", 1, "int32");

function refusal(nodes: readonly NodeDef[]): { code: number; message: string } {
  try {
    env.compile(nodes);
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "number") {
      return { code: error.code, message: error.message };
    }
    throw error;
  }
  throw new Error("The graph was compiled.");
}

describe("graphs that are not sound", () => {
  const enter = (name: string, input: string, frame: string) =>
    node("Enter", name, [input], { T, frame_name: text(frame) });
  const cases: Record<string, { nodes: NodeDef[]; message: string }> = {
    "a name used twice": { nodes: [one, one], message: "Node 'one' is not unique." },
    "an input that does not exist": {
      nodes: [node("Identity", "x", ["nobody"], { T })],
      message: "Node 'x': Unknown input node 'nobody'",
    },
    "a control input that does not exist": {
      nodes: [node("NoOp", "x", ["^nobody"])],
      message: "Node 'x': Unknown input node '^nobody'",
    },
    "an output that does not exist": {
      nodes: [one, node("Identity", "x", ["one:3"], { T })],
      message: "Connecting to invalid output 3 of source node one which has 1 outputs.",
    },
    "too few inputs": {
      nodes: [one, node("AddV2", "x", ["one"], { T })],
      message: "NodeDef expected inputs 'int32, int32' do not match 1 inputs specified",
    },
    "too many inputs": {
      nodes: [one, node("Identity", "x", ["one", "one"], { T })],
      message: "NodeDef expected inputs 'int32' do not match 2 inputs specified",
    },
    "a data input behind a control input": {
      nodes: [one, node("Identity", "x", ["^one", "one"], { T })],
      message: "Control dependencies must come after regular dependencies",
    },
    "dtypes that do not fit": {
      nodes: [one, node("Identity", "x", ["one"], { T: type("float32") })],
      message: "Input 0 of node x was passed int32 from one:0 incompatible with expected float.",
    },
    "a value where a reference is wanted": {
      nodes: [one, node("RefIdentity", "x", ["one"], { T })],
      message: "was passed int32 from one:0 incompatible with expected int32_ref",
    },
    "no dtype": { nodes: [one, node("AddV2", "x", ["one", "one"])], message: "NodeDef has no dtype for 'x'" },
    "a cycle": {
      nodes: [
        node("Identity", "a", ["c"], { T }),
        node("Identity", "b", ["a"], { T }),
        node("Identity", "c", ["b"], { T }),
        node("Identity", "behind", ["c"], { T }),
      ],
      message: "Graph is invalid, contains a cycle with 3 nodes, including: b, c, a",
    },
    "a node that waits for itself": {
      nodes: [node("NoOp", "a", ["^a"])],
      message: "contains a cycle with 1 nodes, including: a",
    },
    "frames mixed up": {
      nodes: [one, enter("e", "one", "f"), binary("AddV2", "x", "one", "e", "int32")],
      message:
        "{{node x}} has inputs from different frames. The input {{node e}} is in frame 'f'. The input {{node one}} is in frame ''.",
    },
    "one frame in two places": {
      nodes: [one, enter("e", "one", "f"), enter("g", "e", "h"), enter("again", "g", "f")],
      message: 'Invalid loop structure: Mismatched parent frames for "f"',
    },
    "an exit out of nothing": {
      nodes: [one, node("Exit", "x", ["one"], { T })],
      message: "Invalid Exit op: Cannot find a corresponding Enter op.",
    },
    "a back edge out of no loop": {
      nodes: [
        one,
        node("Merge", "m", ["one", "n"], { T, N: int(2) }),
        node("NextIteration", "n", ["m"], { T }),
      ],
      message: "Invalid loop structure: {{node n}} leads to {{node m}} of another frame.",
    },
    "a list longer than any memory": {
      nodes: [one, node("Split", "s", ["one", "one"], { T, num_split: int(1n << 62n) })],
      message: "Value for attr 'num_split' of 4611686018427387904 must be",
    },
    "results that leave indices out": {
      nodes: [one, ret("one", 1 << 30, "int32")],
      message: "A graph with 1 results has one of index 1073741824.",
    },
    "two results of one index": {
      nodes: [one, ret("one", 0, "int32"), { ...ret("one", 0, "int32"), name: "again" }],
      message: "{{node again}} is a second result of index 0.",
    },
    "an index below 0": { nodes: [arg("x", -1, "int32")], message: "has the index -1" },
    "a constant of another dtype": {
      nodes: [{ ...one, attr: new Map([...one.attr, ["dtype", { value: type("float32") }]]) }],
      message: "Type mismatch between value (int32) and dtype (float)\n\t [[{{node one}}]]",
    },
  };

  test.each(Object.entries(cases))("%s", (_, { nodes, message }) => {
    const { code, message: said } = refusal(nodes);
    expect(said).toContain(message);
    expect(code).toBe(StatusCode.INVALID_ARGUMENT);
  });

  test("every node without a kernel is named at once, with the way out", () => {
    const float = type("float32");
    const { code, message } = refusal([
      one,
      node("Cos", "a/cos", ["f"], { T: float }),
      node("Cos", "b/cos", ["f"], { T: float }),
      constant("f", 1, "float32"),
      node("NoSuchOp", "odd"),
      { ...node("NoOp", "far"), device: "/device:GPU:1" },
    ]);
    expect(code).toBe(StatusCode.UNIMPLEMENTED);
    expect(message).toContain(
      "No OpKernel was registered to support Op 'Cos' used by {{node a/cos}}, {{node b/cos}}\n",
    );
    expect(message).toContain("'NoSuchOp' (Op type not registered");
    expect(message).toContain("'NoOp' on GPU (it runs on CPU) used by {{node far}}");
    expect(message).toContain("--engine tensorflow");
  });
});

test("nodes learn their full device", () => {
  const { nodes, devices } = env.compile([
    one,
    { ...constant("two", 2, "int32"), device: "/cpu:1" },
    { ...constant("three", 3, "int32"), device: "/job:worker/replica:0/task:0/device:CPU:0" },
  ]);
  const second = "/job:worker/replica:0/task:0/device:CPU:1";
  expect(nodes.map(({ node: { device } }) => device)).toEqual([DEVICE, second, DEVICE]);
  expect(devices).toEqual([DEVICE, second]);
});

test("nodes of a loop belong to its frame", () => {
  const { nodes, root } = env.compile([
    constant("zero", 0, "int32"),
    constant("limit", 2, "int32"),
    ...countingLoop("zero", "limit"),
    ret("while/Exit", 0, "int32"),
  ]);
  const names = (frame: string) =>
    nodes.filter((compiled) => compiled.frame.name === frame).map(({ node: { name } }) => name);
  expect(names("")).toEqual(["zero", "limit", "while/Enter", "while/limit", "ret0"]);
  expect(names("while")).toHaveLength(9);
  expect(root.nodes).toHaveLength(5);
});
