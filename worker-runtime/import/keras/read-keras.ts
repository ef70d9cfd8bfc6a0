/** Opens models that Keras saved: .keras, and the older .h5. */

import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { Graph } from "../../graph/graph.js";
import { NodeBuilder } from "../../graph/layers/node-builder.js";
import type { Output } from "../../graph/operation.js";
import { localVariablesInitializer } from "../../graph/ops/index.js";
import { ZipArchive } from "../../io/zip.js";
import { invalidArgument } from "../../protocol/status.js";
import { Hdf5File } from "../hdf5.js";
import { servingMetaGraph } from "../serving-meta-graph.js";
import { CONFIG, MAX_CONFIG_BYTES, MAX_WEIGHT_BYTES, METADATA, partOf, WEIGHTS } from "./archive.js";
import { Model } from "./model-builder.js";
import { readModelConfig } from "./model-config.js";
import { parsePythonJson } from "./python-json.js";
import { legacyValues, storedValues, type WeightValues } from "./weight-values.js";

/** @throws TensorFlowError INVALID_ARGUMENT if it is damaged; UNIMPLEMENTED for what Tensordeck does not know */
export async function readKerasArchive(bytes: Uint8Array, name: string): Promise<MetaGraphDef> {
  const archive = new ZipArchive(bytes, name, ".keras file");
  const part = (file: string, maxBytes: number) => partOf(archive, name, file, maxBytes);
  const version = versionIn(parseJson(part(METADATA, MAX_CONFIG_BYTES), METADATA));
  const config = readModelConfig(parseJson(part(CONFIG, MAX_CONFIG_BYTES), CONFIG), version);
  const model = new Model(config);
  const weights = { name: WEIGHTS, maxBytes: MAX_WEIGHT_BYTES };
  return Hdf5File.with(part(WEIGHTS, MAX_WEIGHT_BYTES), weights, (file) =>
    graphOf(model, storedValues(file)),
  );
}

/** As `readKerasArchive`, of a whole model in HDF5. */
export async function readKerasHdf5(bytes: Uint8Array, name: string): Promise<MetaGraphDef> {
  return Hdf5File.with(bytes, { name, maxBytes: MAX_WEIGHT_BYTES }, (file) => {
    const text = file.texts("/", "model_config")?.[0];
    if (text === undefined) {
      throw invalidArgument(
        `"${name}" holds weights without a model, or something else than Keras wrote. Open the model, ` +
          "and restore its variables from this file.",
      );
    }
    const version = Number.parseInt(file.texts("/", "keras_version")?.[0] ?? "1", 10);
    const config = parseJson(new TextEncoder().encode(text), "model_config");
    const model = new Model(readModelConfig(config, version));
    return graphOf(model, legacyValues(file, "model_weights", model.weights()));
  });
}

function parseJson(bytes: Uint8Array, what: string): unknown {
  try {
    return parsePythonJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidArgument(`${what} is damaged (${reason}).`, { cause: error });
  }
}

function versionIn(metadata: unknown): number {
  const version: unknown =
    typeof metadata === "object" && metadata !== null ? Reflect.get(metadata, "keras_version") : undefined;
  return Number.parseInt(typeof version === "string" ? version : "3", 10);
}

/** A SavedModel's graph: its start operation gives the variables the file's values. */
function graphOf(model: Model, values: WeightValues): MetaGraphDef {
  const graph = new Graph();
  const inputs = model.placeholders(graph);
  const outputs = model.call(new NodeBuilder(graph, model.name), [...inputs.values()], values);
  const init = localVariablesInitializer(graph, { name: "init" });
  graph.addToCollection("saved_model_main_op", init);
  const names = new Map<string, Output>();
  for (const [at, output] of outputs.entries()) {
    const name = model.config.outputs[at]?.layer ?? "output";
    names.set(names.has(name) ? `${name}_${at}` : name, output);
  }
  return servingMetaGraph(graph, { inputs, outputs: names });
}
