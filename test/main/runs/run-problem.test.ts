import { describe, expect, it } from "vitest";
import { runProblem } from "../../../main/runs/run-problem.js";
import { StatusCode, TensorFlowError } from "../../../worker-runtime/protocol/status.js";

const context = {
  nodes: new Map(
    ["x", "model/dense/MatMul", "counter", "input"].map((name) => [name, { op: `Op of ${name}` }]),
  ),
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
      reason: "The shapes of the node's inputs are incompatible.",
      remedy: expect.stringContaining("reshape"),
      details: message,
      node: "model/dense/MatMul",
      task: "worker/1",
    });
  });

  it("names the task that a node is pinned to, not one that the failure spread to", () => {
    const message =
      "From /job:ps/replica:0/task:0:\nNumber of ways to split should evenly divide the split dimension\n\t [[{{node parts}}]]\n\t [[sum_S10]]";
    const nodes = new Map([["parts", { op: "Split", device: "/job:worker/task:0" }]]);
    const of = (code: StatusCode) => runProblem(new TensorFlowError(code, message), { ...context, nodes });
    expect(of(StatusCode.INVALID_ARGUMENT)).toMatchObject({
      message: expect.stringMatching(/^parts failed on worker\/0: Number of ways/),
      task: "worker/0",
    });
    expect(of(StatusCode.UNAVAILABLE).task).toBe("ps/0");
  });

  it("lists all ops that the portable engine lacks", () => {
    const message =
      "From /job:worker/replica:0/task:1:\nThe portable engine cannot run this graph:\n" +
      "No OpKernel was registered to support Op 'Svd' used by {{node x}}, {{node counter}} and 2 more\n" +
      "No OpKernel was registered to support Op 'Qr' with these attrs: [T=half] used by {{node input}}\n" +
      "Start the worker with TensorFlow's own engine (--engine tensorflow), or place these nodes elsewhere.";
    expect(explain(StatusCode.UNIMPLEMENTED, message)).toMatchObject({
      message: "x failed on worker/1: The portable engine cannot run this graph.",
      reason: "It has no kernel for 'Svd' (x, counter and 2 more), 'Qr' with these attrs: [T=half] (input).",
      remedy: expect.stringContaining("TensorFlow engine"),
      node: "x",
    });
  });

  it.each([
    ["{{function_node __wrapped__AddV2}} Incompatible shapes: [2] vs. [3] [Op:AddV2]", undefined, /shapes/],
    ["Number of ways to split should evenly divide the split dimension\n\t [[{{node x}}]]", "x", /multiple/],
    ["You must feed a value for placeholder tensor 'input' with dtype int32", "input", /placeholder/],
    ["Attempting to use uninitialized value counter\n\t [[{{node x}}]]", "x", /no value yet/],
    ["Op type not registered 'Foo' in binary running on vm.", undefined, /does not have this op/],
    ["Input 1 of node x was passed float from input:0 incompatible with expected int32.", "x", /dtype/],
    ["Cannot assign a device for operation x: x was explicitly assigned to /job:ps/task:9", "x", /device/],
    [
      "Fused conv implementation does not support grouped convolutions for now.\n\t [[{{node x}}]]",
      "x",
      /^This convolution is grouped/,
    ],
    [
      "filter_size does not have enough elements, requested 216, got 108\n\t [[{{node x}}]]",
      "x",
      /^This convolution is grouped/,
    ],
    [
      "The Conv2D op currently only supports the NHWC tensor format on the CPU. The op was given the format: NCHW\n\t [[{{node x}}]]",
      "x",
      /channels first/,
    ],
    ["Default MaxPoolingOp only supports NHWC on device type CPU\n\t [[{{node x}}]]", "x", /channels first/],
    ["Default Pooling3DOp only supports NDHWC on device type CPU\n\t [[{{node x}}]]", "x", /channels first/],
    [
      "Depthwise convolution on CPU is only supported for NHWC format\n\t [[{{node x}}]]",
      "x",
      /channels first/,
    ],
    ["OOM when allocating tensor with shape[100000,100000]", undefined, /memory/],
    ["Session 12ab is not found.", undefined, /restarted/],
    [
      'The same RunGraph (Worker) request was received twice. graph_handle: "g" step_id: 5 request_id: 7',
      undefined,
      /by chance/,
    ],
    ["Op type not registered 'Op of x' in binary running on vm.", "x", /does not have this op/],
    ["Input 1 of node x does not exist. Node only has 1 inputs.", "x", /fewer inputs/],
    ["Integer division by zero\n\t [[{{node x}}]]", "x", undefined],
    ["/nowhere; No such file or directory\n\t [[{{node x}}]]", "x", /machine/],
    ["indices[0] = 5 is not in [0, 3)\n\t [[{{node x}}]]", "x", /index/],
  ])("%s", (message, node, reason) => {
    const problem = explain(StatusCode.INVALID_ARGUMENT, message);
    expect(problem.node).toBe(node);
    if (reason) expect(problem.reason).toMatch(reason);
    else expect(problem.reason).toBeUndefined();
    expect(problem.remedy).toBeDefined();
  });

  it("is explained by itself, not by what the worker's log says of earlier steps", () => {
    const message =
      "From /job:worker/replica:0/task:1:\n/nowhere; No such file or directory\n\t [[{{node x}}]]\n" +
      "Recent warning and error logs:\n  W0000 00:00:1795250810.1 1 bfc.cc:5] ran out of memory\n  Incompatible shapes";
    const problem = explain(StatusCode.NOT_FOUND, message);
    expect(problem).toMatchObject({
      node: "x",
      reason: expect.stringMatching(/^The file/),
      details: message,
    });
  });

  it("has no lines in its headline that only say where it came from", () => {
    const message =
      "From /job:worker/replica:0/task:1:\nFrom /job:worker/replica:0/task:0:\nNo attr named 'T' in NodeDef:";
    expect(explain(StatusCode.NOT_FOUND, message).message).toBe(
      "The step failed on worker/1: No attr named 'T' in NodeDef.",
    );
  });

  it("has TensorFlow's first sentence in its headline", () => {
    const message =
      "Op type not registered 'Foo' in binary running on vm. Make sure the Op and Kernel are registered in the binary running in this process.";
    expect(explain(StatusCode.NOT_FOUND, message).message).toBe(
      "The step failed: Op type not registered 'Foo' in binary running on vm.",
    );
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
