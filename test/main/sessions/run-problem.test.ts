import { describe, expect, it } from "vitest";
import { runProblem } from "../../../main/sessions/run-problem.js";
import { StatusCode, TensorFlowError } from "../../../worker-runtime/protocol/status.js";

const context = {
  nodes: new Set(["x", "model/dense/MatMul", "counter", "input"]),
  stepTimeoutMillis: undefined,
  taskAt: (address: string) => (address === "localhost:2223" ? "worker/1" : undefined),
};

const explain = (code: StatusCode, message: string) =>
  runProblem(new TensorFlowError(code, message), context);

// The texts are those of TensorFlow 2.21.
describe("an error of TensorFlow", () => {
  it("names task and node, and says why and what to do", () => {
    const message =
      "From /job:worker/replica:0/task:1:\nMatrix size-incompatible: In[0]: [2,3], In[1]: [2,3]\n\t [[{{node model/dense/MatMul}}]]";
    expect(explain(StatusCode.INVALID_ARGUMENT, message)).toEqual({
      code: "INVALID_ARGUMENT",
      message: "model/dense/MatMul failed on worker/1: Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3].",
      reason: "The shapes of the node's inputs do not fit together.",
      remedy: expect.stringContaining("reshape"),
      details: message,
      node: "model/dense/MatMul",
      task: "worker/1",
    });
  });

  it.each([
    ["{{function_node __wrapped__AddV2}} Incompatible shapes: [2] vs. [3] [Op:AddV2]", undefined, /shapes/],
    ["You must feed a value for placeholder tensor 'input' with dtype int32", "input", /placeholder/],
    ["Attempting to use uninitialized value counter\n\t [[{{node x}}]]", "x", /no value yet/],
    ["Op type not registered 'Foo' in binary running on vm.", undefined, /does not have this op/],
    ["Input 1 of node x was passed float from input:0 incompatible with expected int32.", "x", /dtype/],
    ["Cannot assign a device for operation x: x was explicitly assigned to /job:ps/task:9", "x", /device/],
    ["OOM when allocating tensor with shape[100000,100000]", undefined, /memory/],
    ["Session 12ab is not found.", undefined, /started anew/],
    ["indices[0] = 5 is not in [0, 3)\n\t [[{{node x}}]]", "x", /index/],
  ])("%s", (message, node, reason) => {
    const problem = explain(StatusCode.INVALID_ARGUMENT, message);
    expect(problem.node).toBe(node);
    expect(problem.reason).toMatch(reason);
    expect(problem.remedy).toBeDefined();
  });

  it("finds the task by its address", () => {
    const message =
      "failed to connect to all addresses; last error: UNKNOWN: localhost:2223: Connection refused";
    expect(explain(StatusCode.UNAVAILABLE, message)).toMatchObject({ task: "worker/1", code: "UNAVAILABLE" });
  });

  it("does not name nodes that are not the user's", () => {
    expect(explain(StatusCode.INTERNAL, "It broke.\n\t [[{{node x_S3}}]]").node).toBeUndefined();
  });

  it("that nothing fits is shown as it is, cut short in the headline only", () => {
    const long = `Something ${"very ".repeat(200)}odd`;
    const problem = explain(StatusCode.INTERNAL, long);
    expect(problem.message.length).toBeLessThan(400);
    expect(problem.details).toBe(long);
    expect(problem.remedy).toBeUndefined();
  });

  it("at the user's own limit says so", () => {
    const error = new TensorFlowError(StatusCode.DEADLINE_EXCEEDED, "x");
    expect(runProblem(error, { ...context, stepTimeoutMillis: 1500 }).message).toBe(
      "The step did not end within its time limit of 1.5 s.",
    );
  });
});
