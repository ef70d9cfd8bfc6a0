import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
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
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";

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
  // What was exported can be exported again, with its own values.
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
