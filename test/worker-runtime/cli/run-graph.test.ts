import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { RunnableGraph } from "../../../worker-runtime/cli/run-graph.js";
import { pinnedJobs, pinsOf } from "../../../worker-runtime/cli/run-pins.js";
import { outputFiles } from "../../../worker-runtime/cli/run-results.js";
import { csvSumGraph } from "../../../worker-runtime/graph/examples/csv-sum.js";
import { welcomeGraph } from "../../../worker-runtime/graph/examples/first-graphs.js";
import { writeGraphFile } from "../../../worker-runtime/graph/graph-file.js";

const sum = () => new RunnableGraph(csvSumGraph().graphDef ?? GraphDef.create());

describe("RunnableGraph", () => {
  test("without a word on it, the outputs that no other node reads are run", () => {
    expect(sum().choice(new Set())).toMatchObject({ fetches: ["total:0"], targets: [] });
    const graph = new RunnableGraph(
      GraphDef.fromPartial({
        node: [
          {
            name: "fed",
            op: "Placeholder",
            attr: new Map([["dtype", { value: { $case: "type", value: DataType.DT_INT32 } }]]),
          },
          { name: "init", op: "NoOp", input: ["^c"] },
          {
            name: "c",
            op: "Const",
            attr: new Map([["dtype", { value: { $case: "type", value: DataType.DT_INT32 } }]]),
          },
          { name: "table", op: "VarHandleOp" },
        ],
      }),
    );
    expect(graph.choice(new Set())).toMatchObject({ fetches: [], targets: [] });
  });

  test("a cycle of 50,000 control edges does not fill the stack, and a chain of groups is housekeeping", () => {
    const count = 50_000;
    const node = Array.from({ length: count }, (_, index) => ({
      ...{ name: `n${index}`, op: "NoOp", input: [`^n${(index + 1) % count}`] },
    }));
    const cycle = new RunnableGraph(GraphDef.fromPartial({ node }));
    expect(cycle.choice(new Set())).toMatchObject({ fetches: [], targets: [] });
    const chain = [...node.slice(0, -1), { name: `n${count - 1}`, op: "InitializeTableV2", input: [] }];
    const group = new RunnableGraph(GraphDef.fromPartial({ node: chain }));
    expect(group.choice(new Set())).toMatchObject({ fetches: [], targets: [] });
  });

  test("tensors by short and full names; mistakes are named", () => {
    expect(sum().tensor("total", "fetch")).toBe("total:0");
    expect(sum().tensor("parts:1", "fetch")).toBe("parts:1");
    expect(() => sum().tensor("parts:2", "fetch")).toThrow('SplitV "parts" has 2 output(s)');
    expect(() => sum().tensor("totl", "fetch")).toThrow('no node "totl" to fetch. Did you mean total');
    expect(() => sum().operation("totl")).toThrow("Did you mean");
  });

  test("a placeholder's dtype and shape", () => {
    expect(sum().feedType("input:0")).toEqual({ dtype: "int32", shape: [-1] });
    expect(sum().feedType("half:0")).toEqual({ dtype: "int32", shape: undefined });
  });

  test("an empty shape of an old graph means any shape", () => {
    const node = {
      name: "a",
      op: "Placeholder",
      attr: new Map([
        ["dtype", { value: { $case: "type" as const, value: DataType.DT_FLOAT } }],
        ["shape", { value: { $case: "shape" as const, value: { dim: [], unknownRank: false } } }],
      ]),
    };
    const shapeIn = (producer: number) =>
      new RunnableGraph(GraphDef.fromPartial({ node: [node], versions: { producer } })).feedType("a:0").shape;
    expect(shapeIn(20)).toBeUndefined();
    expect(shapeIn(2474)).toEqual([]);
  });

  test("examples by their names; mistakes are named", async () => {
    const graph = await RunnableGraph.read("example:welcome");
    expect(pinnedJobs(pinsOf(graph.graph))).toEqual([{ job: "worker", tasks: 2 }]);
    expect(graph.choice(new Set())).toMatchObject({ fetches: ["z:0"] });
    expect(graph.graph.node.flatMap(({ attr }) => [...attr.keys()]).join()).not.toContain("_tensordeck_");
    await expect(RunnableGraph.read("example:welcom")).rejects.toThrow("Did you mean welcome?");
    await expect(RunnableGraph.read("example:")).rejects.toThrow(/The examples are welcome, digits/);
  });

  test("files: a document, a SavedModel's folder, none", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tensordeck-run-"));
    try {
      const document = join(folder, "welcome.pbtxt");
      await writeFile(
        document,
        writeGraphFile({ kind: "meta_graph", format: "text", metaGraph: welcomeGraph() }),
      );
      const graph = await RunnableGraph.read(document);
      expect(pinnedJobs(pinsOf(graph.graph))).toEqual([{ job: "worker", tasks: 2 }]);
      expect(
        [...(graph.graph.node[0]?.attr.keys() ?? [])].filter((key) => key.startsWith("_tensordeck_")),
      ).toEqual([]);
      await expect(RunnableGraph.read(folder)).rejects.toThrow("not a SavedModel");
      await writeFile(
        join(folder, "saved_model.pb"),
        writeGraphFile({ kind: "saved_model", format: "binary", metaGraph: welcomeGraph() }),
      );
      expect((await RunnableGraph.read(folder)).choice(new Set()).fetches).toEqual(["z:0"]);
      await expect(RunnableGraph.read(join(folder, "no.pb"))).rejects.toMatchObject({
        codeName: "NOT_FOUND",
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test("files of fetches", () => {
  const files = outputFiles(
    [
      { kind: "folder", path: "out" },
      { kind: "file", tensor: "b", path: "b.npy" },
    ],
    ["a/x:0", "b:0"],
  );
  expect([...files]).toEqual([
    [join("out", "a_x_0.npy"), "a/x:0"],
    [join("out", "b_0.npy"), "b:0"],
    ["b.npy", "b:0"],
  ]);
  expect(() => outputFiles([{ kind: "file", tensor: "c", path: "c.npy" }], ["a:0"])).toThrow(
    "c, which is not fetched",
  );
  expect(() => outputFiles([{ kind: "folder", path: "o" }], ["a/b:0", "a_b:0"])).toThrow("both be written");
});
