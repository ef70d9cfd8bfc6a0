import { expect, test } from "vitest";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { KernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { withoutPauses } from "../../../../../worker-runtime/engines/portable/pauses.js";
import { typeAttr } from "../../../../../worker-runtime/graph/attr-values.js";
import {
  add,
  assign,
  colocatedWith,
  constant,
  graphOf,
  handle,
  identity,
  node,
  placeholder,
  variable,
} from "./node-makers.js";
import {
  devicesNamed,
  PS_0,
  type SessionGraphSetup,
  sessionGraph,
  WORKER_0,
  WORKER_1,
} from "./session-parts.js";

function devices(nodes: readonly NodeDef[], setup?: SessionGraphSetup): Record<string, string> {
  return Object.fromEntries(sessionGraph(nodes, setup).devices);
}

test("a node without a device goes to the master's own task, a partial name to the first that fits", () => {
  const placed = devices([
    placeholder("a"),
    placeholder("b", "/job:ps"),
    placeholder("c", "/task:1"),
    placeholder("d", "/cpu:0"),
    placeholder("e", "/job:worker/replica:0/task:1/device:CPU:0"),
  ]);
  expect(placed).toEqual({ a: WORKER_0, b: PS_0, c: WORKER_1, d: WORKER_0, e: WORKER_1 });
});

test("_class keeps nodes together, over names that come later and over several steps", () => {
  const placed = devices([
    identity("a", "k", "", colocatedWith("b")),
    constant("k", 1),
    identity("b", "k", "", colocatedWith("c")),
    identity("c", "k", "/job:ps"),
  ]);
  expect(placed).toMatchObject({ a: PS_0, b: PS_0, c: PS_0 });
});

test("a _class of a node that is not there is passed over", () => {
  expect(devices([identity("a", "k", "", colocatedWith("nobody")), constant("k", 1)])).toMatchObject({
    a: WORKER_0,
  });
});

test("different wishes of colocated nodes are refused, and ignored with soft placement", () => {
  const nodes = [
    constant("k", 1, "/job:worker/task:0"),
    identity("x", "k", "/job:worker/task:1", colocatedWith("k")),
  ];
  expect(() => devices(nodes)).toThrow(
    "Cannot colocate nodes {{colocation_node x}} and {{colocation_node k}}: Cannot merge devices with incompatible " +
      "tasks: '/job:worker/task:1' and '/job:worker/task:0'",
  );
  expect(devices(nodes, { softPlacement: true })).toEqual({ k: WORKER_0, x: WORKER_1 });
});

test("what uses a variable is where the variable is, whatever it asks for", () => {
  const placed = devices([
    variable("v", "/job:ps"),
    placeholder("p"),
    assign("set", "v", "p"),
    assign("set_elsewhere", "v", "p", "/job:worker/task:1"),
    handle("h", "/job:ps"),
    node("write", "AssignVariableOp", ["h", "p"], { dtype: typeAttr("float32") }, "/job:worker/task:1"),
    node("read", "ReadVariableOp", ["h"], { dtype: typeAttr("float32") }),
    identity("next", "read"),
  ]);
  expect(placed).toMatchObject({
    p: WORKER_0,
    set: PS_0,
    set_elsewhere: PS_0,
    write: PS_0,
    read: PS_0,
    next: WORKER_0,
  });
});

test("variables of two tasks cannot be behind one reference", () => {
  const nodes = [
    variable("v", "/job:ps"),
    variable("w", "/job:worker/task:1"),
    node("merge", "RefMerge", ["v", "w"], {
      T: typeAttr("float32"),
      N: { value: { $case: "i", value: 2n } },
    }),
  ];
  expect(() => devices(nodes)).toThrow("incompatible resource devices: ");
});

test("nodes of an extension join those that are placed already", () => {
  const graph = sessionGraph([variable("v", "/job:ps")]);
  withoutPauses(graph.extend(graphOf(constant("one", 1), assign("set", "v", "one")), 0n));
  expect(graph.devices.get("set")).toBe(PS_0);
  // A constant with one consumer goes along.
  expect(graph.devices.get("one")).toBe(PS_0);
});

test("shape ops stay where their tensor is", () => {
  const placed = devices([
    placeholder("p", "/job:ps"),
    node("shape", "Shape", ["p"], { T: typeAttr("float32"), out_type: typeAttr("int32") }),
  ]);
  expect(placed.shape).toBe(PS_0);
});

test("every node without a device is named at once", () => {
  const nodes = [placeholder("a", "/job:nobody"), placeholder("b", "/cpu:3"), placeholder("c")];
  expect(() => devices(nodes)).toThrow(
    `Cannot assign a device for operation a: {{node a}} was explicitly assigned to /job:nobody but available devices ` +
      `are [ ${PS_0}, ${WORKER_0}, ${WORKER_1} ]. Make sure the device specification refers to a valid device.`,
  );
  expect(() => devices(nodes)).toThrow("Cannot assign a device for operation b: ");
  expect(() => devices([placeholder("a", "foo")])).toThrow(
    "Malformed device specification 'foo' in node: {{node a}}",
  );
});

test("soft placement drops the type and number of a device, never its task", () => {
  const soft = { softPlacement: true };
  expect(() => devices([placeholder("a", "/gpu:0")])).toThrow("explicitly assigned to /gpu:0");
  expect(devices([placeholder("a", "/job:ps/device:GPU:1")], soft)).toEqual({ a: PS_0 });
  expect(devices([placeholder("a", "/cpu:7")], soft)).toEqual({ a: WORKER_0 });
  expect(() => devices([placeholder("a", "/job:nobody")], soft)).toThrow(
    "explicitly assigned to /job:nobody",
  );
});

test("the master's own GPU takes what it has kernels for", () => {
  const gpu = "/job:worker/replica:0/task:0/device:GPU:0";
  const setup = {
    devices: devicesNamed([WORKER_0, gpu], [WORKER_1]),
    kernels: new KernelRegistry().add({
      kind: "pure",
      types: {},
      op: "AddV2",
      deviceType: "GPU",
      create: () => (inputs) => inputs.slice(0, 1),
    }),
  };
  const nodes = [placeholder("p"), add("sum", "p", "p"), identity("copy", "sum")];
  expect(devices(nodes, setup)).toEqual({ p: WORKER_0, sum: gpu, copy: WORKER_0 });
  const asked = [placeholder("p"), identity("copy", "p", "/gpu:0")];
  expect(() => devices(asked, setup)).toThrow(
    "Could not satisfy explicit device specification '/gpu:0' because no supported kernel for GPU devices is available.",
  );
  expect(devices(asked, { ...setup, softPlacement: true })).toMatchObject({ copy: WORKER_0 });
});

test("log_device_placement says where each node is", () => {
  const lines: string[] = [];
  devices([placeholder("p", "/job:ps"), identity("x", "p")], { log: (line) => lines.push(line) });
  expect(lines).toEqual([`p: (Placeholder): ${PS_0}`, `x: (Identity): ${WORKER_0}`]);
});
