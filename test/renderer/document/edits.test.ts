import { describe, expect, it } from "vitest";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { VariableDef } from "../../../protos/generated/tensorflow/variable.js";
import { attrText } from "../../../renderer/document/attr-text.js";
import { addNode } from "../../../renderer/document/edits/add.js";
import { setAttr } from "../../../renderer/document/edits/attrs.js";
import { connect, disconnect, removeSlot, whyNotConnect } from "../../../renderer/document/edits/connect.js";
import { insertCast } from "../../../renderer/document/edits/insert-before.js";
import { insertOnEdge } from "../../../renderer/document/edits/insert-on-edge.js";
import { clipOf, freePlaceFor, paste } from "../../../renderer/document/edits/paste.js";
import { deviceText, pin } from "../../../renderer/document/edits/place.js";
import { bypassNodes, deleteNodes } from "../../../renderer/document/edits/remove.js";
import { commonScope, moveToScope, rename } from "../../../renderer/document/edits/rename.js";
import { EMPTY_RUN_CONFIG } from "../../../renderer/document/model.js";
import {
  binary,
  constant,
  documentOf,
  dtypeAttr,
  edited,
  lookup,
  node,
  reasonOf,
  type,
  welcome,
} from "./graphs.js";

const at = { x: 0, y: 0 };

describe("adding a node", () => {
  it("gives it a free name, TensorFlow's defaults and a missing input for every argument", () => {
    const once = edited(welcome(), addNode(welcome(), lookup, "MatMul", at));
    const twice = edited(once, addNode(once, lookup, "MatMul", at));
    const added = twice.nodes.get("MatMul_1");
    expect(added?.input).toEqual(["", ""]);
    expect(added?.attr.get("transpose_a")?.value).toEqual({ $case: "b", value: false });
    expect(dtypeAttr(twice, "MatMul_1")).toBe(DataType.DT_FLOAT);
  });

  it("connects it to the output that was pulled and takes over its dtype", () => {
    const start = documentOf([constant("n", "7", "int32")]);
    const result = edited(
      start,
      addNode(start, lookup, "Mul", at, { type: "output", end: { node: "n", output: 0 } }),
    );
    expect(result.nodes.get("Mul")?.input).toEqual(["n", ""]);
    expect(dtypeAttr(result, "Mul")).toBe(DataType.DT_INT32);
  });

  it("connects it to the input that was pulled, a Const with a value of the right dtype", () => {
    const start = documentOf([binary("m", "Mul", "", "", "int32")]);
    const result = edited(
      start,
      addNode(start, lookup, "Const", at, { type: "input", end: { node: "m", input: 1 } }),
    );
    expect(result.nodes.get("m")?.input).toEqual(["", "Const"]);
    expect(dtypeAttr(result, "Const", "dtype")).toBe(DataType.DT_INT32);
    const value = result.nodes.get("Const")?.attr.get("value")?.value;
    expect(value?.$case === "tensor" && value.value.dtype).toBe(DataType.DT_INT32);
  });

  it("is refused for an op that the engine lacks", () => {
    expect(reasonOf(addNode(welcome(), lookup, "MatMull", at))).toContain("no op named MatMull");
  });
});

describe("connecting", () => {
  it("says why two ports do not fit", () => {
    const graph = documentOf([
      constant("f", "1"),
      constant("i", "1", "int32"),
      constant("s", '"text"', "string"),
      binary("add", "AddV2", "f", ""),
      node("mm", "MatMul", ["", ""], { T: type("float32") }),
    ]);
    const why = (from: string, to: string, input: number) =>
      whyNotConnect(graph, lookup, { node: from, output: 0 }, { node: to, input });
    expect(why("i", "add", 1)).toBe("T is float32 through x, not int32.");
    expect(why("s", "mm", 0)).toMatch(/^MatMul takes .*float32.*, not string\.$/);
    expect(why("f", "add", 0)).toBe("They are already connected.");
    expect(why("add", "add", 1)).toBe("A node cannot read its own output.");
    expect(why("f", "add", 1)).toBeUndefined();
  });

  it("refuses an edge that closes a circle, and a data edge into a control port", () => {
    const graph = welcome();
    expect(whyNotConnect(graph, lookup, { node: "z", output: 0 }, { node: "x", input: 0 })).toContain(
      "cycle",
    );
    expect(whyNotConnect(graph, lookup, { node: "a", output: 0 }, { node: "z", input: "control" })).toContain(
      "control edges",
    );
    expect(
      whyNotConnect(graph, lookup, { node: "a", output: -1 }, { node: "z", input: "control" }),
    ).toBeUndefined();
  });

  it("lets T of the consumer and of everything behind it follow", () => {
    const graph = documentOf([
      constant("i", "1", "int32"),
      binary("x", "AddV2", "", ""),
      binary("y", "Mul", "x", "x"),
    ]);
    const result = edited(graph, connect(graph, lookup, { node: "i", output: 0 }, { node: "x", input: 0 }));
    expect([dtypeAttr(result, "x"), dtypeAttr(result, "y")]).toEqual([DataType.DT_INT32, DataType.DT_INT32]);
  });

  it("keeps control inputs after data inputs", () => {
    const graph = documentOf([
      constant("a", "1"),
      constant("b", "1"),
      node("x", "AddV2", ["", "", "^b"], { T: type("float32") }),
    ]);
    const result = edited(graph, connect(graph, lookup, { node: "a", output: 0 }, { node: "x", input: 1 }));
    expect(result.nodes.get("x")?.input).toEqual(["", "a", "^b"]);
  });

  it("grows an argument of variable length in its place and shrinks it again", () => {
    const one = { value: { $case: "i", value: 2n } } as const;
    const graph = documentOf([
      constant("a", "[1]"),
      constant("b", "[2]"),
      constant("axis", "0", "int32"),
      node("c", "ConcatV2", ["a", "b", "axis"], { N: one, T: type("float32"), Tidx: type("int32") }),
    ]);
    const grown = edited(
      graph,
      connect(graph, lookup, { node: "a", output: 0 }, { node: "c", input: "grow" }),
    );
    expect(grown.nodes.get("c")?.input).toEqual(["a", "b", "a", "axis"]);
    expect(grown.nodes.get("c")?.attr.get("N")?.value).toEqual({ $case: "i", value: 3n });
    const shrunk = edited(grown, removeSlot(grown, lookup, "c", 0));
    expect(shrunk.nodes.get("c")?.input).toEqual(["b", "a", "axis"]);
    expect(reasonOf(removeSlot(shrunk, lookup, "c", 0))).toContain("at least 2");
  });

  it("leaves a missing input where an edge is taken away, and nothing where it was a control edge", () => {
    const graph = documentOf([
      constant("a", "1"),
      node("x", "AddV2", ["a", "a", "^a"], { T: type("float32") }),
    ]);
    const result = edited(
      graph,
      disconnect(graph, [
        { node: "x", input: 0 },
        { node: "x", input: 2 },
      ]),
    );
    expect(result.nodes.get("x")?.input).toEqual(["", "a"]);
  });
});

describe("deleting", () => {
  it("turns the consumers' inputs into missing ones and takes feeds and fetches along", () => {
    const graph = documentOf([...welcome().nodes.values()], {
      runConfig: {
        ...EMPTY_RUN_CONFIG,
        feeds: { "x:0": { kind: "literal", text: "1" } },
        fetches: ["x:0", "z:0"],
        targets: ["x"],
        steps: 5,
        stops: [{ kind: "not-finite", tensor: "x:0" }],
      },
      otherRuns: [{ ...EMPTY_RUN_CONFIG, name: "other", fetches: ["a:0"] }],
    });
    const result = edited(graph, deleteNodes(graph, ["x", "a"]));
    expect([...result.nodes.keys()]).toEqual(["b", "y", "z"]);
    expect(result.nodes.get("z")?.input).toEqual(["", "y"]);
    expect(result.nodes.get("y")?.input).toEqual(["", "b"]);
    expect(result.runConfig).toEqual({ ...EMPTY_RUN_CONFIG, fetches: ["z:0"], steps: 5 });
    expect(result.otherRuns).toEqual([{ ...EMPTY_RUN_CONFIG, name: "other" }]);
  });
});

describe("renaming", () => {
  it("rewrites every reference, in the graph and beside it", () => {
    const metaGraph = MetaGraphDef.fromPartial({ graphDef: {} });
    metaGraph.collectionDef.set("losses", { kind: { $case: "nodeList", value: { value: ["w:0", "wx:0"] } } });
    const variable = VariableDef.encode(
      VariableDef.fromPartial({ variableName: "w:0", initializerName: "w/Assign", snapshotName: "w/read:0" }),
    ).finish();
    metaGraph.collectionDef.set("trainable_variables", {
      kind: { $case: "bytesList", value: { value: [variable] } },
    });
    const location = new TextEncoder().encode("loc:@w");
    const empty = { s: [location], i: [], f: [], b: [], type: [], shape: [], tensor: [], func: [] };
    const graph = documentOf(
      [
        node("w", "VariableV2", [], { dtype: type("float32") }),
        node("wx", "Identity", ["w"], {
          T: type("float32"),
          _class: { value: { $case: "list", value: empty } },
        }),
        node("n", "NoOp", ["^w"]),
        node("s", "Identity", ["w:0"], { T: type("float32") }),
      ],
      {
        metaGraph,
        runConfig: { ...EMPTY_RUN_CONFIG, fetches: ["w:0"], targets: ["w"] },
        otherRuns: [
          { ...EMPTY_RUN_CONFIG, name: "other", stops: [{ kind: "below", tensor: "w:0", value: 1 }] },
        ],
      },
    );
    const result = edited(graph, rename(graph, "w", "weights"));
    expect([...result.nodes.keys()]).toEqual(["weights", "wx", "n", "s"]);
    expect([...result.nodes.values()].map(({ input }) => input)).toEqual([
      [],
      ["weights"],
      ["^weights"],
      ["weights:0"],
    ]);
    expect(attrText(result.nodes.get("wx")?.attr.get("_class"))).toBe('["loc:@weights"]');
    expect(result.runConfig).toMatchObject({ fetches: ["weights:0"], targets: ["weights"] });
    expect(result.otherRuns[0]?.stops).toEqual([{ kind: "below", tensor: "weights:0", value: 1 }]);
    expect(result.layout.has("w")).toBe(false);
    const { collectionDef } = result.metaGraph;
    expect(collectionDef.get("losses")?.kind?.value).toEqual({ value: ["weights:0", "wx:0"] });
    const bytes = collectionDef.get("trainable_variables")?.kind;
    const renamed = bytes?.$case === "bytesList" && bytes.value.value[0];
    expect(renamed && VariableDef.decode(renamed)).toMatchObject({
      variableName: "weights:0",
      snapshotName: "w/read:0",
    });
  });

  it("refuses names that TensorFlow refuses, and names that are taken", () => {
    expect(reasonOf(rename(welcome(), "z", "y"))).toBe("Another node is named y.");
    for (const name of ["", "_z", "a b", "z:0", "^z"])
      expect(reasonOf(rename(welcome(), "z", name))).toContain("name");
  });
});

describe("attributes", () => {
  it("convert a Const's value with its dtype and let consumers follow", () => {
    const graph = documentOf([constant("a", "3"), binary("x", "Mul", "a", "a")]);
    const result = edited(graph, setAttr(graph, lookup, "a", "dtype", type("int64")));
    expect(attrText(result.nodes.get("a")?.attr.get("value"))).toBe("3");
    expect(dtypeAttr(result, "x")).toBe(DataType.DT_INT64);
  });

  it("keep each argument's inputs when their number changes", () => {
    const graph = documentOf([
      constant("a", "1"),
      constant("axis", "0", "int32"),
      node("c", "ConcatV2", ["a", "a", "axis"], {
        N: { value: { $case: "i", value: 2n } },
        T: type("float32"),
      }),
    ]);
    const result = edited(graph, setAttr(graph, lookup, "c", "N", { value: { $case: "i", value: 3n } }));
    expect(result.nodes.get("c")?.input).toEqual(["a", "a", "", "axis"]);
  });
});

describe("pinning", () => {
  it("names the task and the number of nodes that change", () => {
    const result = pin(welcome(), ["x", "y", "z"], "/job:worker/task:1");
    expect(result.ok && result.transaction.label).toBe("Pin 3 nodes to worker/1");
    const again = edited(welcome(), result);
    const more = pin(again, ["a", "z"], "/job:worker/task:1");
    expect(more.ok && more.transaction.label).toBe("Pin a to worker/1");
    expect(reasonOf(pin(again, ["z"], "/job:worker/task:1"))).toBe("Already pinned there.");
  });

  it("shortens devices for people", () => {
    expect(deviceText("/job:ps/task:3")).toBe("ps/3");
    expect(deviceText("/job:worker/replica:0/task:1/device:GPU:0")).toBe("worker/1 GPU:0");
    expect(deviceText("/cpu:0")).toBe("/cpu:0");
  });
});

describe("copies", () => {
  it("puts copies where they lie over no other node", () => {
    const graph = welcome();
    const clip = clipOf(graph, new Set(["a", "b"]));
    if (!clip) throw new Error("nothing copied");
    const at = freePlaceFor(graph, clip);
    expect(at.x).toBeGreaterThan(0);
    expect(at.y).toBeGreaterThanOrEqual(60);
    const once = edited(graph, paste(graph, clip, at, "paste"));
    expect(freePlaceFor(once, clip).y).toBeGreaterThanOrEqual(at.y + 60);
  });

  it("keep edges among themselves and to nodes that stay, under new names", () => {
    const graph = welcome();
    const clip = clipOf(graph, new Set(["x", "z"]));
    const result = clip && edited(graph, paste(graph, clip, { x: 100, y: 50 }, "paste"));
    expect(result?.nodes.get("x_1")?.input).toEqual(["a", "b"]);
    expect(result?.nodes.get("z_1")?.input).toEqual(["x_1", "y"]);
    expect(result?.layout.get("z_1")).toEqual({ x: 100 + 440, y: 50 });
  });

  it("lose edges from nodes that another document does not have", () => {
    const clip = clipOf(welcome(), new Set(["x"]));
    const other = documentOf([constant("a", "1")]);
    const result = clip && edited(other, paste(other, clip, at, "paste"));
    expect(result?.nodes.get("x")?.input).toEqual(["a", ""]);
  });
});

describe("nodes moved to a scope", () => {
  it("take edges, colocation and what is run with them, as one step", () => {
    const start = { ...welcome(), runConfig: { ...EMPTY_RUN_CONFIG, fetches: ["x:0"], targets: ["z"] } };
    const result = edited(start, moveToScope(start, ["x", "y"], "sums/"));
    expect([...result.nodes.keys()]).toEqual(["a", "b", "sums/x", "sums/y", "z"]);
    expect(result.nodes.get("z")?.input).toEqual(["sums/x", "sums/y"]);
    expect(result.layout.get("sums/y")).toEqual(start.layout.get("y"));
    expect(result.runConfig).toMatchObject({ fetches: ["sums/x:0"], targets: ["z"] });
    const deeper = edited(result, moveToScope(result, ["sums/x", "sums/y"], "first/sums"));
    expect([...deeper.nodes.keys()]).toEqual(["a", "b", "first/sums/x", "first/sums/y", "z"]);
    expect([...edited(deeper, moveToScope(deeper, ["first/sums/x"], "")).nodes.keys()]).toContain("x");
  });

  it("keep their paths below what they have in common", () => {
    expect(commonScope(["net/a/x", "net/a/y", "net/ab/z"])).toBe("net");
    const graph = documentOf([constant("net/a/x", "1"), constant("net/b/x", "2")]);
    const result = edited(graph, moveToScope(graph, [...graph.nodes.keys()], "other"));
    expect([...result.nodes.keys()]).toEqual(["other/a/x", "other/b/x"]);
  });

  it("are refused names that are taken or invalid", () => {
    const graph = documentOf([constant("x", "1"), constant("s/x", "2")]);
    expect(reasonOf(moveToScope(graph, ["x"], "s"))).toBe("Another node is named s/x.");
    expect(reasonOf(moveToScope(graph, ["x"], "a b"))).toMatch(/^A name begins/);
    expect(reasonOf(moveToScope(graph, ["s/x"], "s"))).toBe("They are in this scope already.");
  });
});

describe("a node inserted on an edge", () => {
  it("reads what the input read, and only that input reads it", () => {
    const graph = welcome();
    const result = edited(
      graph,
      insertOnEdge(graph, lookup, "Neg", { node: "x", input: 1 }, { x: 8, y: 16 }),
    );
    expect(result.nodes.get("Neg")?.input).toEqual(["b"]);
    expect(result.nodes.get("x")?.input).toEqual(["a", "Neg"]);
    expect(result.nodes.get("y")?.input).toEqual(["a", "b"]);
    expect(result.layout.get("Neg")).toEqual({ x: 8, y: 16 });
  });

  it("takes over the dtype", () => {
    const graph = documentOf([constant("i", "1", "int32"), binary("x", "Mul", "i", "i", "int32")]);
    const result = edited(
      graph,
      insertOnEdge(graph, lookup, "Square", { node: "x", input: 0 }, { x: 0, y: 0 }),
    );
    expect(dtypeAttr(result, "Square")).toBe(DataType.DT_INT32);
  });

  it("is refused where its output does not fit, and where there is no edge", () => {
    const graph = welcome();
    expect(reasonOf(insertOnEdge(graph, lookup, "Equal", { node: "x", input: 1 }, { x: 0, y: 0 }))).toBe(
      "No output of Equal fits y of x.",
    );
    expect(reasonOf(insertOnEdge(graph, lookup, "Neg", { node: "a", input: 0 }, { x: 0, y: 0 }))).toMatch(
      /^A node can only/,
    );
  });
});

describe("nodes deleted and bypassed", () => {
  it("leave their readers what they read, through all of them", () => {
    const graph = documentOf([
      constant("a", "1"),
      node("n", "Neg", ["a"], { T: type("float32") }),
      node("s", "Square", ["n"], { T: type("float32") }),
      binary("z", "AddV2", "s", "n"),
    ]);
    const result = edited(graph, bypassNodes(graph, lookup, ["n", "s"]));
    expect(result.nodes.get("z")?.input).toEqual(["a", "a"]);
    expect([...result.nodes.keys()]).toEqual(["a", "z"]);
  });

  it("leave an input missing where the dtype would be another", () => {
    const cast = { SrcT: type("int32"), DstT: type("float32") };
    const graph = documentOf([
      constant("i", "1", "int32"),
      node("c", "Cast", ["i"], cast),
      binary("z", "AddV2", "c", "c"),
    ]);
    expect(edited(graph, bypassNodes(graph, lookup, ["c"])).nodes.get("z")?.input).toEqual(["", ""]);
  });
});

it("a Cast is put between outputs and inputs of different dtypes", () => {
  const graph = documentOf([constant("i", "1", "int32"), binary("x", "Mul", "i", "i")]);
  const result = edited(graph, insertCast(graph, lookup, "x", 0));
  expect(result.nodes.get("x")?.input).toEqual(["Cast", "i"]);
  expect(result.nodes.get("Cast")?.input).toEqual(["i"]);
  expect([dtypeAttr(result, "Cast", "SrcT"), dtypeAttr(result, "Cast", "DstT")]).toEqual([
    DataType.DT_INT32,
    DataType.DT_FLOAT,
  ]);
});
