/** The part of a graph that computes a model's outputs from its inputs, in the form that other programs load. */
import type { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { type DType, dtypeOf } from "../../protocol/dtype.js";
import { failedPrecondition, invalidArgument } from "../../protocol/status.js";
import { typeAttr } from "../attr-values.js";
import { parseEdge, tensorName } from "../edge.js";
import { Graph } from "../graph.js";
import { indexOf, neededFor } from "../graph-index.js";
import { isTable, isVariable } from "../initialisers.js";
import { bundledOpRegistry } from "../op-registry.js";
import { stripPrivateAttrs } from "../private-attrs.js";
import { partialShapeFromProto, partialShapeToProto, type Shape, UNKNOWN_DIMENSION } from "../shape.js";
import { knownTensor, type ModelTensors } from "./model-tensors.js";
import { reachableFunctions } from "./reachable-functions.js";
import { withResourceVariables } from "./resource-variables.js";
import { withoutPlacement } from "./without-placement.js";

export interface ServedVariable {
  readonly name: string;
  readonly dtype: DType;
  /** As declared; undefined for an unknown rank. */
  readonly shape: Shape | undefined;
}

/** A lookup table, whose content no checkpoint has. */
export interface ServedTable {
  readonly name: string;
  readonly op: string;
  readonly keyType: DType;
  readonly valueType: DType;
}

export interface ServingGraph {
  /** Without devices, and without nodes that the outputs do not need. */
  readonly graphDef: GraphDef;
  readonly variables: readonly ServedVariable[];
  readonly tables: readonly ServedTable[];
  /** Tensors of `graphDef` by the model's names for them. */
  readonly inputs: ReadonlyMap<string, string>;
  readonly outputs: ReadonlyMap<string, string>;
}

/** Ops whose state a model cannot have. */
const OTHER_STATE =
  /^(MutableDenseHashTable(V2)?|MutableHashTableOfTensors(V2)?|(FIFO|PaddingFIFO|Priority|RandomShuffle)Queue(V2)?|\w*Iterator(V\d)?|\w*Reader(V2)?|Barrier)$/;

/**
 * The graph of a model. An input that is no placeholder becomes one, of any number of rows, so that nothing which
 * computes it is part of the model. Variables of the old kind become resources unless nodes of the model change them.
 *
 * @param graphDef is not changed
 * @throws TensorFlowError NOT_FOUND for a tensor that the graph does not have, INVALID_ARGUMENT for a placeholder that
 *   is no input, FAILED_PRECONDITION if the outputs depend on a queue or the like
 */
export function servingGraph(graphDef: GraphDef, tensors: ModelTensors): ServingGraph {
  const { node, library, ...rest } = stripPrivateAttrs(graphDef);
  const nodes = new Map(node.map((one) => [one.name, one]));
  const outputs = tensorsIn(nodes, tensors.outputs);
  const inputs = tensorsIn(nodes, tensors.inputs);
  if (outputs.size === 0) throw invalidArgument("A model needs an output: name a tensor that it computes.");
  const rootsOf = (names: ReadonlyMap<string, string>) =>
    [...names.values()].map((name) => parseEdge(name).node);
  const roots = [...rootsOf(outputs), ...rootsOf(inputs)];
  const whole = neededFor(indexOf(nodes), roots);
  const facts = Graph.fromGraphDef({
    ...graphDef,
    library,
    node: node.filter(({ name }) => whole.has(name)),
  });
  const fed = withPlaceholders(nodes, inputs, facts);
  const kept = neededFor(indexOf(fed.nodes), [...rootsOf(outputs), ...rootsOf(fed.inputs)]);
  const served = [...fed.nodes.values()].filter(({ name }) => kept.has(name));
  checkInputs(served, fed.inputs);
  checkState(served);
  const functions = reachableFunctions(served, library);
  const placed = withoutPlacement({ ...rest, node: served, library: functions });
  const registry = bundledOpRegistry().withFunctions(functions);
  const converted = withResourceVariables(placed.node, registry);
  return {
    graphDef: { ...placed, node: [...converted.nodes] },
    variables: served.filter(isVariable).map(({ name }) => variableOf(facts, name)),
    tables: served.filter(isTable).map(tableOf),
    inputs: fed.inputs,
    outputs: new Map(
      [...outputs].map(([name, tensor]) => [
        name,
        converted.reads.get(tensor) ?? fed.replaced.get(tensor) ?? tensor,
      ]),
    ),
  };
}

function tensorsIn(
  nodes: ReadonlyMap<string, NodeDef>,
  tensors: Readonly<Record<string, string>>,
): Map<string, string> {
  return new Map(Object.entries(tensors).map(([name, tensor]) => [name, knownTensor(nodes, tensor)]));
}

interface Fed {
  readonly nodes: ReadonlyMap<string, NodeDef>;
  readonly inputs: ReadonlyMap<string, string>;
  /** Placeholders in the place of other tensors. */
  readonly replaced: ReadonlyMap<string, string>;
}

function withPlaceholders(
  nodes: ReadonlyMap<string, NodeDef>,
  inputs: ReadonlyMap<string, string>,
  facts: Graph,
): Fed {
  const result = new Map(nodes);
  const replaced = new Map<string, string>();
  for (const tensor of inputs.values()) {
    const { op, dtype, shape } = facts.tensor(tensor);
    if (op.type.startsWith("Placeholder") || replaced.has(tensor)) continue;
    // A node with several outputs may be needed for another one.
    const name = op.outputs.length === 1 ? op.name : freeName(result, tensor.replace(":", "_"));
    replaced.set(tensor, tensorName(name));
    result.set(name, placeholderNode(name, dtype, shape));
  }
  for (const [name, node] of replaced.size === 0 ? [] : result) {
    const input = node.input.map((text) => {
      const edge = parseEdge(text === "" ? "?" : text);
      const found = edge.control ? undefined : replaced.get(tensorName(edge.node, edge.output));
      return found === undefined ? text : found.replace(/:0$/, "");
    });
    result.set(name, { ...node, input });
  }
  return {
    nodes: result,
    replaced,
    inputs: new Map([...inputs].map(([name, tensor]) => [name, replaced.get(tensor) ?? tensor])),
  };
}

/** How many rows a tensor had in the graph says nothing of how many a model is given. */
function placeholderNode(name: string, dtype: DType, shape: Shape | undefined): NodeDef {
  const rows = shape && shape.length > 0 ? [UNKNOWN_DIMENSION, ...shape.slice(1)] : shape;
  return NodeDef.fromPartial({
    name,
    op: "Placeholder",
    attr: new Map([
      ["dtype", typeAttr(dtype)],
      ["shape", { value: { $case: "shape" as const, value: partialShapeToProto(rows) } }],
    ]),
  });
}

/** A name that no node has. */
function freeName(nodes: ReadonlyMap<string, unknown>, wanted: string): string {
  let name = wanted;
  for (let number = 1; nodes.has(name); number++) name = `${wanted}_${number}`;
  return name;
}

function checkInputs(nodes: readonly NodeDef[], inputs: ReadonlyMap<string, string>): void {
  const given = new Set(inputs.values());
  const missing = nodes.filter(({ op, name }) => op === "Placeholder" && !given.has(tensorName(name)));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(", ");
  throw invalidArgument(`The outputs need a value for ${names}: make ${names} an input of the model.`);
}

function checkState(nodes: readonly NodeDef[]): void {
  const holder = nodes.find(({ op }) => OTHER_STATE.test(op));
  if (!holder) return;
  throw failedPrecondition(
    `The outputs depend on ${holder.name} (${holder.op}), whose content a model cannot have. ` +
      "Make a tensor that is computed from it an input of the model.",
  );
}

function variableOf(facts: Graph, name: string): ServedVariable {
  const { attrs } = facts.operation(name);
  const dtype = attrs.get("dtype")?.value;
  const shape = attrs.get("shape")?.value;
  return {
    name,
    dtype: dtype?.$case === "type" ? dtypeOf(dtype.value) : "float32",
    shape: shape?.$case === "shape" ? partialShapeFromProto(shape.value) : undefined,
  };
}

function tableOf({ name, op, attr }: NodeDef): ServedTable {
  const type = (key: string): DType => {
    const value = attr.get(key)?.value;
    return value?.$case === "type" ? dtypeOf(value.value) : "string";
  };
  return { name, op, keyType: type("key_dtype"), valueType: type("value_dtype") };
}
