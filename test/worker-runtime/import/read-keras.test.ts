import { strToU8, zipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { readChosenRun } from "../../../worker-runtime/graph/document-settings.js";
import { DOCUMENT_COLLECTION } from "../../../worker-runtime/graph/private-attrs.js";
import { importModel, readModelFile } from "../../../worker-runtime/import/import-model.js";
import { readKerasArchive, readKerasHdf5 } from "../../../worker-runtime/import/keras/read-keras.js";
import { readKerasWeights } from "../../../worker-runtime/import/keras/read-weights.js";
import { tensorFromProto } from "../../../worker-runtime/protocol/tensor.js";
import {
  DENSE,
  hdf5File,
  kerasArchive,
  sequentialConfig,
  serialized,
  writeDense,
} from "../../support/keras-file.js";

const config = sequentialConfig(DENSE);
let weights: Uint8Array;

beforeAll(async () => {
  weights = await hdf5File(writeDense);
});

function constantOf(metaGraph: MetaGraphDef, name: string): unknown {
  const value = metaGraph.graphDef?.node.find((node) => node.name === name)?.attr.get("value")?.value;
  return value?.$case === "tensor" ? tensorFromProto(value.value).toArray() : undefined;
}

describe("a model of Keras", () => {
  it("becomes a graph with a scope for each layer, whose variables begin with its weights", async () => {
    const metaGraph = await readKerasArchive(kerasArchive(config, weights), "small.keras");
    const ops = new Map(metaGraph.graphDef?.node.map(({ name, op }) => [name, op]));
    expect(ops.get("features")).toBe("Placeholder");
    expect(ops.get("scores/kernel")).toBe("VarHandleOp");
    expect(constantOf(metaGraph, "scores/kernel/Initializer/initial_value")).toEqual([
      [1, 2, 3],
      [10, 20, 30],
    ]);
    expect(metaGraph.collectionDef.has("trainable_variables")).toBe(true);
    expect(readChosenRun(metaGraph.collectionDef.get(DOCUMENT_COLLECTION)).fetches).toEqual([
      "scores/output:0",
    ]);
    const signature = metaGraph.signatureDef.get("serving_default");
    expect([...(signature?.inputs.keys() ?? [])]).toEqual(["features"]);
    expect([...(signature?.outputs.keys() ?? [])]).toEqual(["scores"]);
  });

  it("is read from the older format, too", async () => {
    const bytes = await hdf5File((file) => {
      file.create_attribute("model_config", JSON.stringify(config));
      file.create_attribute("keras_version", "2.11.0");
      const group = file.create_group("model_weights");
      group.create_attribute("layer_names", ["features", "scores"]);
      const layer = group.create_group("scores");
      layer.create_attribute("weight_names", ["scores/kernel:0", "scores/bias:0"]);
      const inner = layer.create_group("scores");
      inner.create_dataset({ name: "kernel:0", data: new Float32Array(6).fill(2), shape: [2, 3] });
      inner.create_dataset({ name: "bias:0", data: new Float32Array(3).fill(4), shape: [3] });
    });
    const metaGraph = await readKerasHdf5(bytes, "small.h5");
    expect(constantOf(metaGraph, "scores/bias/Initializer/initial_value")).toEqual([4, 4, 4]);
  });

  it("is read in a thread of its own", async () => {
    const { kind, metaGraph } = await readModelFile(kerasArchive(config, weights), "small.keras");
    expect(kind).toBe("saved_model");
    expect(metaGraph.graphDef?.node.some(({ name }) => name === "scores/output")).toBe(true);
    const aborted = AbortSignal.abort(new Error("closed"));
    await expect(importModel(weights, "x.h5", { signal: aborted })).rejects.toMatchObject({
      codeName: "CANCELLED",
    });
  });
});

describe("what is no model, or not a whole one", () => {
  const read = (bytes: Uint8Array) => readKerasArchive(bytes, "bad.keras");
  const dense = (changes: Readonly<Record<string, unknown>>) =>
    sequentialConfig({ ...DENSE, config: { ...DENSE.config, ...changes } });

  it.each<[string, unknown, RegExp]>([
    ["JSON that ends early", "{", /config\.json is damaged/],
    ["no model", { class_name: 3 }, /configuration is damaged/],
    ["a subclassed model", { class_name: "MyModel", config: {} }, /class MyModel.*SavedModel/],
    ["units that are no number", dense({ units: "many" }), /"scores" \(Dense\) has no valid "units"/],
    ["a huge number of units", dense({ units: 2 ** 40 }), /no valid "units"/],
    ["other units than the weights", dense({ units: 4 }), /takes "kernel" of shape \[2, 4\].*has \[2, 3\]/],
    ["an unknown activation", dense({ activation: "mine" }), /has the activation "mine".*export/],
    ["float16", dense({ dtype: "float16" }), /computes in float16/],
    [
      "an unknown layer",
      sequentialConfig(serialized("Mystery", { name: "x" })),
      /"x" \(Mystery\) is of a kind/,
    ],
    [
      "a custom layer",
      sequentialConfig(serialized("Dense", { name: "x" }, "mine")),
      /a program defines itself/,
    ],
    ["two layers of one name", sequentialConfig(DENSE, DENSE), /two layers "scores"/],
  ])("is refused: %s", async (_what, bad, expected) => {
    await expect(read(kerasArchive(bad, weights))).rejects.toThrow(expected);
  });

  it("says which tensors no layer makes", async () => {
    const loop = {
      class_name: "Functional",
      config: {
        name: "loop",
        layers: [
          { ...serialized("InputLayer", { name: "features", batch_shape: [null, 2] }), inbound_nodes: [] },
          { ...DENSE, inbound_nodes: [[["scores", 0, 0, {}]]] },
        ],
        input_layers: [["features", 0, 0]],
        output_layers: [["scores", 0, 0]],
      },
    };
    await expect(read(kerasArchive(loop, weights))).rejects.toThrow(
      /"scores" take tensors that no layer makes/,
    );
  });

  it("is refused without weights, with parts of them, or with damaged ones", async () => {
    const none = await hdf5File(() => undefined);
    await expect(read(kerasArchive(config, none))).rejects.toThrow(
      /"scores" \(Dense\) has no weights "kernel"/,
    );
    await expect(read(kerasArchive(config, weights.subarray(0, 700)))).rejects.toThrow(/damaged/);
    await expect(read(kerasArchive(config, strToU8("hello")))).rejects.toThrow(/damaged/);
    await expect(read(zipSync({ "a.txt": strToU8("a") }))).rejects.toThrow(/not a Keras model/);
    await expect(readKerasHdf5(weights, "x.weights.h5")).rejects.toThrow(/holds weights without a model/);
  });

  it("takes no more memory than it should: what unpacks to far more, and what claims any size", async () => {
    const bomb = zipSync({
      "metadata.json": strToU8("{}"),
      "config.json": new Uint8Array(80 * 2 ** 20),
      "model.weights.h5": weights,
    });
    await expect(read(bomb)).rejects.toThrow(
      /config\.json in "bad\.keras" is too large: it unpacks to 80 MiB/,
    );
    const huge = await hdf5File((file) => {
      const vars = file.create_group("layers").create_group("dense").create_group("vars");
      const made = vars.create_dataset({
        ...{ name: "0", data: new Float32Array(1), shape: [1, 1] },
        ...{ maxshape: [null, null], chunks: [1, 1] },
      });
      made.resize([2 ** 20, 2 ** 20]);
    });
    expect(huge.length).toBeLessThan(100_000);
    await expect(read(kerasArchive(config, huge))).rejects.toThrow(/larger than 1024 MiB/);
  });

  it("does not follow groups that contain each other without an end", async () => {
    const cyclic = await hdf5File((file) => {
      const group = file.create_group("layers");
      for (const name of ["a", "b", "c"]) group.create_hard_link("/layers", name);
    });
    await expect(readKerasWeights(cyclic, "x.h5", false)).rejects.toThrow(
      /damaged.*(more than 100000 paths|no end)/,
    );
  });

  it("reads no other file through a link", async () => {
    const linked = await hdf5File((file) => {
      const vars = file.create_group("layers").create_group("dense").create_group("vars");
      vars.create_external_link("/etc/hostname", "/", "0");
      vars.create_soft_link("/layers/dense/vars/1", "1");
    });
    await expect(read(kerasArchive(config, linked))).rejects.toThrow(/has no weights "kernel"/);
  });
});
