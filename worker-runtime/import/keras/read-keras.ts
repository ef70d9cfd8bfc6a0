/** Opens models that Keras saved: .keras, and the older .h5. */
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { SignatureDef, TensorInfo } from "../../../protos/generated/tensorflow/meta_graph.js";
import { Graph } from "../../graph/graph.js";
import { NodeBuilder } from "../../graph/layers/node-builder.js";
import type { Output } from "../../graph/operation.js";
import { localVariablesInitializer } from "../../graph/ops/index.js";
import { DOCUMENT_COLLECTION } from "../../graph/private-attrs.js";
import { partialShapeToProto } from "../../graph/shape.js";
import { ZipArchive } from "../../io/zip.js";
import { dataTypeOf } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { Hdf5File } from "../hdf5.js";
import { Model } from "./model-builder.js";
import { readModelConfig } from "./model-config.js";
import { legacyValues, storedValues, type WeightValues } from "./weight-values.js";

const CONFIG = "config.json";
const METADATA = "metadata.json";
const WEIGHTS = "model.weights.h5";

/** Far more than the configuration of any model takes. */
const MAX_CONFIG_BYTES = 64 * 2 ** 20;
/** A graph holds at most this much in the window, and TensorFlow's messages twice as much. */
const MAX_WEIGHT_BYTES = 2 ** 30;

/** @throws TensorFlowError INVALID_ARGUMENT if it is damaged; UNIMPLEMENTED for what Tensordeck does not know */
export async function readKerasArchive(bytes: Uint8Array, name: string): Promise<MetaGraphDef> {
  const archive = new ZipArchive(bytes, name, ".keras file");
  const part = (file: string, maxBytes: number): Uint8Array => {
    const entry = archive.entries.get(file);
    if (!entry)
      throw invalidArgument(`"${name}" is a zip archive, but no model of Keras: it has no ${file}.`);
    if (entry.size <= maxBytes) return archive.content(file, entry);
    throw invalidArgument(
      `${file} in "${name}" is too large: it unpacks to ${Math.ceil(entry.size / 2 ** 20)} MiB.`,
    );
  };
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
        `"${name}" holds weights without a model, or something else than Keras wrote. Save the whole model, ` +
          "model.save(file), and open that.",
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
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
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
  const run = { fetches: [...new Set(outputs.map(({ name }) => name))] };
  graph.addToCollection(DOCUMENT_COLLECTION, JSON.stringify({ run }));
  const metaGraph = graph.toMetaGraphDef();
  const names = new Map<string, Output>();
  for (const [at, output] of outputs.entries()) {
    const name = model.config.outputs[at]?.layer ?? "output";
    names.set(names.has(name) ? `${name}_${at}` : name, output);
  }
  const signature = SignatureDef.fromPartial({ methodName: "tensorflow/serving/predict" });
  return {
    ...metaGraph,
    ...(metaGraph.metaInfoDef && { metaInfoDef: { ...metaGraph.metaInfoDef, tags: ["serve"] } }),
    signatureDef: new Map([
      ["serving_default", { ...signature, inputs: infosOf(inputs), outputs: infosOf(names) }],
    ]),
  };
}

function infosOf(tensors: ReadonlyMap<string, Output>): Map<string, TensorInfo> {
  return new Map(
    [...tensors].map(([name, tensor]) => [
      name,
      TensorInfo.fromPartial({
        encoding: { $case: "name", value: tensor.name },
        dtype: dataTypeOf(tensor.dtype),
        tensorShape: partialShapeToProto(tensor.shape),
      }),
    ]),
  );
}
