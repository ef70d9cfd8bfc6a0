import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { parseEdge, tensorName } from "../graph/edge.js";
import { readGraphFile } from "../graph/graph-file.js";
import { outputTypes } from "../graph/node-signature.js";
import { bundledOpRegistry, type OpRegistry } from "../graph/op-registry.js";
import { stripPrivateAttrs } from "../graph/private-attrs.js";
import { partialShapeFromProto, type Shape } from "../graph/shape.js";
import { didYouMean } from "../graph/similar-names.js";
import { type DType, dtypeKind, dtypeOf } from "../protocol/dtype.js";
import { invalidArgument, notFound, permissionDenied } from "../protocol/status.js";

/** Files that make a folder a SavedModel. */
const SAVED_MODEL_FILES = ["saved_model.pb", "saved_model.pbtxt"];

/** Before this version of graphs a placeholder's empty shape meant "unknown" (TensorFlow's graph version 24). */
const FIRST_VERSION_WITH_SCALAR_PLACEHOLDERS = 24;

async function fileOf(name: string): Promise<string> {
  const found = await stat(name).catch((error: unknown) => error);
  if (found instanceof Error) throw readError(found, name);
  if (!(typeof found === "object" && found !== null && "isDirectory" in found)) return name;
  if (!(found as { isDirectory(): boolean }).isDirectory()) return name;
  for (const file of SAVED_MODEL_FILES) {
    const candidate = path.join(name, file);
    if (
      await stat(candidate).then(
        () => true,
        () => false,
      )
    )
      return candidate;
  }
  throw invalidArgument(
    `"${name}" is a folder without ${SAVED_MODEL_FILES.join(" or ")}, so it is no SavedModel.`,
  );
}

function readError(error: Error, name: string): unknown {
  const code = "code" in error ? error.code : undefined;
  if (code === "ENOENT") return notFound(`There is no file "${name}".`, { cause: error });
  if (code === "EACCES" || code === "EPERM") {
    return permissionDenied(`The file "${name}" may not be read by this user.`, { cause: error });
  }
  return error;
}

/** How the values of variables that were saved beside a graph come back: what to run, and what is fed the file's name. */
export interface Restoring {
  readonly operation: string;
  readonly filename: string;
  /** What the file's name begins with, where it is known: "model/variables/variables". */
  readonly file: string | undefined;
}

/** A graph and what its nodes' outputs are. */
export class RunnableGraph {
  readonly graph: GraphDef;
  /** Undefined for a graph that has no saver. */
  readonly restoring: Restoring | undefined;
  readonly #nodes: ReadonlyMap<string, NodeDef>;
  readonly #ops: OpRegistry;

  constructor(graph: GraphDef, restoring?: Restoring) {
    this.graph = graph;
    this.restoring = restoring;
    this.#nodes = new Map(graph.node.map((node) => [node.name, node]));
    this.#ops = bundledOpRegistry().withFunctions(graph.library);
  }

  /**
   * A graph from a file, without attributes of Tensordeck's own.
   * @throws TensorFlowError NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT for what is no graph
   */
  static async read(name: string): Promise<RunnableGraph> {
    const graphFile = await fileOf(name);
    const bytes = await readFile(graphFile).catch((error: Error) => {
      throw readError(error, name);
    });
    const { kind, metaGraph } = readGraphFile(bytes, name);
    const graph = metaGraph.graphDef;
    if (graph === undefined || graph.node.length === 0)
      throw invalidArgument(`The graph in "${name}" has no nodes.`);
    const { restoreOpName = "", filenameTensorName = "" } = metaGraph.saverDef ?? {};
    const file =
      kind === "saved_model" ? path.join(path.dirname(graphFile), "variables", "variables") : undefined;
    const restoring =
      restoreOpName === "" || filenameTensorName === ""
        ? undefined
        : { operation: restoreOpName, filename: filenameTensorName, file };
    return new RunnableGraph(stripPrivateAttrs(graph), restoring);
  }

  /** Operations that look like initializers of variables: a NoOp that is called init, as TensorFlow names it. */
  initializers(): string[] {
    return this.graph.node
      .filter(({ name, op }) => op === "NoOp" && /(^|\/)(init(_\d+)?|init_all_tables)$/.test(name))
      .map(({ name }) => name);
  }

  /** The node's outputs; undefined where its op is not known here. */
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
   * @param what is to be done with it, for the error: "fetch"
   * @throws TensorFlowError NOT_FOUND naming similar nodes, INVALID_ARGUMENT for an output that the node does not have
   */
  tensor(text: string, what: string): string {
    const edge = parseEdge(text);
    if (edge.control)
      throw invalidArgument(`"${text}" names no tensor; write node or node:output, for example x:0.`);
    const node = this.#node(edge.node, what);
    const outputs = this.#outputs(node);
    if (outputs !== undefined && edge.output >= outputs.length) {
      const has =
        outputs.length === 0 ? "no outputs; name it with --run to run it" : `${outputs.length} output(s)`;
      throw invalidArgument(`"${text}" cannot be used to ${what}: ${node.op} "${node.name}" has ${has}.`);
    }
    return tensorName(edge.node, edge.output);
  }

  /** @throws TensorFlowError NOT_FOUND naming similar nodes */
  operation(text: string): string {
    return this.#node(text.replace(/^\^/, "").replace(/:\d+$/, ""), "run").name;
  }

  /** Dtype and declared shape of a tensor that is fed, as far as the graph says. */
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

  /** All outputs that no node takes and that can be fetched: the results of the graph. Unfed placeholders are none. */
  results(): string[] {
    const taken = new Set<string>();
    for (const node of this.graph.node) {
      for (const input of node.input) taken.add(input.startsWith("^") ? input : parseEdge(input).node);
    }
    const results: string[] = [];
    for (const node of this.graph.node) {
      if (taken.has(node.name) || taken.has(`^${node.name}`) || node.op.startsWith("Placeholder")) continue;
      const outputs = this.#outputs(node) ?? [];
      for (const [index, { dtype }] of outputs.entries()) {
        const opaque = dtype !== undefined && dtypeKind(dtypeOf(dtype)) === "opaque";
        if (!opaque) results.push(tensorName(node.name, index));
      }
    }
    return results;
  }

  /** The nodes that must run for the given tensors and operations, save what is behind tensors that are fed. */
  neededFor(names: readonly string[], fed: ReadonlySet<string>): Set<string> {
    const needed = new Set<string>();
    const queue = names.map((name) => parseEdge(name).node);
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      const node = this.#nodes.get(name);
      if (node === undefined || needed.has(name)) continue;
      needed.add(name);
      for (const input of node.input) {
        const edge = parseEdge(input);
        if (edge.control || !fed.has(tensorName(edge.node, edge.output))) queue.push(edge.node);
      }
    }
    return needed;
  }
}
