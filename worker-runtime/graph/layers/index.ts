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
import { attention, gru, lstm } from "./sequence-layers.js";

export type { LayerField, LayerSpec, LayerValue, LayerValues } from "./layer.js";

/** In the order in which they are offered. */
export const LAYERS: readonly LayerSpec[] = [
  ...[dense, conv2d, depthwiseConv2d, maxPooling, averagePooling, globalAveragePooling],
  ...[batchNorm, layerNorm, dropout, embedding, lstm, gru, attention],
  ...[crossEntropy, meanSquaredError, accuracy],
];

/** What a layer is connected to. */
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
  /** The tensor that the layer computes. */
  readonly output: string;
  /** As Keras lists them. */
  readonly variables: readonly Variable[];
}

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
  if (field.kind === "flag") return undefined;
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
 * @throws TensorFlowError INVALID_ARGUMENT if the source or a value does not suit it, in words for the user
 */
export function makeLayer(
  spec: LayerSpec,
  values: LayerValues,
  source: LayerSource,
  scope: string,
): MadeLayer {
  for (const field of spec.fields) {
    const problem = fieldProblem(field, values[field.name]);
    if (problem !== undefined) throw invalidArgument(problem);
  }
  if (source.dtype !== "float32" && spec !== embedding) {
    throw invalidArgument(`${spec.name} takes float32; ${source.tensor} is ${source.dtype}.`);
  }
  const graph = new Graph();
  const input = placeholder(graph, source.dtype, source.shape, { name: SOURCE });
  const [output, variables] = graph.withDevice(source.device, () =>
    graph.withNameScope(scope, () => {
      const layer = new LayerBuilder(graph, spec, values);
      const made = spec.build(layer, input);
      return [graph.op("Identity", [made], {}, "output").output, layer.variables] as const;
    }),
  );
  const nodes = graph
    .toGraphDef()
    .node.filter(({ name }) => name !== SOURCE)
    .map((node) => ({ ...node, input: node.input.map((text) => withSource(text, source.tensor)) }));
  return { nodes, output: output.name, variables };
}

function withSource(input: string, tensor: string): string {
  const edge = parseEdge(input);
  if (edge.control || edge.node !== SOURCE) return input;
  const { node, output } = { output: 0, ...parseEdge(tensor) };
  return output === 0 ? node : tensorName(node, output);
}
