import { stat } from "node:fs/promises";
import path from "node:path";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { readChosenRun } from "../graph/document-settings.js";
import { parseEdge, tensorName } from "../graph/edge.js";
import { examples } from "../graph/examples/index.js";
import { MAX_MESSAGE_BYTES, readGraphFile } from "../graph/graph-file.js";
import { indexOf, neededFor } from "../graph/graph-index.js";
import { type GraphNotes, isInitGroup, nodeOf } from "../graph/housekeeping.js";
import { outputTypes } from "../graph/node-signature.js";
import { bundledOpRegistry, type OpRegistry } from "../graph/op-registry.js";
import { DOCUMENT_COLLECTION, stripPrivateAttrs } from "../graph/private-attrs.js";
import { type RunChoice, suggestRun } from "../graph/run-choice.js";
import { partialShapeFromProto, type Shape } from "../graph/shape.js";
import { didYouMean } from "../graph/similar-names.js";
import { isModelFile, readModelFile } from "../import/import-model.js";
import { SAVED_MODEL_FILES, savedModelFile } from "../io/saved-model-folder.js";
import { readWholeFile } from "../io/whole-file.js";
import { type DType, dtypeOf } from "../protocol/dtype.js";
import { invalidArgument, notFound, permissionDenied } from "../protocol/status.js";

/** Before this graph version a placeholder's empty shape meant "unknown" (TensorFlow's graph version 24). */
const FIRST_VERSION_WITH_SCALAR_PLACEHOLDERS = 24;

/** Before the name of a graph that comes with Tensordeck, in place of a file. */
const EXAMPLE_PREFIX = "example:";

/** @throws TensorFlowError NOT_FOUND naming similar ones */
async function exampleGraph(id: string): Promise<MetaGraphDef> {
  const example = examples.find((one) => one.id === id);
  if (example) return await example.build();
  const ids = examples.map((one) => one.id);
  throw notFound(
    `There is no example "${id}".${didYouMean(id, ids) || ` The examples are ${ids.join(", ")}.`}`,
  );
}

async function fileOf(name: string): Promise<string> {
  const found = await stat(name).catch((error: unknown) => error);
  if (found instanceof Error) throw readError(found, name);
  if (!(typeof found === "object" && found !== null && "isDirectory" in found)) return name;
  if (!(found as { isDirectory(): boolean }).isDirectory()) return name;
  const file = await savedModelFile(name);
  if (file !== undefined) return file;
  throw invalidArgument(
    `"${name}" is a folder without ${SAVED_MODEL_FILES.join(" or ")}, so it is not a SavedModel.`,
  );
}

function readError(error: Error, name: string): unknown {
  const code = "code" in error ? error.code : undefined;
  if (code === "ENOENT") return notFound(`There is no file "${name}".`, { cause: error });
  if (code === "EACCES" || code === "EPERM") {
    return permissionDenied(`This user has no permission to read the file "${name}".`, { cause: error });
  }
  return error;
}

/** A SavedModel around a graph. */
export interface SavedModelFolder {
  /** Where its folders of variables and assets are. */
  readonly folder: string;
  readonly metaGraph: MetaGraphDef;
}

/** A document's run configuration. */
export interface ChosenRun {
  readonly fetches: readonly string[];
  readonly targets: readonly string[];
  readonly origin: "document";
}

/** A graph and the outputs of its nodes. */
export class RunnableGraph {
  readonly graph: GraphDef;
  /** Undefined for a graph from another kind of file. */
  readonly savedModel: SavedModelFolder | undefined;
  /** The parts of the file besides the graph. */
  readonly notes: GraphNotes;
  readonly #nodes: ReadonlyMap<string, NodeDef>;
  readonly #ops: OpRegistry;

  constructor(
    graph: GraphDef,
    notes: GraphNotes = MetaGraphDef.fromPartial({}),
    savedModel?: SavedModelFolder,
  ) {
    this.graph = graph;
    this.notes = notes;
    this.savedModel = savedModel;
    this.#nodes = new Map(graph.node.map((node) => [node.name, node]));
    this.#ops = bundledOpRegistry().withFunctions(graph.library);
  }

  /**
   * A graph from a file, or an example, without attributes of Tensordeck's own.
   * @throws TensorFlowError NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT for a file that is not a graph; CANCELLED
   */
  static async read(name: string, signal?: AbortSignal): Promise<RunnableGraph> {
    if (name.startsWith(EXAMPLE_PREFIX)) {
      const metaGraph = await exampleGraph(name.slice(EXAMPLE_PREFIX.length));
      return new RunnableGraph(stripPrivateAttrs(metaGraph.graphDef ?? GraphDef.fromPartial({})), metaGraph);
    }
    const graphFile = await fileOf(name);
    const bytes = await readWholeFile(graphFile, { maxBytes: MAX_MESSAGE_BYTES, signal }).catch(
      (error: Error) => {
        throw readError(error, name);
      },
    );
    const { kind, metaGraph } = isModelFile(bytes, graphFile)
      ? await readModelFile(bytes, name, { signal })
      : readGraphFile(bytes, name);
    const graph = metaGraph.graphDef;
    if (graph === undefined || graph.node.length === 0)
      throw invalidArgument(`The graph in "${name}" has no nodes.`);
    const stripped = stripPrivateAttrs(graph);
    const savedModel =
      kind === "saved_model"
        ? { folder: path.dirname(graphFile), metaGraph: { ...metaGraph, graphDef: stripped } }
        : undefined;
    return new RunnableGraph(stripped, metaGraph, savedModel);
  }

  /** Operations that look like initializers of variables: a NoOp that is called init, as TensorFlow names it. */
  initializers(): string[] {
    return this.graph.node.filter(isInitGroup).map(({ name }) => name);
  }

  /** The node's outputs; undefined if its op is not known here. */
  #outputs(node: NodeDef): ReturnType<typeof outputTypes> | undefined {
    const opDef = this.#ops.get(node.op);
    return opDef && outputTypes(opDef, node);
  }

  #node(name: string, what: string): NodeDef {
    const node = this.#nodes.get(name);
    if (node === undefined) {
      throw notFound(`The graph has no node "${name}" to ${what}.${didYouMean(name, this.#nodes.keys())}`);
    }
    return node;
  }

  /**
   * The full name of a tensor, "z:0" for "z".
   * @param what for the error: the intended use, "fetch"
   * @throws TensorFlowError NOT_FOUND naming similar nodes, INVALID_ARGUMENT for an output that the node does not have
   */
  tensor(text: string, what: string): string {
    const edge = parseEdge(text);
    if (edge.control)
      throw invalidArgument(
        `"${text}" is not the name of a tensor; write node or node:output, for example x:0.`,
      );
    const node = this.#node(edge.node, what);
    const outputs = this.#outputs(node);
    if (outputs !== undefined && edge.output >= outputs.length) {
      const has = outputs.length === 0 ? "no outputs; use --run to run it" : `${outputs.length} output(s)`;
      throw invalidArgument(`"${text}" cannot be used to ${what}: ${node.op} "${node.name}" has ${has}.`);
    }
    return tensorName(edge.node, edge.output);
  }

  /** @throws TensorFlowError NOT_FOUND naming similar nodes */
  operation(text: string): string {
    return this.#node(text.replace(/^\^/, "").replace(/:\d+$/, ""), "run").name;
  }

  /** Dtype and declared shape of a fed tensor, as far as known from the graph. */
  feedType(tensor: string): { dtype: DType | undefined; shape: Shape | undefined } {
    const edge = parseEdge(tensor);
    const node = this.#node(edge.node, "feed");
    const dataType = edge.control ? undefined : this.#outputs(node)?.[edge.output]?.dtype;
    const dtype = dataType === undefined ? undefined : dtypeOf(dataType);
    return { dtype, shape: node.op === "Placeholder" ? this.#placeholderShape(node) : undefined };
  }

  #placeholderShape(node: NodeDef): Shape | undefined {
    const value = node.attr.get("shape")?.value;
    if (value?.$case !== "shape") return undefined;
    const shape = partialShapeFromProto(value.value);
    const old = (this.graph.versions?.producer ?? 0) < FIRST_VERSION_WITH_SCALAR_PLACEHOLDERS;
    return old && shape?.length === 0 ? undefined : shape;
  }

  /**
   * The default of what a run computes: the choice in the document's run configuration, as far as the graph has it,
   * otherwise the result of suggestRun.
   * @param fed tensors that have a value
   */
  choice(fed: ReadonlySet<string>): RunChoice | ChosenRun {
    const { fetches, targets } = readChosenRun(this.notes.collectionDef.get(DOCUMENT_COLLECTION));
    const chosen = {
      fetches: fetches.filter((name) => this.#nodes.has(nodeOf(name))),
      targets: targets.filter((name) => this.#nodes.has(name)),
    };
    if (chosen.fetches.length + chosen.targets.length > 0) return { ...chosen, origin: "document" };
    return suggestRun({
      nodes: this.#nodes,
      notes: this.notes,
      library: this.graph.library?.function ?? [],
      opDef: (op) => this.#ops.get(op),
      fed,
    });
  }

  /** The nodes that must run for the given tensors and operations, except those that only fed tensors need. */
  neededFor(names: readonly string[], fed: ReadonlySet<string>): Set<string> {
    return neededFor(
      indexOf(this.#nodes),
      names.map((name) => parseEdge(name).node),
      fed,
    );
  }
}
