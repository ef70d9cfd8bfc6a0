/** Reads the weights that Keras saved, with or without a model, by layer. */
import { ZipArchive } from "../../io/zip.js";
import { invalidArgument } from "../../protocol/status.js";
import type { Tensor } from "../../protocol/tensor.js";
import { Hdf5File } from "../hdf5.js";
import { MAX_WEIGHT_BYTES, partOf, WEIGHTS } from "./archive.js";

/** One value of a layer. */
export interface SavedWeight {
  /** In an older file the variable's own name, "dense/kernel", otherwise its place in the file, "vars/0". */
  readonly name: string;
  readonly value: Tensor;
}

export interface SavedLayer {
  /** Behind the names of the models that it is in: "inner/dense". */
  readonly name: string;
  /** In the order in which Keras lists them. */
  readonly weights: readonly SavedWeight[];
}

/** Parts of layers that Keras lists otherwise than by the alphabet. */
const ORDER = ["forward_layer", "backward_layer", "query_dense", "key_dense", "value_dense", "output_dense"];

/** @throws TensorFlowError INVALID_ARGUMENT if the file is damaged or has no weights */
export function readKerasWeights(
  bytes: Uint8Array,
  name: string,
  isZip: boolean,
): Promise<readonly SavedLayer[]> {
  const content = isZip
    ? partOf(new ZipArchive(bytes, name, ".keras file"), name, WEIGHTS, MAX_WEIGHT_BYTES)
    : bytes;
  return Hdf5File.with(content, { name, maxBytes: MAX_WEIGHT_BYTES }, (file) => {
    const layers = file.texts("/model_weights", "layer_names")
      ? legacyLayers(file, "/model_weights/")
      : file.texts("/", "layer_names")
        ? legacyLayers(file, "/")
        : storedLayers(file);
    if (layers.length > 0) return layers;
    throw invalidArgument(`"${name}" has no weights of layers.`);
  });
}

function legacyLayers(file: Hdf5File, group: string): readonly SavedLayer[] {
  const names = file.texts(group, "layer_names") ?? [];
  return names.flatMap((name) => {
    const weights = file.texts(`${group}${name}`, "weight_names") ?? [];
    return weights.length === 0
      ? []
      : [
          {
            name,
            weights: weights.map((weight) => ({
              name: weight.replace(/:0$/, ""),
              value: file.read(`${group}${name}/${weight}`),
            })),
          },
        ];
  });
}

/** A dataset "layers/sequential/layers/dense/vars/0" belongs to the layer in the last folder "layers". */
function storedLayers(file: Hdf5File): readonly SavedLayer[] {
  const layers = new Map<string, string[]>();
  for (const path of file.datasets()) {
    const folder = /^(.*\/(?:layers|_layer_checkpoint_dependencies)\/[^/]+)\//.exec(path)?.[1];
    if (folder === undefined || /\/(seed_generator|optimizer)\//.test(path)) continue;
    const paths = layers.get(folder);
    if (paths) paths.push(path);
    else layers.set(folder, [path]);
  }
  return [...layers].map(([folder, paths]) => ({
    name: layerName(file, folder),
    weights: paths
      .map((path) => ({ path, name: path.slice(folder.length + 1) }))
      .sort((one, other) => compareNames(one.name, other.name))
      .map(({ path, name }) => ({ name, value: file.read(path) })),
  }));
}

/** The names of the layers on the way; files of Keras before 3.8 have only those of the folders. */
function layerName(file: Hdf5File, folder: string): string {
  const names: string[] = [];
  for (let at = folder; at !== ""; at = at.replace(/\/[^/]+\/[^/]+$/, "")) {
    names.unshift(file.texts(`${at}/vars`, "name")?.[0] ?? at.slice(at.lastIndexOf("/") + 1));
    if (!/\/[^/]+\/[^/]+\/[^/]+\/[^/]+$/.test(at)) break;
  }
  return names.join("/");
}

function compareNames(one: string, other: string): number {
  const [a, b] = [one.split("/"), other.split("/")];
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0
    ? a.length - b.length
    : rankOf(a[at]) - rankOf(b[at]) || (a[at] ?? "").localeCompare(b[at] ?? "");
}

/** Numbers by their value, and parts of layers as Keras lists them. */
function rankOf(part = ""): number {
  return /^\d+$/.test(part) ? Number(part) : ORDER.indexOf(part.replace(/^_/, ""));
}
