/** Models of a few layers, as files have them: what is drawn of them at first. */
import { beforeAll, describe, expect, it } from "vitest";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { hierarchyFor, isArranged, NO_WEIGHTS } from "../../../renderer/document/arrangement.js";
import { readDocument } from "../../../renderer/document/document-file.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import { firstOpen, visibleGraph } from "../../../renderer/document/visible-graph.js";
import { readKerasArchive } from "../../../worker-runtime/import/keras/read-keras.js";
import { hdf5File, kerasArchive, serialized } from "../../support/keras-file.js";
import { node } from "./graphs.js";

const dense = (name: string, units: number, activation: string) =>
  serialized("Dense", { name, units, activation, use_bias: true });

/** Three layers on 4 features, two of them with weights. */
async function network(): Promise<MetaGraphDef> {
  const input = serialized("InputLayer", { name: "features", batch_shape: [null, 4] });
  const layers = [
    serialized("Flatten", { name: "flat" }),
    dense("hidden", 4, "relu"),
    dense("scores", 4, "softmax"),
  ];
  const weights = await hdf5File((file) => {
    const groups = file.create_group("layers");
    for (const name of ["dense", "dense_1"]) {
      const vars = groups.create_group(name).create_group("vars");
      vars.create_dataset({ name: "0", data: new Float32Array(16), shape: [4, 4] });
      vars.create_dataset({ name: "1", data: new Float32Array(4), shape: [4] });
    }
  });
  const config = { class_name: "Sequential", config: { name: "network", layers: [input, ...layers] } };
  return await readKerasArchive(kerasArchive(config, weights), "network.keras");
}

function opened(metaGraph: MetaGraphDef): GraphDocument {
  return readDocument({
    ...{ name: "network.keras", kind: "meta_graph", format: "binary" },
    metaGraph: MetaGraphDef.encode(metaGraph).finish(),
  });
}

/** The names of the nodes and boxes that are drawn at first. */
function drawn({ nodes }: GraphDocument): string[] {
  const hierarchy = hierarchyFor(nodes, NO_WEIGHTS);
  const { items } = visibleGraph(nodes, hierarchy, new Set(firstOpen(hierarchy)));
  return items.filter(({ kind }) => kind !== "frame").map(({ id }) => id);
}

describe("a model of Keras with three layers", () => {
  let document: GraphDocument;
  beforeAll(async () => {
    document = opened(await network());
  });

  it("is drawn in a scope for each layer, without what only initializes its weights", () => {
    expect(document.nodes.size).toBeLessThanOrEqual(40);
    expect(isArranged(document)).toBe(true);
    expect([...hierarchyFor(document.nodes, NO_WEIGHTS).tree.byId.keys()]).toEqual(
      expect.arrayContaining(["scope:flat", "scope:hidden", "scope:scores"]),
    );
    expect(
      drawn(document).filter((id) => /Initializer|Assign|VarIsInitialized|kernel|bias/.test(id)),
    ).toEqual([]);
  });
});

describe("a SavedModel of TensorFlow 2 with two layers", () => {
  /** A variable as `tf.saved_model.save` writes it: the model's own, and a copy that checkpoints are read into. */
  const variable = (name: string, copy: string) => [
    node(name, "VarHandleOp"),
    node(`${name}/Read/ReadVariableOp`, "ReadVariableOp", [name]),
    node(`${copy}/Initializer/ReadVariableOp`, "ReadVariableOp", [name]),
    node(copy, "VarHandleOp"),
    node(`${copy}/IsInitialized/VarIsInitializedOp`, "VarIsInitializedOp", [copy]),
    node(`${copy}/Assign`, "AssignVariableOp", [copy, `${copy}/Initializer/ReadVariableOp`]),
    node(`${copy}/Read/ReadVariableOp`, "ReadVariableOp", [copy]),
  ];
  const own = ["hidden/kernel", "hidden/bias", "scores/kernel", "scores/bias"];
  const copies = ["Variable", "Variable_1", "Variable_2", "Variable_3"];
  const nodes = [
    ...own.flatMap((name, index) => variable(name, copies[index] ?? "")),
    node("serving_default_x", "Placeholder"),
    node("StatefulPartitionedCall", "StatefulPartitionedCall", ["serving_default_x", ...own]),
    node("saver_filename", "Placeholder"),
    node("StatefulPartitionedCall_1", "StatefulPartitionedCall", ["saver_filename", ...copies]),
  ];

  it("is drawn as its calls and what they are given", () => {
    const document = opened(MetaGraphDef.fromPartial({ graphDef: { node: nodes } }));
    expect(document.nodes.size).toBe(32);
    expect(isArranged(document)).toBe(true);
    expect(drawn(document).sort()).toEqual([
      ...["StatefulPartitionedCall", "StatefulPartitionedCall_1", "saver_filename", "serving_default_x"],
    ]);
  });
});
