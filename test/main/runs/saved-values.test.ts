import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RestoreTarget, SavedValues, SavedValuesError } from "../../../main/runs/saved-values.js";
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { BundleWriter } from "../../../worker-runtime/io/tensor-bundle/bundle-writer.js";
import { Tensor, tensorToProto } from "../../../worker-runtime/protocol/tensor.js";
import { variablesPrefix } from "../../../worker-runtime/session/saved-model/restore.js";

const FLOAT: AttrValue = { value: { $case: "type", value: DataType.DT_FLOAT } };
const texts = (...values: string[]) =>
  new Map<string, AttrValue>([
    ["dtype", { value: { $case: "type", value: DataType.DT_STRING } }],
    ["value", { value: { $case: "tensor", value: tensorToProto(Tensor.of(values, "string")) } }],
  ]);

/** Reference variables with the nodes that TensorFlow's Saver makes to restore them. */
function graphOf(...variables: string[]): GraphDef {
  const types: AttrValue = {
    value: {
      $case: "list",
      value: { s: [], i: [], f: [], b: [], shape: [], tensor: [], func: [], type: variables.map(() => 1) },
    },
  };
  const assigns = variables.map((name, i) => ({
    name: `save/Assign_${i}`,
    op: "Assign",
    input: [name, `save/RestoreV2:${i}`],
    attr: new Map([["T", FLOAT]]),
  }));
  return GraphDef.fromPartial({
    node: [
      ...variables.map((name) => ({ name, op: "VariableV2", attr: new Map([["dtype", FLOAT]]) })),
      { name: "save/Const", op: "Const", attr: texts("model") },
      { name: "save/names", op: "Const", attr: texts(...variables) },
      { name: "save/slices", op: "Const", attr: texts(...variables.map(() => "")) },
      {
        name: "save/RestoreV2",
        op: "RestoreV2",
        input: ["save/Const", "save/names", "save/slices"],
        attr: new Map([["dtypes", types]]),
      },
      ...assigns,
      { name: "save/restore_all", op: "NoOp", input: assigns.map(({ name }) => `^${name}`) },
    ],
  });
}

const notes = MetaGraphDef.encode(
  MetaGraphDef.fromPartial({
    saverDef: { restoreOpName: "save/restore_all", filenameTensorName: "save/Const:0" },
  }),
).finish();

describe("saved values", () => {
  let folder = "";
  let values: SavedValues;
  /** The feeds of the steps, in order. */
  let fed: unknown[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-values-"));
    fed = [];
    values = new SavedValues((sourceId) => (sourceId === "dropped" ? undefined : folder));
    const writer = await BundleWriter.create(variablesPrefix(folder), {
      resolve: (path) => Promise.resolve(path),
    });
    await writer.add("v", Tensor.of([1, 2]));
    await writer.add("w", Tensor.of([3]));
    await writer.finish();
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const target = (incarnation = "1"): RestoreTarget => ({
    session: {
      extend: async () => undefined,
      run: async (_fetches, { feeds } = {}) => {
        for (const tensor of (feeds as Map<string, Tensor>).values()) fed.push(tensor.toArray());
        return { values: [] };
      },
    },
    members: [{ name: "worker/0", incarnation }],
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  const restore = (graph: GraphDef, { sourceId = "a", wanted = true, at = target() } = {}) =>
    values.restore({ sourceId, notes, wanted }, graph, at);

  it("are brought once, and what the graph gained since afterwards", async () => {
    await restore(graphOf("v"));
    await restore(graphOf("v"));
    expect(fed).toEqual([[1, 2]]);
    await restore(graphOf("v", "w"));
    expect(fed).toEqual([[1, 2], [3]]);
  });

  it("are restored again after a task was restarted, and after they were left out", async () => {
    await restore(graphOf("v"));
    await restore(graphOf("v"), { at: target("2") });
    expect(fed).toHaveLength(2);
    await restore(graphOf("v"), { at: target("2"), wanted: false });
    expect(fed).toHaveLength(2);
    await restore(graphOf("v"), { at: target("2") });
    expect(fed).toHaveLength(3);
  });

  it("are brought again after another document ran that has variables of the same names", async () => {
    await restore(graphOf("v"));
    values.forgetOthers("b", graphOf("x"));
    await restore(graphOf("v"));
    expect(fed).toHaveLength(1);
    values.forgetOthers(undefined, graphOf("v"));
    await restore(graphOf("v"));
    expect(fed).toHaveLength(2);
  });

  it("that are missing are an error that names the file, or says why it is unknown", async () => {
    await rm(join(folder, "variables"), { recursive: true });
    const missing = restore(graphOf("v"));
    await expect(missing).rejects.toBeInstanceOf(SavedValuesError);
    await expect(missing).rejects.toMatchObject({
      problem: { code: "NOT_FOUND", reason: expect.stringContaining(join("variables", "variables.index")) },
    });
    await expect(restore(graphOf("v"), { sourceId: "dropped" })).rejects.toMatchObject({
      problem: { reason: expect.stringContaining("files next to the graph") },
    });
    expect(fed).toEqual([]);
  });
});
