/** References to nodes outside the graph itself: collections, signatures, the saver. */
import type {
  CollectionDef,
  MetaGraphDef,
  SignatureDef,
  TensorInfo,
} from "../../../protos/generated/tensorflow/meta_graph.js";
import { VariableDef } from "../../../protos/generated/tensorflow/variable.js";

/** Collections of serialized VariableDef, as TensorFlow's Python client registers them (ops.GraphKeys). */
const VARIABLE_COLLECTIONS = new Set([
  "variables",
  "trainable_variables",
  "local_variables",
  "model_variables",
  "moving_average_variables",
  "concatenated_variables",
  "metric_variables",
  "global_step",
]);

/** The same object when nothing names the node. */
export function renameInMetaGraph(metaGraph: MetaGraphDef, from: string, to: string): MetaGraphDef {
  return withTensorNames(metaGraph, (name) => {
    if (name === from) return to;
    return name.startsWith(`${from}:`) ? to + name.slice(from.length) : name;
  });
}

/** With other names of nodes and tensors; the same object when none differs. */
export function withTensorNames(metaGraph: MetaGraphDef, tensor: (name: string) => string): MetaGraphDef {
  const collectionDef = mapValues(metaGraph.collectionDef, (collection, key) =>
    inCollection(collection, key, tensor),
  );
  const signatureDef = mapValues(metaGraph.signatureDef, (signature) => inSignature(signature, tensor));
  const { saverDef } = metaGraph;
  const saver = saverDef && {
    ...saverDef,
    filenameTensorName: tensor(saverDef.filenameTensorName),
    saveTensorName: tensor(saverDef.saveTensorName),
    restoreOpName: tensor(saverDef.restoreOpName),
  };
  const sameSaver =
    saver?.filenameTensorName === saverDef?.filenameTensorName &&
    saver?.saveTensorName === saverDef?.saveTensorName &&
    saver?.restoreOpName === saverDef?.restoreOpName;
  if (collectionDef === metaGraph.collectionDef && signatureDef === metaGraph.signatureDef && sameSaver) {
    return metaGraph;
  }
  return { ...metaGraph, collectionDef, signatureDef, saverDef: sameSaver ? saverDef : saver };
}

type Rename = (name: string) => string;

function mapValues<V>(map: Map<string, V>, change: (value: V, key: string) => V): Map<string, V> {
  const result = new Map([...map].map(([key, value]) => [key, change(value, key)]));
  return [...map].some(([key, value]) => result.get(key) !== value) ? result : map;
}

function inCollection(collection: CollectionDef, key: string, tensor: Rename): CollectionDef {
  const { kind } = collection;
  if (kind?.$case === "nodeList") {
    const value = kind.value.value.map(tensor);
    if (value.every((name, index) => name === kind.value.value[index])) return collection;
    return { ...collection, kind: { $case: "nodeList", value: { ...kind.value, value } } };
  }
  if (kind?.$case !== "bytesList" || !VARIABLE_COLLECTIONS.has(key)) return collection;
  const value = kind.value.value.map((bytes) => inVariable(bytes, tensor));
  if (value.every((bytes, index) => bytes === kind.value.value[index])) return collection;
  return { ...collection, kind: { $case: "bytesList", value: { ...kind.value, value } } };
}

function inVariable(bytes: Uint8Array, tensor: Rename): Uint8Array {
  let variable: VariableDef;
  try {
    variable = VariableDef.decode(bytes);
  } catch {
    // Not a VariableDef after all; unreadable entries stay unchanged.
    return bytes;
  }
  const renamed = {
    ...variable,
    variableName: tensor(variable.variableName),
    initialValueName: tensor(variable.initialValueName),
    initializerName: tensor(variable.initializerName),
    snapshotName: tensor(variable.snapshotName),
  };
  const same =
    renamed.variableName === variable.variableName &&
    renamed.initialValueName === variable.initialValueName &&
    renamed.initializerName === variable.initializerName &&
    renamed.snapshotName === variable.snapshotName;
  return same ? bytes : VariableDef.encode(renamed).finish();
}

function inSignature(signature: SignatureDef, tensor: Rename): SignatureDef {
  const inputs = mapValues(signature.inputs, (info) => inTensorInfo(info, tensor));
  const outputs = mapValues(signature.outputs, (info) => inTensorInfo(info, tensor));
  return inputs === signature.inputs && outputs === signature.outputs
    ? signature
    : { ...signature, inputs, outputs };
}

function inTensorInfo(info: TensorInfo, tensor: Rename): TensorInfo {
  const { encoding } = info;
  if (encoding?.$case === "name") {
    const value = tensor(encoding.value);
    return value === encoding.value ? info : { ...info, encoding: { $case: "name", value } };
  }
  if (encoding?.$case === "compositeTensor") {
    const components = encoding.value.components.map((part) => inTensorInfo(part, tensor));
    if (components.every((part, index) => part === encoding.value.components[index])) return info;
    return { ...info, encoding: { $case: "compositeTensor", value: { ...encoding.value, components } } };
  }
  if (encoding?.$case !== "cooSparse") return info;
  const value = {
    ...encoding.value,
    valuesTensorName: tensor(encoding.value.valuesTensorName),
    indicesTensorName: tensor(encoding.value.indicesTensorName),
    denseShapeTensorName: tensor(encoding.value.denseShapeTensorName),
  };
  const same =
    value.valuesTensorName === encoding.value.valuesTensorName &&
    value.indicesTensorName === encoding.value.indicesTensorName &&
    value.denseShapeTensorName === encoding.value.denseShapeTensorName;
  return same ? info : { ...info, encoding: { $case: "cooSparse", value } };
}
