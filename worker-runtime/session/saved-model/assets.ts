import { AssetFileDef, type MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";

/** The names of the files in a SavedModel's folder of assets, by the tensor that receives their path. */
export type Assets = ReadonlyMap<string, string>;

/** The assets of a meta graph: TensorFlow 2 lists them in a separate field, TensorFlow 1 also in a collection. */
export function assetsOf({ assetFileDef, collectionDef }: MetaGraphDef): Assets {
  const assets = new Map<string, string>();
  const add = ({ tensorInfo, filename }: AssetFileDef) => {
    if (tensorInfo?.encoding?.$case === "name") assets.set(tensorInfo.encoding.value, filename);
  };
  const kind = collectionDef.get("saved_model_assets")?.kind;
  if (kind?.$case === "anyList") for (const { value } of kind.value.value) add(AssetFileDef.decode(value));
  for (const asset of assetFileDef) add(asset);
  return assets;
}
