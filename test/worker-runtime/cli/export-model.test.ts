import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { runExportModel } from "../../../worker-runtime/cli/export-model.js";
import { Graph } from "../../../worker-runtime/graph/graph.js";
import { readGraphFile } from "../../../worker-runtime/graph/graph-file.js";
import * as ops from "../../../worker-runtime/graph/ops/index.js";
import { BundleWriter } from "../../../worker-runtime/io/tensor-bundle/bundle-writer.js";
import { Tensor, tensorFromProto } from "../../../worker-runtime/protocol/tensor.js";

let folder: string;
let file: string;
let checkpoint: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-export-model-"));
  file = join(folder, "graph.meta");
  checkpoint = join(folder, "ckpt-3");
  const graph = new Graph();
  const x = ops.placeholder(graph, "float32", [-1, 1], { name: "x" });
  const w = ops.variable(graph, [[0]], { name: "w" });
  ops.matMul(x, w.value, { name: "y" });
  await writeFile(file, MetaGraphDef.encode(graph.toMetaGraphDef()).finish());
  const writer = await BundleWriter.create(checkpoint, { resolve: async (path) => path });
  await writer.add("w", Tensor.of([[2.5]], "float32"));
  await writer.finish();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const exported = (...args: string[]) => exportedFrom(file, ...args);

async function exportedFrom(...args: string[]): Promise<number> {
  const quiet = [vi.spyOn(process.stdout, "write"), vi.spyOn(process.stderr, "write")];
  for (const spy of quiet) spy.mockReturnValue(true);
  try {
    return await runExportModel(args);
  } finally {
    for (const spy of quiet) spy.mockRestore();
  }
}

test("a file that ends with .pb is a frozen graph, a folder a SavedModel with a signature", async () => {
  const pb = join(folder, "frozen.pb");
  expect(await exported(pb, "--checkpoint", checkpoint, "--output", "y")).toBe(0);
  const frozen = GraphDef.decode(await readFile(pb));
  expect(frozen.node.map(({ name, op }) => `${name} ${op}`)).toContain("w Const");
  const model = join(folder, "model");
  expect(await exported(model, "--checkpoint", `${checkpoint}.index`, "--output", "result=y:0")).toBe(0);
  const { metaGraph } = readGraphFile(await readFile(join(model, "saved_model.pb")), "model");
  const signature = metaGraph.signatureDef.get("serving_default");
  expect([...(signature?.inputs.keys() ?? [])]).toEqual(["x"]);
  expect([...(signature?.outputs.keys() ?? [])]).toEqual(["result"]);
  // An exported model can be exported again, with its own values.
  expect(await exportedFrom(model, join(folder, "again.pb"), "--output", "y")).toBe(0);
});

test("says what is missing", async () => {
  const out = join(folder, "none");
  await expect(exported(out, "--checkpoint", checkpoint)).rejects.toThrow("--output TENSOR");
  await expect(exported(out, "--output", "y")).rejects.toThrow("--checkpoint or --target");
  await expect(exported(out, "--output", "z", "--checkpoint", checkpoint)).rejects.toThrow('no node "z"');
  await expect(
    exported(join(folder, "no", "where"), "--output", "y", "--checkpoint", checkpoint),
  ).rejects.toThrow("does not exist");
});

/** y = w · part, where a Saver has w as "model/weight" and the part as the second row of "table". */
function withSaver(): Graph {
  const graph = new Graph();
  const w = ops.variable(graph, [0], { name: "w" });
  const part = ops.variable(graph, [[0]], { name: "table/part_1" });
  graph.op("Mul", [w.value, part.value], {}, "y");
  const restored = graph.op(
    "RestoreV2",
    [
      ops.constant(graph, "model", { name: "prefix" }),
      ops.constant(graph, ["model/weight", "table"]),
      ops.constant(graph, ["", "2 1 1,1:0,1"]),
    ],
    { dtypes: ["float32", "float32"] },
  );
  for (const [at, name] of ["w", "table/part_1"].entries()) {
    const variable = graph.operation(name).output;
    const isRef = graph.operation(name).type !== "VarHandleOp";
    const value = restored.outputs[at];
    if (value) graph.op(isRef ? "Assign" : "AssignVariableOp", [variable, value]);
  }
  return graph;
}

test("values come from the names and parts that the graph's own Saver restores", async () => {
  const saved = join(folder, "renamed.meta");
  await writeFile(saved, MetaGraphDef.encode(withSaver().toMetaGraphDef()).finish());
  const prefix = join(folder, "renamed");
  const writer = await BundleWriter.create(prefix, { resolve: async (path) => path });
  await writer.add("model/weight", Tensor.of([3], "float32"));
  await writer.add("table", Tensor.of([[5], [7]], "float32"));
  await writer.finish();
  const pb = join(folder, "renamed.pb");
  expect(await exportedFrom(saved, pb, "--checkpoint", prefix, "--output", "y")).toBe(0);
  const values = GraphDef.decode(await readFile(pb)).node.flatMap(({ name, attr }) => {
    const value = attr.get("value")?.value;
    return value?.$case === "tensor" ? [[name, tensorFromProto(value.value).toArray()]] : [];
  });
  expect(Object.fromEntries(values)).toEqual({ w: [3], "table/part_1": [[7]] });
  await expect(
    exportedFrom(saved, join(folder, "no.pb"), "--checkpoint", checkpoint, "--output", "table/part_1"),
  ).rejects.toThrow("has no value for table/part_1 (which the graph restores from table)");
});

test("an index in the place of a checkpoint of version 1 is refused", async () => {
  // A table, as which TensorFlow writes both the index of version 2 and the one file of version 1.
  const old = join(folder, "old.ckpt");
  await copyFile(`${checkpoint}.index`, old);
  await expect(exported(join(folder, "old.pb"), "--checkpoint", old, "--output", "y")).rejects.toThrow(
    "old.ckpt does not say which tensors it has",
  );
});
