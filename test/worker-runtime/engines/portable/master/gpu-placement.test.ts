import { describe, expect, test } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { GpuKernels } from "../../../../../worker-runtime/engines/portable/gpu/gpu-kernels.js";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import {
  createLoweringRegistry,
  createUpdateRegistry,
} from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import { typeAttr } from "../../../../../worker-runtime/graph/attr-values.js";
import {
  add,
  assign,
  colocatedWith,
  constant,
  handle,
  identity,
  node,
  placeholder,
  variable,
} from "./node-makers.js";
import { devicesNamed, type SessionGraphSetup, sessionGraph, WORKER_0, WORKER_1 } from "./session-parts.js";

const GPU_0 = "/job:worker/replica:0/task:0/device:GPU:0";
const GPU_1 = "/job:worker/replica:0/task:0/device:GPU:1";
const REMOTE_GPU = "/job:worker/replica:0/task:1/device:GPU:0";

const kernels = createKernelRegistry(new GpuKernels(createLoweringRegistry(), createUpdateRegistry()));
const withGpu = devicesNamed([WORKER_0, GPU_0], [WORKER_1]);

function devices(
  nodes: readonly NodeDef[],
  { softPlacement = false, devices: given = withGpu }: SessionGraphSetup = {},
): Record<string, string> {
  return Object.fromEntries(sessionGraph(nodes, { devices: given, kernels, softPlacement }).devices);
}

const T = typeAttr("float32");

/** Text to numbers: TensorFlow has no kernel for it on GPUs, nor have we. */
function parsed(name: string, device = "", attrs = {}): NodeDef {
  return node(name, "StringToNumber", ["text"], { out_type: T, ...attrs }, device);
}

const text = placeholder("text", "/cpu:0", "string");

describe("a task with a GPU", () => {
  test("takes what it has kernels for, and leaves the rest to its CPU", () => {
    const placed = devices([
      text,
      parsed("n"),
      constant("c", 2),
      add("sum", "n", "c"),
      identity("out", "sum"),
    ]);
    expect(placed).toEqual({ text: WORKER_0, n: WORKER_0, c: GPU_0, sum: GPU_0, out: GPU_0 });
  });

  test("has variables and all that uses them on one device", () => {
    const nodes = [text, parsed("n"), variable("v"), assign("set", "v", "n"), handle("h")];
    expect(devices(nodes)).toMatchObject({ v: GPU_0, set: GPU_0, h: GPU_0, n: WORKER_0 });
    // One user without a kernel there takes the whole group to the CPU.
    const scatter = node("scatter", "SparseApplyProximalGradientDescent", ["v", "n", "n", "n", "n", "i"], {
      T,
      Tindices: typeAttr("int32"),
    });
    expect(devices([...nodes, placeholder("i", "", "int32"), scatter])).toMatchObject({
      v: WORKER_0,
      set: WORKER_0,
      scatter: WORKER_0,
      h: GPU_0,
    });
  });

  test("keeps text and int32 variables on the CPU, shapes and int32 arithmetic where their tensor is", () => {
    const int32 = typeAttr("int32");
    const placed = devices([
      constant("words", "a", "", "string"),
      { ...handle("counter"), attr: new Map([...handle("counter").attr, ["dtype", int32]]) },
      placeholder("x"),
      node("shape", "Shape", ["x"], { T, out_type: int32 }),
      node("twice", "AddV2", ["shape", "shape"], { T: int32 }),
    ]);
    expect(placed).toEqual({ words: WORKER_0, counter: WORKER_0, x: GPU_0, shape: GPU_0, twice: GPU_0 });
  });

  test("keeps a colocation group on a device that has all kernels", () => {
    const placed = devices([
      text,
      parsed("n"),
      constant("c", 1, "", "float32"),
      { ...identity("follower", "c"), attr: identity("follower", "c", "", colocatedWith("n")).attr },
    ]);
    expect(placed.follower).toBe(WORKER_0);
  });

  test("takes what asks for it, in every way of writing", () => {
    for (const device of ["/gpu:0", "/GPU:0", "/device:GPU:0", GPU_0]) {
      expect(devices([placeholder("x"), identity("y", "x", device)]).y).toBe(GPU_0);
    }
    expect(devices([placeholder("x"), add("y", "x", "x", "/cpu:0")]).y).toBe(WORKER_0);
  });

  test("refuses a node without a kernel, or gives it to the CPU where placement is soft", () => {
    const nodes = [text, parsed("n", "/gpu:0")];
    expect(() => devices(nodes)).toThrow(
      "Cannot assign a device for operation n: Could not satisfy explicit device specification '/gpu:0' because no " +
        "supported kernel for GPU devices is available.",
    );
    expect(devices(nodes, { softPlacement: true }).n).toBe(WORKER_0);
  });

  test("gives a number that it does not have to its first GPU where placement is soft", () => {
    const nodes = [placeholder("x"), identity("y", "x", "/gpu:7")];
    expect(() => devices(nodes)).toThrow(
      `{{node y}} was explicitly assigned to /gpu:7 but available devices are [ ${WORKER_0}, ${GPU_0}, ${WORKER_1} ].`,
    );
    expect(devices(nodes, { softPlacement: true }).y).toBe(GPU_0);
  });

  test("uses the first of several unless asked", () => {
    const two = { devices: devicesNamed([WORKER_0, GPU_0, GPU_1]) };
    expect(devices([placeholder("x"), identity("y", "x"), identity("z", "x", "/gpu:1")], two)).toMatchObject({
      y: GPU_0,
      z: GPU_1,
    });
  });
});

test("another task's GPU takes what asks for that task, never what asks for nothing", () => {
  const two = { devices: devicesNamed([WORKER_0], [WORKER_1, REMOTE_GPU]) };
  const nodes = [
    placeholder("x"),
    identity("y", "x", "/job:worker/task:1"),
    identity("z", "x"),
    text,
    parsed("n", "/job:worker/task:1"),
  ];
  expect(devices(nodes, two)).toMatchObject({ x: WORKER_0, y: REMOTE_GPU, z: WORKER_0, n: WORKER_1 });
});
