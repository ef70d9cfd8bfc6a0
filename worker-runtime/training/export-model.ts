/** Writes trained graphs as models that any TensorFlow loads: SavedModels and frozen graphs. */
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { stringListAttr, typeAttr } from "../graph/attr-values.js";
import { COLOCATION_ATTR, colocationGroup } from "../graph/colocation-groups.js";
import { checkMessageSize, writeGraphFile } from "../graph/graph-file.js";
import {
  frozenGraph,
  type ModelTensors,
  type ServedTable,
  type ServedVariable,
  savedModelGraph,
  servingGraph,
  type TableContent,
} from "../graph/model-export/index.js";
import { shapeLabel } from "../graph/shape.js";
import { replaceFile, syncFolder, writeFlushed } from "../io/durable-files.js";
import { withFileErrors } from "../io/file-errors.js";
import { type BundleFiles, temporaryPath } from "../io/tensor-bundle/bundle-files.js";
import { BundleWriter } from "../io/tensor-bundle/bundle-writer.js";
import { openCheckpointReader } from "../io/tensor-bundle/checkpoint-reader.js";
import type { SavedTensorInfo } from "../io/tensor-bundle/saved-tensors.js";
import { parseShapeAndSlice, type ShapeAndSlice, sliceShape } from "../io/tensor-bundle/tensor-slice.js";
import { removeAbandonedFiles } from "../io/unfinished-files.js";
import { itemSize } from "../protocol/dtype.js";
import { alreadyExists, failedPrecondition, invalidArgument, notFound } from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";
import { randomId } from "../random-id.js";
import type { Session } from "../session/session.js";
import { keysOfObjects, type SavedGraph, type SavedName, savedNames } from "./checkpoint-names.js";

/** Files are read and written with the rights of this process. */
const ALL_FILES: BundleFiles = { resolve: (path) => Promise.resolve(path) };
/** The most bytes that are read in one step. */
const BATCH_BYTES = 32 * 1024 * 1024;

/** Where the values of a model's variables come from. */
export interface VariableValues {
  /** The values in the order of the variables. @throws TensorFlowError naming one that has none, or does not fit */
  read(
    variables: readonly ServedVariable[],
    signal?: AbortSignal,
  ): AsyncIterable<{ readonly name: string; readonly tensor: Tensor }>;
  /** The contents of tables, which no checkpoint has; absent if there is no session that has them. */
  readTables?(tables: readonly ServedTable[], signal?: AbortSignal): Promise<readonly TableContent[]>;
}

export interface ExportModelOptions extends ModelTensors {
  readonly values: VariableValues;
  /** Replace a model that is already there. Defaults to false. */
  readonly overwrite?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** With the part of the variables that is written, from 0 to 1. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

/**
 * The values that a checkpoint has of variables.
 *
 * @param graph says from which names its own Savers restore them; left out: from the variables' own
 */
export function checkpointValues(prefix: string, graph?: SavedGraph): VariableValues {
  return {
    async *read(variables, signal) {
      const namesOf = savedNames(graph?.graphDef ?? { node: [] }, graph?.saverDef?.restoreOpName);
      const reader = await openCheckpointReader(resolve(prefix), ALL_FILES);
      try {
        const saved = new Set(reader.names());
        const objects = await keysOfObjects(reader);
        const wanted = variables.map((variable) => {
          const key = objects.get(variable.name);
          const names = [...namesOf(variable.name), ...(key === undefined ? [] : [{ key, slice: "" }])];
          const found = names.find(({ key }) => saved.has(key));
          if (!found)
            throw notFound(`The checkpoint ${prefix} has no value for ${namesText(variable.name, names)}.`);
          const slice = found.slice === "" ? undefined : parseShapeAndSlice(found.slice);
          checkFit(variable, { prefix, info: reader.info(found.key), slice });
          return { name: variable.name, key: found.key, slice: slice?.slice };
        });
        for (const { name, key, slice } of wanted) {
          signal?.throwIfAborted();
          yield { name, tensor: await reader.read(key, slice) };
        }
      } finally {
        await reader.close();
      }
    },
  };
}

/** "w", or "w (which the graph restores from model/weight)". */
function namesText(variable: string, names: readonly SavedName[]): string {
  const others = new Set(names.map(({ key }) => key).filter((key) => key !== variable));
  return others.size === 0
    ? variable
    : `${variable} (which the graph restores from ${[...others].join(" or ")})`;
}

/** @throws TensorFlowError INVALID_ARGUMENT if a variable cannot have the value */
function checkFit(
  { name, dtype, shape }: ServedVariable,
  {
    prefix,
    info,
    slice,
  }: { readonly prefix: string; readonly info: SavedTensorInfo; readonly slice: ShapeAndSlice | undefined },
): void {
  const isSame = (one: readonly number[], other: readonly number[]) =>
    one.length === other.length && one.every((size, axis) => size < 0 || size === other[axis]);
  const isWhole = !slice || isSame(slice.fullShape, info.shape);
  const own = slice && isWhole ? sliceShape(info.shape, slice.slice) : info.shape;
  if (info.dtype === dtype && isWhole && (!shape || isSame(shape, own))) return;
  throw invalidArgument(
    `The checkpoint ${prefix} has ${name} as ${info.dtype} ${shapeLabel(own)}, but the variable is ` +
      `${dtype} ${shapeLabel(isWhole ? shape : slice.fullShape)}.`,
  );
}

/**
 * The values that the variables have in a session now.
 *
 * @param graphDef the session's graph, whose variables they are
 */
export function sessionValues(
  session: Pick<Session, "run" | "extend">,
  graphDef: Pick<GraphDef, "node">,
): VariableValues {
  return {
    async *read(variables, signal) {
      const nodes = new Map(graphDef.node.map((node) => [node.name, node]));
      const scope = `tensordeck_export_${randomId().toString(36)}`;
      const reads = variables.map(({ name }, at) => readNode(`${scope}/${at}`, nodes.get(name), name));
      await session.extend(GraphDef.fromPartial({ node: reads }), signal);
      for (const batch of batchesOf(variables)) {
        const { values } = await session.run(
          batch.map(({ at }) => `${scope}/${at}:0`),
          { signal },
        );
        for (const [index, { name }] of batch.entries()) {
          const tensor = values[index];
          if (tensor) yield { name, tensor };
        }
      }
    },
    readTables: (tables, signal) => sessionTables(session, tables, signal),
  };
}

/** The contents that tables have in a session now. @param tables of the session's graph */
export async function sessionTables(
  session: Pick<Session, "run" | "extend">,
  tables: readonly ServedTable[],
  signal?: AbortSignal,
): Promise<TableContent[]> {
  const scope = `tensordeck_tables_${randomId().toString(36)}`;
  const node = tables.map(({ name, op, keyType, valueType }, at) =>
    NodeDef.fromPartial({
      name: `${scope}/${at}`,
      op: `LookupTableExport${op.endsWith("V2") ? "V2" : ""}`,
      input: [name],
      attr: new Map([
        ["Tkeys", typeAttr(keyType)],
        ["Tvalues", typeAttr(valueType)],
        [COLOCATION_ATTR, stringListAttr([colocationGroup(name)])],
      ]),
    }),
  );
  await session.extend(GraphDef.fromPartial({ node }), signal);
  const contents: TableContent[] = [];
  for (const [at, { name }] of tables.entries()) {
    const { values: outputs } = await session.run([`${scope}/${at}:0`, `${scope}/${at}:1`], { signal });
    const [keys, values] = outputs;
    if (keys && values) contents.push({ name, keys, values });
  }
  return contents;
}

function readNode(name: string, variable: NodeDef | undefined, wanted: string): NodeDef {
  const dtype = variable?.attr.get("dtype") ?? typeAttr("float32");
  const isResource = variable?.op === "VarHandleOp";
  return NodeDef.fromPartial({
    name,
    op: isResource ? "ReadVariableOp" : "Identity",
    input: [wanted],
    attr: new Map([
      [isResource ? "dtype" : "T", dtype],
      [COLOCATION_ATTR, stringListAttr([colocationGroup(wanted)])],
    ]),
  });
}

/** Groups of at most BATCH_BYTES, as far as sizes are declared, or of one. */
function batchesOf(variables: readonly ServedVariable[]) {
  const batches: { readonly name: string; readonly at: number }[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const [at, { name, dtype, shape = [] }] of variables.entries()) {
    const size = shape.reduce((product, one) => product * Math.max(one, 1), itemSize(dtype) || 1);
    if (bytes + size > BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push({ name, at });
    bytes += size;
  }
  return batches;
}

/**
 * Writes a SavedModel, as tf.compat.v1.saved_model.simple_save: tf.saved_model.load gives it its signature
 * "serving_default". Until it is complete nothing is at its path, or the model that was there before.
 *
 * @param folder is made; the folder around it must exist
 * @throws TensorFlowError ALREADY_EXISTS if something is there; what is wrong with the inputs, outputs or values
 */
export async function exportSavedModel(
  graphDef: GraphDef,
  folder: string,
  options: ExportModelOptions,
): Promise<void> {
  const { signal } = options;
  const serving = servingGraph(graphDef, options);
  const model = savedModelGraph(serving, await contentsOf(serving.tables, options));
  const path = resolve(folder);
  await checkFree(path, "saved_model.pb", options);
  const temporary = temporaryPath(path);
  try {
    await withFileErrors(path, async () => {
      await checkFolder(dirname(path));
      await removeAbandonedFiles(dirname(path));
      await mkdir(temporary);
      await writeFlushed(
        join(temporary, "saved_model.pb"),
        writeGraphFile({ kind: "saved_model", format: "binary", metaGraph: model }),
      );
    });
    if (serving.variables.length > 0) {
      await writeValues(join(temporary, "variables", "variables"), serving.variables, options);
    }
    signal?.throwIfAborted();
    await withFileErrors(path, () => replaceFolder(path, temporary));
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function contentsOf(
  tables: readonly ServedTable[],
  { values, signal }: ExportModelOptions,
): Promise<readonly TableContent[]> {
  const [first] = tables;
  if (!first) return [];
  if (values.readTables) return values.readTables(tables, signal);
  throw failedPrecondition(
    `The outputs depend on the table ${first.name}, whose content is in no checkpoint. ` +
      "Export the model with the values of a running cluster.",
  );
}

async function writeValues(
  prefix: string,
  variables: readonly ServedVariable[],
  { values, signal, onProgress }: ExportModelOptions,
): Promise<void> {
  const writer = await BundleWriter.create(prefix, ALL_FILES);
  try {
    let done = 0;
    for await (const { name, tensor } of values.read(variables, signal)) {
      signal?.throwIfAborted();
      await writer.add(name, tensor);
      onProgress?.(++done / variables.length);
    }
  } catch (error) {
    await writer.abandon();
    throw error;
  }
  await writer.finish();
}

/**
 * The graph of a model whose variables are constants, as tf.compat.v1.graph_util.convert_variables_to_constants gives it:
 * tf.compat.v1.import_graph_def takes it. Values that exceed 2 GB in total have to be in a SavedModel.
 */
export async function freezeGraph(
  graphDef: GraphDef,
  options: Omit<ExportModelOptions, "overwrite">,
): Promise<GraphDef> {
  const serving = servingGraph(graphDef, options);
  const [table] = serving.tables;
  if (table) {
    throw failedPrecondition(
      `The outputs depend on the table ${table.name}, whose content a frozen graph cannot have. ` +
        "Export a SavedModel, or make a tensor that is computed from it an input of the model.",
    );
  }
  const values = new Map<string, Tensor>();
  let bytes = 0;
  for await (const { name, tensor } of options.values.read(serving.variables, options.signal)) {
    values.set(name, tensor);
    bytes += tensor.byteLength;
    checkMessageSize(bytes, "The model with its values");
    options.onProgress?.(values.size / serving.variables.length);
  }
  return frozenGraph(serving, values);
}

/** Writes what `freezeGraph` gives to a file. @throws TensorFlowError ALREADY_EXISTS if there is one */
export async function exportFrozenGraph(
  graphDef: GraphDef,
  file: string,
  options: ExportModelOptions,
): Promise<void> {
  const path = resolve(file);
  await checkFree(path, undefined, options);
  await checkFolder(dirname(path));
  const frozen = await freezeGraph(graphDef, options);
  options.signal?.throwIfAborted();
  await withFileErrors(path, () => replaceFile(path, temporaryPath(path), GraphDef.encode(frozen).finish()));
}

/** @param mark what a folder must have inside to be replaced; undefined for a file */
async function checkFree(
  path: string,
  mark: string | undefined,
  { overwrite = false }: ExportModelOptions,
): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (!there) return;
  const isModel =
    mark === undefined ? there.isFile() : (await stat(join(path, mark)).catch(() => undefined)) !== undefined;
  if (isModel && overwrite) return;
  if (isModel) throw alreadyExists(`A model already exists at ${path}. Replace it, or choose another path.`);
  throw failedPrecondition(`Something else than a model is at ${path}. Choose another path.`);
}

async function checkFolder(folder: string): Promise<void> {
  const there = await stat(folder).catch(() => undefined);
  if (!there?.isDirectory()) throw notFound(`The folder ${folder} does not exist.`);
}

/** The old folder is moved out of the way first, since a folder cannot replace one that has something in it. */
async function replaceFolder(path: string, complete: string): Promise<void> {
  const old = temporaryPath(path);
  const had = await rename(path, old).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
      throw error;
    },
  );
  try {
    await rename(complete, path);
  } catch (error) {
    if (had) await rename(old, path);
    throw error;
  }
  await syncFolder(dirname(path));
  await rm(old, { recursive: true, force: true });
}
