/** Layer blocks, by name, and the graph that one makes. */
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import type { DType } from "../../protocol/dtype.js";
import { invalidArgument } from "../../protocol/status.js";
import { parseEdge, tensorName } from "../edge.js";
import { Graph } from "../graph.js";
import { placeholder, type Variable } from "../ops/index.js";
import type { Shape } from "../shape.js";
import { batchNorm, dense, dropout, embedding, layerNorm } from "./dense-layers.js";
import { averagePooling, conv2d, depthwiseConv2d, globalAveragePooling, maxPooling } from "./image-layers.js";
import { LayerBuilder, type LayerSpec, type LayerValue, type LayerValues } from "./layer.js";
import { accuracy, crossEntropy, meanSquaredError } from "./loss-layers.js";
import { arrayPipeline, csvPipeline, recordPipeline, textPipeline } from "./pipeline-layers.js";
import { attention, gru, lstm } from "./sequence-layers.js";

export type { LayerField, LayerSpec, LayerValue, LayerValues } from "./layer.js";

/** In the order in which they are offered. */
export const LAYERS: readonly LayerSpec[] = [
  ...[dense, conv2d, depthwiseConv2d, maxPooling, averagePooling, globalAveragePooling],
  ...[batchNorm, layerNorm, dropout, embedding, lstm, gru, attention],
  ...[crossEntropy, meanSquaredError, accuracy],
  ...[arrayPipeline, csvPipeline, textPipeline, recordPipeline],
];

/** The node output that a layer is connected to. */
export interface LayerSource {
  /** "x:0". */
  readonly tensor: string;
  readonly dtype: DType;
  readonly shape: Shape | undefined;
  /** Where the layer is put: what the source is pinned to. */
  readonly device: string;
}

export interface MadeLayer {
  /** Its nodes, all in the scope; they read the source. */
  readonly nodes: readonly NodeDef[];
  /** The tensor that the layer computes; of several, the most important. */
  readonly output: string;
  readonly outputs: readonly string[];
  /** As Keras lists them. */
  readonly variables: readonly Variable[];
}

const NOTHING: LayerSource = { tensor: "", dtype: "float32", shape: undefined, device: "" };

/** The name of the stand-in for the source, which no node of the result has. */
const SOURCE = "tensordeck_source";

export function initialValues({ fields }: LayerSpec): LayerValues {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
}

/** Why a value does not suit its field; undefined if it does. */
export function fieldProblem(
  field: LayerSpec["fields"][number],
  value: LayerValue | undefined,
): string | undefined {
  if (field.kind === "flag" || field.kind === "text") return undefined;
  if (field.kind === "choice") return field.choices.includes(String(value)) ? undefined : "Choose one.";
  if (typeof value !== "number" || Number.isNaN(value)) return `${field.label} must be a number.`;
  if (field.kind === "int")
    return Number.isInteger(value) && value >= field.min
      ? undefined
      : `${field.label} must be a whole number from ${field.min}.`;
  return value >= field.min && value <= field.max
    ? undefined
    : `${field.label} must be from ${field.min} to ${field.max}.`;
}

/**
 * Makes the nodes of a layer in a scope.
 *
 * @param source what it is connected to; only a layer that takes nothing needs none
 * @throws TensorFlowError INVALID_ARGUMENT if the source or a value does not suit it, in words for the user
 */
export function makeLayer(
  spec: LayerSpec,
  values: LayerValues,
  source: LayerSource | undefined,
  scope: string,
): MadeLayer {
  for (const field of spec.fields) {
    const problem = fieldProblem(field, values[field.name]);
    if (problem !== undefined) throw invalidArgument(problem);
  }
  const { tensor, dtype, shape, device } = source && spec.takes !== "nothing" ? source : NOTHING;
  if (source === undefined && spec.takes !== "nothing")
    throw invalidArgument(`${spec.name} needs an input to be connected to.`);
  if (dtype !== "float32" && spec.takes === undefined) {
    throw invalidArgument(`${spec.name} takes float32; ${tensor} is ${dtype}.`);
  }
  const graph = new Graph();
  const input = placeholder(graph, dtype, shape, { name: SOURCE });
  const [outputs, variables] = graph.withDevice(device, () =>
    graph.withNameScope(scope, () => {
      const layer = new LayerBuilder(graph, spec, values);
      const made = spec.build(layer, input);
      const named = made instanceof Map ? [...made] : ([["output", made]] as const);
      const ends = named.map(([name, result]) => graph.op("Identity", [result], {}, name).output);
      return [ends, layer.variables] as const;
    }),
  );
  const nodes = graph
    .toGraphDef()
    .node.filter(({ name }) => name !== SOURCE)
    .map((node) => ({ ...node, input: node.input.map((text) => withSource(text, tensor)) }));
  const names = outputs.map(({ name }) => name);
  return { nodes, output: names[0] ?? "", outputs: names, variables };
}

function withSource(input: string, tensor: string): string {
  const edge = parseEdge(input);
  if (edge.control || edge.node !== SOURCE) return input;
  const { node, output } = { output: 0, ...parseEdge(tensor) };
  return output === 0 ? node : tensorName(node, output);
}
