import { describe, expect, it } from "vitest";
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { stringListAttr } from "../../../worker-runtime/graph/attr-values.js";
import { binary, constant, node, placeholder, type } from "../document/graphs.js";
import { variablesOnPs } from "../document/real-graphs.js";
import { enginesOf, functionOf, missingOf, PORTABLE, TENSORFLOW } from "./cases.js";

const svd = (name: string, device = "", input = "a") =>
  node(name, "Svd", [input], { T: type("float32") }, device);
const qr = (name: string, device = "") => node(name, "Qr", ["a"], { T: type("float32") }, device);
const call = (name: string, body: string, device = "") =>
  node(name, "PartitionedCall", [], { f: func(body) }, device);
const func = (name: string): AttrValue => ({ value: { $case: "func", value: { name, attr: new Map() } } });

const PS0 = "/job:ps/task:0";
const WORKER1 = "/job:worker/task:1";

describe("nodes that are pinned to a portable task", () => {
  it("are marked one by one and said of together, with a task that could take them", () => {
    const { nodes, tasks } = missingOf({
      nodes: [constant("a", "1"), svd("s", PS0), svd("t", PS0), qr("q", PS0), binary("z", "AddV2", "a", "a")],
      engines: enginesOf({ "ps/0": "portable", "worker/0": "tensorflow" }),
    });
    expect([...nodes.keys()]).toEqual(["s", "t", "q"]);
    expect(nodes.get("q")).toMatchObject({
      short: "no kernel",
      task: "ps/0",
      message: "ps/0 (portable engine) has no kernel for Qr.",
      remedy: "Pin it to worker/0, which runs TensorFlow.",
    });
    expect(tasks).toHaveLength(1);
    expect(tasks[0]?.nodes).toEqual(["s", "t", "q"]);
    expect(tasks[0]?.movable).toEqual(["s", "t", "q"]);
    expect(tasks[0]?.problem).toEqual({
      code: "UNIMPLEMENTED",
      task: "ps/0",
      message: "3 nodes have no kernel on ps/0 (portable engine): Svd and Qr.",
      remedy: "Pin them to worker/0, which runs TensorFlow.",
      details: "Svd: s, t\nQr: q",
    });
  });

  it("go by dtypes where these are known, and are not marked where they are not", () => {
    const at = (name: string, T?: AttrValue) => node(name, "MatMul", ["a", "a"], T ? { T } : {}, PS0);
    const cast = node("c", "Cast", ["a"], { SrcT: type("float32"), DstT: type("qint8") }, PS0);
    const { nodes } = missingOf({
      nodes: [
        constant("a", "1"),
        at("fits", type("float32")),
        at("open"),
        at("wide", type("complex64")),
        cast,
      ],
      engines: enginesOf({ "ps/0": "portable" }),
    });
    expect([...nodes.values()].map(({ message }) => message)).toEqual([
      "ps/0 (portable engine) has no kernel for MatMul of complex64.",
      "ps/0 (portable engine) has no kernel for Cast (SrcT float32, DstT qint8).",
    ]);
  });

  it("are left alone where they run on TensorFlow, or all that they give is fed", () => {
    const engines = enginesOf({ "ps/0": "portable", "worker/1": "tensorflow" });
    const nodes = [
      placeholder("a"),
      svd("s", WORKER1),
      node("d", "Digamma", ["a"], { T: type("float32") }, PS0),
    ];
    expect([...missingOf({ nodes, engines }).nodes.keys()]).toEqual(["d"]);
    const feeds = { "d:0": { kind: "literal", text: "1" } } as const;
    expect(missingOf({ nodes, engines, runConfig: { feeds } }).tasks).toEqual([]);
  });

  it("are not judged on a portable engine of another version", () => {
    const engines = enginesOf({ "ps/0": "portable" }, { engines: [{ ...PORTABLE, version: "0.2.0" }] });
    expect(missingOf({ nodes: [svd("s", PS0)], engines }).tasks).toEqual([]);
  });

  it("say how many ops and nodes there are, not all of them", () => {
    const ops = ["Svd", "Qr", "Lu", "Digamma", "Lgamma", "Erf"];
    const many = Array.from({ length: 7 }, (_, index) => svd(`s${index}`, PS0));
    const { tasks } = missingOf({
      nodes: [...many, ...ops.slice(1).map((op) => node(op, op, ["a"], { T: type("float32") }, PS0))],
      engines: enginesOf({ "ps/0": "portable" }),
    });
    expect(tasks[0]?.problem.message).toBe(
      "12 nodes have no kernel on ps/0 (portable engine): Svd, Qr, Lu, Digamma and 2 more.",
    );
    expect(tasks[0]?.problem.details).toContain("Svd: s0, s1, s2, s3, s4 and 2 more\n");
    expect(tasks[0]?.problem.remedy).toBe(
      "Give them a task with TensorFlow, or start ps/0 with the TensorFlow engine.",
    );
  });
});

describe("nodes that are not pinned", () => {
  it("go to the task whose master runs the graph", () => {
    const engines = enginesOf({ "worker/0": "portable", "worker/1": "tensorflow" });
    const { tasks } = missingOf({ nodes: [svd("s")], engines });
    expect(tasks[0]?.task.name).toBe("worker/0");
    expect(tasks[0]?.problem.reason).toBe("It is not pinned to a task and will probably run there.");
    // The first task that the graph names is the master.
    expect(missingOf({ nodes: [svd("s"), constant("a", "1"), qr("q", WORKER1)], engines }).tasks).toEqual([]);
  });

  it("go with the node that they are colocated with, or whose variable they use", () => {
    const engines = enginesOf({ "worker/0": "portable", "worker/1": "tensorflow" });
    const near = { ...svd("s"), attr: new Map([["_class", stringListAttr(["loc:@v"])]]) };
    const variable = node("v", "VarHandleOp", [], { dtype: type("float32") }, WORKER1);
    const reads = node("r", "ResourceGather", ["v", "a"], {
      dtype: type("float32"),
      Tindices: type("int32"),
    });
    const other = node("w", "NoOp", [], {}, "/job:worker/task:0");
    const { nodes } = missingOf({ nodes: [variable, near, reads, other, svd("free")], engines });
    expect([...nodes.keys()]).toEqual(["w", "free"]);
  });

  it("run where their variable is pinned, whatever they are pinned to themselves", () => {
    const engines = enginesOf({ "ps/0": "tensorflow", "worker/0": "portable" });
    expect(missingOf({ nodes: variablesOnPs(["v"]), engines }).tasks).toEqual([]);
    const [task] = missingOf({
      nodes: variablesOnPs(["v"], { ps: "/job:worker/task:0", worker: PS0 }),
      engines,
    }).tasks;
    expect(task?.task.name).toBe("worker/0");
    expect(task?.nodes).toContain("v/IsInitialized/VarIsInitializedOp");
  });

  it("cannot be given another task without their variable", () => {
    const variable = node("v", "VarHandleOp", [], { dtype: type("float32") }, PS0);
    const reads = node("r", "ResourceGather", ["v", "a"], {
      dtype: type("float32"),
      Tindices: type("int32"),
    });
    const { tasks } = missingOf({
      nodes: [variable, reads, { ...reads, name: "pinned", device: PS0 }, svd("s", PS0)],
      engines: enginesOf({ "ps/0": "portable", "worker/0": "tensorflow" }),
    });
    expect(tasks[0]?.nodes).toEqual(["r", "pinned", "s"]);
    expect(tasks[0]?.movable).toEqual(["s"]);
    expect(tasks[0]?.problem.remedy).toBe(
      "Give them a task with TensorFlow, or start ps/0 with the TensorFlow engine.",
    );
  });

  it("of a job go to its first task", () => {
    const engines = enginesOf({ "ps/0": "tensorflow", "worker/0": "tensorflow", "worker/1": "portable" });
    expect(missingOf({ nodes: [svd("s", "/job:worker")], engines }).tasks).toEqual([]);
    expect(missingOf({ nodes: [svd("s", "/job:worker/task:1")], engines }).nodes.size).toBe(1);
  });
});

describe("a task that the cluster does not have yet", () => {
  it("would get the best engine of this machine", () => {
    const { tasks } = missingOf({ nodes: [svd("s", WORKER1), svd("t", WORKER1)], engines: enginesOf({}) });
    expect(tasks[0]?.problem).toMatchObject({
      message: "2 nodes have no kernel on worker/1 (portable engine): Svd.",
      reason:
        "The cluster has no worker/1 yet: it would start with that engine, as this machine has no TensorFlow.",
      remedy: "Give them a task with TensorFlow, or install the TensorFlow runtime before it is started.",
    });
    const able = enginesOf({}, { engines: [TENSORFLOW, PORTABLE] });
    expect(missingOf({ nodes: [svd("s", WORKER1), svd("t")], engines: able }).tasks).toEqual([]);
  });
});

describe("functions", () => {
  const library = [
    functionOf("outer", [call("inner_call", "inner")]),
    functionOf("inner", [svd("s"), qr("q", WORKER1), node("m", "MatMul", [], {})]),
  ];
  const engines = enginesOf({ "ps/0": "portable", "worker/1": "tensorflow" });

  it("are looked through, with those that they call; a node of a body may be on another task", () => {
    const { nodes } = missingOf({
      nodes: [call("c", "outer", PS0), call("d", "outer", WORKER1)],
      engines,
      library,
    });
    expect([...nodes.values()].map(({ node: name, message }) => `${name}: ${message}`)).toEqual([
      "c: ps/0 (portable engine) has no kernel for Svd (in inner).",
    ]);
  });

  it("may call themselves, and may be called by their name as the op", () => {
    const again = [functionOf("loop", [node("l", "loop"), svd("s")])];
    const { nodes } = missingOf({ nodes: [node("c", "loop", [], {}, PS0)], engines, library: again });
    expect(nodes.get("c")?.message).toBe("ps/0 (portable engine) has no kernel for Svd (in loop).");
  });

  it("put a node on the task that lacks the kernel, wherever its caller is", () => {
    const far = [functionOf("f", [svd("s", PS0)])];
    const { tasks } = missingOf({ nodes: [call("c", "f", WORKER1)], engines, library: far });
    expect(tasks.map(({ task, nodes }) => `${task.name}: ${nodes.join()}`)).toEqual(["ps/0: c"]);
    // Another task for the caller would change nothing.
    expect(tasks[0]?.movable).toEqual([]);
  });
});

describe("what is another problem", () => {
  it("is not said twice: an op that nobody knows, a device name that is none", () => {
    const engines = enginesOf({ "worker/0": "portable" });
    expect(missingOf({ nodes: [node("u", "NoSuchOp", [], {})], engines }).tasks).toEqual([]);
    expect(missingOf({ nodes: [svd("s", "nonsense")], engines }).tasks[0]?.task.name).toBe("worker/0");
  });
});
