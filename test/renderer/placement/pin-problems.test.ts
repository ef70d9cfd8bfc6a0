import { describe, expect, it } from "vitest";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { inferShapes } from "../../../renderer/document/shapes.js";
import { findPinProblems, type PinProblem } from "../../../renderer/placement/pin-problems.js";
import { stringListAttr } from "../../../worker-runtime/graph/attr-values.js";
import { colocationGroup } from "../../../worker-runtime/graph/colocation-groups.js";
import { constant, documentOf, lookup, node, placeholder, type } from "../document/graphs.js";
import { trainedVariable, variablesOnPs } from "../document/real-graphs.js";
import { enginesOf } from "../kernels/cases.js";

function problemsOf(nodes: readonly NodeDef[], memoryBytes = 1e9): readonly PinProblem[] {
  const document = documentOf(nodes);
  return findPinProblems({
    document,
    lookup,
    shapes: inferShapes(document.nodes, lookup),
    engines: enginesOf({ "worker/0": "portable", "worker/1": "tensorflow" }),
    machines: [{ name: "pc", memoryBytes, tasks: ["worker/0", "worker/1"] }],
  });
}

const messages = (nodes: readonly NodeDef[], memoryBytes?: number) =>
  problemsOf(nodes, memoryBytes).map(({ problem }) => problem.message);
const apart = { ps: "/job:worker/task:1", worker: "/job:worker/task:0" };
const on = (device: string, one: NodeDef): NodeDef => ({ ...one, device });

describe("problems of pins", () => {
  it("are none for tasks of the cluster, for a part of a device name, and without pins", () => {
    const devices = [
      "",
      "/job:worker/task:1",
      "/job:worker",
      "/device:CPU:0",
      "/job:worker/task:0/device:CPU:0",
    ];
    expect(problemsOf(devices.map((device, index) => on(device, placeholder(`x${index}`))))).toEqual([]);
  });

  it("are tasks that the cluster lacks, devices that are no names, and GPUs that are not there", () => {
    const found = problemsOf([
      on("/job:ps/task:1", placeholder("a")),
      on("/job:ps/task:1", placeholder("b")),
      on("/job:ps", placeholder("c")),
      on("worker/0", placeholder("d")),
      on("/job:worker/task:1/device:GPU:0", placeholder("e")),
    ]);
    expect(found.map(({ nodes, problem }) => [nodes, problem.message])).toEqual([
      [["a", "b"], "2 nodes are pinned to ps/1, which the cluster does not have."],
      [["c"], "1 node is pinned to ps, which the cluster does not have."],
      [["d"], "1 node is pinned to 'worker/0', which is not a device name."],
      [["e"], "1 node is pinned to /job:worker/task:1/device:GPU:0, but worker/1 has no GPU."],
    ]);
  });

  it("are pins apart from a variable, or from what _class names", () => {
    const [x, ...rest] = trainedVariable();
    const variable = rest.map((one) => {
      if (one.name === "w") return on("/job:worker/task:0", one);
      return one.name === "train" || one.name === "w/Assign" ? on("/job:worker/task:1", one) : one;
    });
    expect(messages([...(x ? [x] : []), ...variable])).toEqual([
      "2 nodes are pinned to /job:worker/task:1, but must be with w on /job:worker/task:0.",
    ]);
    const follower = node("y", "Neg", ["x"], {
      T: type("float32"),
      _class: stringListAttr([colocationGroup("x")]),
    });
    const keeper = on("/job:worker/task:0", placeholder("x"));
    expect(messages([keeper, on("/job:worker/task:1", follower)])).toEqual([
      "y is pinned to /job:worker/task:1, but must be with x on /job:worker/task:0.",
    ]);
    expect(messages([keeper, on("/job:worker", follower)])).toEqual([]);
  });

  it("are none for what asks whether a variable has a value, as replica_device_setter pins it", () => {
    expect(messages(variablesOnPs(["v", "w"], apart))).toEqual([]);
  });

  it("are one for all nodes that are pinned to one task instead of their variables' task", () => {
    const names = ["a", "b", "c", "d"];
    const nodes = [
      ...variablesOnPs(names, apart),
      ...names.map((name) =>
        on(
          "/job:worker/task:0",
          node(`${name}/add`, "AssignAddVariableOp", [name], { dtype: type("float32") }),
        ),
      ),
    ];
    expect(messages(nodes)).toEqual([
      "4 nodes are pinned to /job:worker/task:0, but must be with a, b, c and 1 other node on /job:worker/task:1.",
    ]);
    expect(messages(nodes.filter(({ name }) => !/^[bcd]/.test(name)))).toEqual([
      "a/add is pinned to /job:worker/task:0, but must be with a on /job:worker/task:1.",
    ]);
  });

  it("are more variables and constants on a machine than it has memory", () => {
    const nodes = [constant("a", "[1, 2, 3, 4]"), on("/job:worker/task:1", constant("b", "[1, 2]"))];
    expect(messages(nodes, 24)).toEqual([]);
    const [found] = problemsOf(nodes, 23);
    expect(found).toMatchObject({ where: "pc", nodes: ["a", "b"] });
    expect(found?.problem.message).toBe(
      "Variables and constants of 24 B are placed on pc, which has 23 B of memory.",
    );
  });
});
