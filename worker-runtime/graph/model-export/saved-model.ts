/** The MetaGraphDef of a SavedModel: a model's graph, its signature, and nodes that save and restore its variables. */
import {
  type MetaGraphDef,
  type SignatureDef,
  SignatureDef as SignatureDefMessage,
  TensorInfo,
} from "../../../protos/generated/tensorflow/meta_graph.js";
import {
  type SaverDef,
  SaverDef_CheckpointFormatVersion,
  SaverDef as SaverDefMessage,
} from "../../../protos/generated/tensorflow/saver.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { VariableDef } from "../../../protos/generated/tensorflow/variable.js";
import { dataTypeOf } from "../../protocol/dtype.js";
import type { Tensor } from "../../protocol/tensor.js";
import { Graph } from "../graph.js";
import type { Operation, Output } from "../operation.js";
import { constant } from "../ops/constants.js";
import { group } from "../ops/control-flow.js";
import { GraphKeys } from "../ops/state.js";
import { SERVING_SIGNATURE, servingSignature } from "../serving-signature.js";
import type { ServedVariable, ServingGraph } from "./serving-graph.js";

/** Where loaders find what to run once after the variables are restored. */
const INIT_SIGNATURE = "__saved_model_init_op";

export interface TableContent {
  /** The table's node. */
  readonly name: string;
  readonly keys: Tensor;
  readonly values: Tensor;
}

/**
 * @param contents of the tables, which become part of the graph
 * @returns what tf.saved_model.load and TensorFlow Serving take; the values of the variables are in a checkpoint under
 *   their names
 */
export function savedModelGraph(serving: ServingGraph, contents: readonly TableContent[] = []): MetaGraphDef {
  const graph = Graph.fromGraphDef(serving.graphDef);
  const saverDef = serving.variables.length === 0 ? undefined : addSaver(graph, serving.variables);
  const init = contents.length === 0 ? undefined : addTables(graph, contents);
  const metaGraph = graph.toMetaGraphDef();
  const tensors = (names: ReadonlyMap<string, string>) =>
    new Map([...names].map(([name, tensor]) => [name, graph.tensor(tensor)]));
  const signature = { inputs: tensors(serving.inputs), outputs: tensors(serving.outputs) };
  return {
    ...metaGraph,
    ...(metaGraph.metaInfoDef && { metaInfoDef: { ...metaGraph.metaInfoDef, tags: ["serve"] } }),
    saverDef,
    signatureDef: new Map([
      [SERVING_SIGNATURE, servingSignature(signature)],
      ...(init ? [[INIT_SIGNATURE, operationSignature(init)] as const] : []),
    ]),
  };
}

/** The operation that fills all tables. */
function addTables(graph: Graph, contents: readonly TableContent[]): Operation {
  return graph.withNameScope("tables", () => {
    const fills = contents.map(({ name, keys, values }) => {
      const table = graph.tensor(name);
      const { type } = table.op;
      const isMutable = type.startsWith("Mutable");
      const version = type.endsWith("V2") ? "V2" : "";
      const content = [constant(graph, keys, { name: "keys" }), constant(graph, values, { name: "values" })];
      const fill = `${isMutable ? "LookupTableImport" : "InitializeTable"}${version}`;
      return graph.op(fill, [table, ...content], {}, "fill");
    });
    return group(graph, fills, { name: "init" });
  });
}

/** As TensorFlow's op_signature_def. */
function operationSignature({ name }: Operation): SignatureDef {
  const info = TensorInfo.fromPartial({
    encoding: { $case: "name", value: name },
    dtype: DataType.DT_INVALID,
    tensorShape: { unknownRank: true },
  });
  return SignatureDefMessage.fromPartial({ outputs: new Map([[INIT_SIGNATURE, info]]) });
}

/** The nodes of tf.compat.v1.train.Saver. */
function addSaver(graph: Graph, variables: readonly ServedVariable[]): SaverDef {
  return graph.withNameScope("save", () => {
    const given = graph.op(
      "PlaceholderWithDefault",
      [constant(graph, "model", { dtype: "string", name: "filename/input" })],
      { shape: [] },
      "filename",
    ).output;
    const prefix = graph.op("PlaceholderWithDefault", [given], { shape: [] }, "Const").output;
    const texts = (values: readonly string[], name: string) =>
      constant(graph, [...values], { dtype: "string", name });
    const names = variables.map(({ name }) => name);
    const slices = variables.map(() => "");
    const handles = names.map((name) => graph.tensor(name));
    const reads = handles.map((handle, at) => readOf(graph, handle, variables[at]));
    const save = graph.op(
      "SaveV2",
      [prefix, texts(names, "SaveV2/tensor_names"), texts(slices, "SaveV2/shape_and_slices"), reads],
      {},
      "SaveV2",
    );
    const saved = graph.withControlDependencies(
      [save],
      () => graph.op("Identity", [prefix], {}, "control_dependency").output,
    );
    const restored = graph.op(
      "RestoreV2",
      [prefix, texts(names, "RestoreV2/tensor_names"), texts(slices, "RestoreV2/shape_and_slices")],
      { dtypes: variables.map(({ dtype }) => dataTypeOf(dtype)) },
      "RestoreV2",
    ).outputs;
    const assigns: Operation[] = handles.map((handle, at) => {
      const value = restored[at] ?? handle;
      const isResource = handle.op.type === "VarHandleOp";
      const assign = graph.op(isResource ? "AssignVariableOp" : "Assign", [handle, value], {}, "Assign");
      const variableDef = VariableDef.fromPartial({
        variableName: handle.name,
        // It gets its first value from the checkpoint.
        initializerName: assign.name,
        initialValueName: value.name,
        snapshotName: (reads[at] ?? handle).name,
        isResource,
        trainable: /float/.test(variables[at]?.dtype ?? ""),
      });
      graph.addToCollection(GraphKeys.GLOBAL_VARIABLES, { variableDef });
      return assign;
    });
    const all = group(graph, assigns, { name: "restore_all" });
    return SaverDefMessage.fromPartial({
      filenameTensorName: prefix.name,
      saveTensorName: saved.name,
      restoreOpName: all.name,
      maxToKeep: 5,
      version: SaverDef_CheckpointFormatVersion.V2,
    });
  });
}

function readOf(graph: Graph, handle: Output, variable: ServedVariable | undefined): Output {
  if (handle.op.type !== "VarHandleOp" || !variable) return handle;
  return graph.op("ReadVariableOp", [handle], { dtype: variable.dtype }, `Read/${variable.name}`).output;
}
