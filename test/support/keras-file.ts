/** Files as Keras writes them, without Keras. */
import { strToU8, zipSync } from "fflate";
import hdf5, { type File as HdfFile } from "h5wasm";

/** An HDF5 file with what `write` puts in it. */
export async function hdf5File(write: (file: HdfFile) => void): Promise<Uint8Array> {
  const { FS } = await hdf5.ready;
  const path = "/written.h5";
  const file = new hdf5.File(path, "w");
  write(file);
  file.close();
  const bytes = FS.readFile(path);
  FS.unlink(path);
  return bytes;
}

/** A layer as Keras 3 serializes it. */
export function serialized(
  className: string,
  config: Readonly<Record<string, unknown>>,
  module = "keras.layers",
) {
  return { module, class_name: className, config: { trainable: true, dtype: "float32", ...config } };
}

/** A Sequential model of two inputs, with these layers. */
export function sequentialConfig(...layers: readonly ReturnType<typeof serialized>[]) {
  const input = serialized("InputLayer", { name: "features", batch_shape: [null, 2] });
  return { class_name: "Sequential", config: { name: "small", layers: [input, ...layers] } };
}

export const DENSE = serialized("Dense", { name: "scores", units: 3, activation: "linear", use_bias: true });

/** The weights of DENSE: outputs are x₀ + x₁ · 10 + 0.5, and so on. */
export function writeDense(file: HdfFile): void {
  const vars = file.create_group("layers").create_group("dense").create_group("vars");
  vars.create_dataset({ name: "0", data: new Float32Array([1, 2, 3, 10, 20, 30]), shape: [2, 3] });
  vars.create_dataset({ name: "1", data: new Float32Array([0.5, 0.5, 0.5]), shape: [3] });
}

/** A .keras file. */
export function kerasArchive(config: unknown, weights: Uint8Array): Uint8Array {
  return zipSync({
    "metadata.json": strToU8(JSON.stringify({ keras_version: "3.15.1" })),
    "config.json": strToU8(typeof config === "string" ? config : JSON.stringify(config)),
    "model.weights.h5": weights,
  });
}
