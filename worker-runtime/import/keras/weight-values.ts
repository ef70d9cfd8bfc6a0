/** Where a file has the values of a layer's weights. */
import { didYouMean } from "../../graph/similar-names.js";
import { invalidArgument } from "../../protocol/status.js";
import type { Tensor } from "../../protocol/tensor.js";
import type { Hdf5File } from "../hdf5.js";

/** A weight of a model by its place in a .keras file, "layers/dense/vars/0", in the order in which Keras lists them. */
export interface PlacedWeight {
  readonly places: readonly string[];
  /** The layer of the whole model that it belongs to, directly or within it. */
  readonly owner: string;
  readonly isTrained: boolean;
}

/** The value of a weight that may be at any of these places; undefined if the file has none. */
export type WeightValues = (places: readonly string[]) => Tensor | undefined;

/** The values in the model.weights.h5 of a .keras file. */
export function storedValues(file: Hdf5File): WeightValues {
  return (places) => {
    // Keras 2.13 named the folder of layers so.
    const old = places.map((place) => place.replace(/(^|\/)layers\//g, "$1_layer_checkpoint_dependencies/"));
    const found = [...places, ...old].find((place) => file.dataset(place) !== undefined);
    return found === undefined ? undefined : file.read(found);
  };
}

/**
 * The values in a file of the older format (.h5), which has for each layer of the model all weights in it, first those
 * that are trained, then the others.
 *
 * @param group where the layers are, "model_weights"
 * @throws TensorFlowError INVALID_ARGUMENT if a layer has another number of weights in the file
 */
export function legacyValues(file: Hdf5File, group: string, weights: readonly PlacedWeight[]): WeightValues {
  const owners = new Map<string, PlacedWeight[]>();
  for (const weight of weights) {
    const list = owners.get(weight.owner);
    if (list) list.push(weight);
    else owners.set(weight.owner, [weight]);
  }
  const layers = file.texts(group, "layer_names") ?? [];
  const paths = new Map<string, string>();
  for (const [owner, all] of owners) {
    if (!layers.includes(owner)) {
      throw invalidArgument(`The file has no weights of the layer "${owner}".${didYouMean(owner, layers)}`);
    }
    const names = file.texts(`${group}/${owner}`, "weight_names") ?? [];
    const ordered = [
      ...all.filter(({ isTrained }) => isTrained),
      ...all.filter(({ isTrained }) => !isTrained),
    ];
    if (names.length !== ordered.length) {
      throw invalidArgument(
        `The layer "${owner}" has ${ordered.length} weights, but ${names.length} in the file: ${names.join(", ")}.`,
      );
    }
    for (const [at, { places }] of ordered.entries()) {
      for (const place of places) paths.set(place, `${group}/${owner}/${names[at]}`);
    }
  }
  return (places) => {
    const path = paths.get(places[0] ?? "");
    return path === undefined ? undefined : file.read(path);
  };
}
